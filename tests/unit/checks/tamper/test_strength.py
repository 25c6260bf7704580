"""How much an assertion says."""

import ast

import pytest

from autofix.checks.tamper.strength import Strength, assertions

NONE, SOMETHING, RANGE, EXACT = Strength


def strengths(body: str) -> list[Strength]:
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    function = ast.parse(f"async def test():\n{lines}\n").body[0]
    assert isinstance(function, ast.AsyncFunctionDef)
    return [assertion.strength for assertion in assertions(function)]


@pytest.mark.parametrize(
    ("assertion", "expected"),
    [
        ("assert f() == 1", EXACT),
        ("assert f() is None", EXACT),
        ("assert f() == approx(1.0)", EXACT),
        ("assert f() == approx(1.0, rel=1e-9)", EXACT),
        ("assert f() == approx(1.0, abs=tolerance)", RANGE),
        ("assert f() == approx(1.0, 0.5)", RANGE),
        ("assert round(f()) == 1", RANGE),
        ("assert f() > 1", RANGE),
        ("assert f() in (1, 2)", RANGE),
        ("assert f() != 1", RANGE),
        ("assert not f() == 1", RANGE),
        ("assert f() == 1 or f() == 2", RANGE),
        ("assert f() == 1 and g()", EXACT),
        ("assert f()", SOMETHING),
        ("assert not f()", SOMETHING),
        ("assert f() is not None", SOMETHING),
        ("assert isinstance(f(), int)", SOMETHING),
        ("assert type(f()) is int", SOMETHING),
        ("assert True", NONE),
        ("assert (f() == 1, 'message')", NONE),
        ("assert f() == 1 or True", NONE),
        ("assert x == x", NONE),
        ("assert f() == ANY", NONE),
        ("assert len(f()) >= 0", NONE),
        ("assert lambda: f() == 1", NONE),
        ("assert False", EXACT),
        ("self.assertEqual(f(), 1)", EXACT),
        ("self.assertEqual(x, x)", NONE),
        ("self.assertTrue(f() == 1)", EXACT),
        ("self.assertTrue(True)", NONE),
        ("self.assertFalse(f())", SOMETHING),
        ("self.assertIn(1, f())", RANGE),
        ("self.assertIsNotNone(f())", SOMETHING),
        ("self.assertAlmostEqual(f(), 1.0, delta=5)", RANGE),
        ("self.assertAlmostEqual(f(), 1.0, places=7)", EXACT),
        ("self.assertAlmostEqual(f(), 1.0, places=0)", RANGE),
        ("np.testing.assert_allclose(f(), 1.0, rtol=0.5)", RANGE),
        ("mock.assert_called_once_with(1)", EXACT),
        ("mock.assert_called()", SOMETHING),
        ("pytest.fail('x')", EXACT),
        ("with pytest.raises(KeyError): f()", EXACT),
        ("with pytest.raises((KeyError, ValueError)): f()", RANGE),
        ("with pytest.raises(Exception): f()", SOMETHING),
        ("with self.assertRaises(AssertionError): f()", NONE),
    ],
)
def test_an_assertion_has_its_place_on_the_scale(assertion: str, expected: Strength):
    assert strengths(assertion) == [expected]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("while True:\n    assert f() == 1", [EXACT]),
        ("if 0:\n    assert f() == 1\nelse:\n    assert g()", [SOMETHING]),
        ("if x:\n    assert f() == 1\nelse:\n    assert g()", [EXACT, SOMETHING]),
        ("for _ in ():\n    assert f() == 1", []),
        ("async for x in y:\n    assert x == 1", [EXACT]),
        ("raise ValueError\nassert f() == 1", []),
        ("def inner():\n    assert f() == 1\ninner()", [EXACT]),
        ("try:\n    assert f() == 1\nfinally:\n    g()", [EXACT]),
        ("try:\n    assert f() == 1\nexcept KeyError:\n    pass", [EXACT]),
        ("try:\n    assert f() == 1\nexcept AssertionError:\n    raise", [EXACT]),
        ("try:\n    assert f() == 1\nexcept (KeyError, BaseException):\n    pass", [NONE]),
        ("with suppress(AssertionError):\n    assert f() == 1", [NONE]),
        ("with open(x) as y, z:\n    assert f() == 1", [EXACT]),
    ],
)
def test_only_assertions_that_can_fail_the_test_count(body: str, expected: list[Strength]):
    assert strengths(body) == expected
