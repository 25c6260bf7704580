"""A cart: lines of (price in cents, quantity)."""


def total(lines: list[tuple[int, int]]) -> int:
    return sum(price * quantity for price, quantity in lines)
