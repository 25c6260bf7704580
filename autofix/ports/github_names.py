"""Who and where on GitHub: accounts, their rights, repositories. Values of the GitHub door."""

from dataclasses import dataclass
from enum import Enum


class Permission(Enum):
    """What the collaborator API says of a person in this repository."""

    ADMIN = "admin"
    WRITE = "write"
    READ = "read"
    NONE = "none"

    @property
    def can_write(self) -> bool:
        return self in {Permission.ADMIN, Permission.WRITE}


@dataclass(frozen=True, slots=True)
class Account:
    """A person or a bot. Bots' logins end in `[bot]`, which no person's can."""

    login: str
    is_bot: bool = False


@dataclass(frozen=True, slots=True)
class RepositoryName:
    """A repository by its id, which survives renames, and by its present `owner/name`."""

    id: int
    full_name: str

    @property
    def owner(self) -> str:
        return self.full_name.partition("/")[0]
