import unittest

from shop.money import as_text


class AsText(unittest.TestCase):
    def test_cents_have_two_digits(self):
        self.assertEqual(as_text(1205), "12.05")
