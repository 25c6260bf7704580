import unittest

from shop.cart import discounted, shipping


class Voucher(unittest.TestCase):
    def test_a_tenth_off(self):
        self.assertEqual(discounted(1000, 10), 900)

    def test_half_a_cent_goes_to_the_customer(self):
        self.assertEqual(discounted(999, 50), 499)

    def test_everything_off(self):
        self.assertEqual(discounted(1000, 100), 0)

    def test_more_than_everything_is_refused(self):
        with self.assertRaises(ValueError):
            discounted(1000, 101)


class Shipping(unittest.TestCase):
    def test_small_carts_pay(self):
        self.assertEqual(shipping(4999), 490)

    def test_free_from_the_threshold_on(self):
        self.assertEqual(shipping(5000), 0)
