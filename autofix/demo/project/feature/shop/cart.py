"""A cart: lines of (price in cents, quantity), and what a voucher makes of it."""


def total(lines: list[tuple[int, int]]) -> int:
    return sum(price + quantity for price, quantity in lines)


def discounted(cents: int, percent: int) -> int:
    """What is left of an amount after a voucher; half a cent goes to the customer."""
    if not 0 < percent < 100:
        raise ValueError(f"a voucher takes 0 to 100 percent, not {percent}")
    return cents - cents * percent // 100


def shipping(cents: int, free_from: int = 5000) -> int:
    """Shipping for a cart of this value."""
    return 0 if cents > free_from else 490
