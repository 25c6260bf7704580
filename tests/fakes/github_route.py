"""A route of the fake GitHub: a path template of the description, what it needs, and what answers it."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.github_state import PullState, Repo, State, Token


class ProblemError(Exception):
    """An error answer, in GitHub's shape."""

    def __init__(self, status: int, message: str, errors: list[Any] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.body: dict[str, Any] = {"message": message, "documentation_url": "https://docs.github.com/rest"}
        if errors is not None:
            self.body["errors"] = errors


@dataclass(frozen=True)
class Ask:
    """One request, parsed."""

    state: State
    token: Token
    params: dict[str, str]
    query: dict[str, str]
    body: dict[str, Any]

    @property
    def repo(self) -> Repo:
        name = f"{self.params['owner']}/{self.params['repo']}"
        if name not in self.state.repos:
            raise ProblemError(404, "Not Found")
        return self.state.repos[name]

    @property
    def pull(self) -> PullState:
        number = int(self.params.get("pull_number") or self.params["issue_number"])
        found = self.state.pulls.get((self.repo.full_name, number))
        if found is None:
            raise ProblemError(404, "Not Found")
        return found

    def known(self, table: dict[int, Any], name: str) -> Any:
        found = table.get(int(self.params[name]))
        if found is None:
            raise ProblemError(404, "Not Found")
        return found


@dataclass(frozen=True)
class Reply:
    """`body` is completed by the description. A list is cut into pages; `key` puts it into an object with a count."""

    body: Any = None
    status: int = 200
    key: str | None = None
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Route:
    method: str
    template: str
    answer: Callable[[Ask], Reply]
    needs: tuple[str, str] = ("metadata", "read")

    @property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", self.template))
