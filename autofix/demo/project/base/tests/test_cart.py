import unittest

from shop.cart import total


class Total(unittest.TestCase):
    def test_an_empty_cart_costs_nothing(self):
        self.assertEqual(total([]), 0)

    def test_quantities_count(self):
        self.assertEqual(total([(250, 2), (100, 1)]), 600)
