"""When a request is sent again, and after how long."""

import pytest

from autofix.world.github_retry import Answer, wait_before_retry

NOW = 1_000_000.0


def wait(answer: Answer, tries: int = 1, *, repeatable: bool = True) -> float | None:
    return wait_before_retry(answer, tries, NOW, repeatable=repeatable)


LIMITS = [
    Answer(429, {}),
    Answer(403, {"retry-after": "5"}),
    Answer(403, {"x-ratelimit-remaining": "0"}),
    Answer(403, {}, "You have exceeded a secondary rate limit. Please wait a few minutes."),
    Answer(403, {}, "API rate limit exceeded for installation ID 1."),
    Answer(403, {}, "You have triggered an abuse detection mechanism."),
]


@pytest.mark.parametrize("answer", LIMITS)
@pytest.mark.parametrize("repeatable", [True, False])
def test_a_limit_is_waited_for_whatever_was_sent_because_nothing_took_effect(answer, repeatable):
    assert wait(answer, repeatable=repeatable) is not None


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "17"}, 17),
        ({"retry-after": "0"}, 0),
        ({"retry-after": "17", "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1000900"}, 17),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1000090"}, 91),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "999000"}, 1),
        ({"x-ratelimit-remaining": "0"}, 60),
        ({"x-ratelimit-remaining": "12", "x-ratelimit-reset": "1000090"}, 60),
        ({"retry-after": "soon"}, 60),
        ({"retry-after": "-5"}, 60),
        ({"retry-after": "inf"}, 60),
        ({"retry-after": "nan"}, 60),
    ],
)
def test_the_wait_is_what_github_says_and_a_minute_where_it_says_nothing(headers, seconds):
    assert wait(Answer(429, headers)) == seconds


def test_without_a_word_the_minutes_double():
    assert [wait(Answer(429, {}), tries) for tries in (1, 2, 3)] == [60, 120, 240]


@pytest.mark.parametrize("status", [0, 500, 502, 503, 504])
def test_a_fault_is_tried_again_four_times_in_all_where_that_is_harmless(status):
    waits = [wait(Answer(status, {}), tries) for tries in (1, 2, 3, 4)]
    assert waits == [1, 2, 4, None]
    assert wait(Answer(status, {}), repeatable=False) is None


def test_a_fault_that_says_when_is_believed():
    assert wait(Answer(503, {"retry-after": "9"})) == 9


@pytest.mark.parametrize("status", [200, 201, 304, 400, 401, 403, 404, 409, 410, 422])
def test_an_answer_is_an_answer(status):
    assert wait(Answer(status, {}, "Resource not accessible by integration")) is None
