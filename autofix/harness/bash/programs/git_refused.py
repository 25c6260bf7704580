"""git's commands that are refused whatever their options are, each with the class of the policy and the reason."""

from collections.abc import Mapping

from autofix.harness.bash.tables import listed

PUSH = "git-push-remote"
CONFIG = "git-config-hooks"
DISCARD = "git-discard"
REWRITE = "git-rewrite"
SCOPE = "write-scope"


def _all(commands: str, rule: str, reason: str) -> dict[str, tuple[str, str]]:
    return dict.fromkeys(listed(commands), (rule, reason))


REFUSED: Mapping[str, tuple[str, str]] = {
    **_all(
        "push fetch pull ls-remote remote clone submodule send-pack fetch-pack upload-pack receive-pack http-fetch "
        "http-push remote-http remote-https request-pull send-email imap-send svn p4 cvsimport lfs annex daemon "
        "upload-archive bundle",
        PUSH,
        "only autofix touches the remote, after it has verified the fix",
    ),
    **_all(
        "config var init update-server-info",
        CONFIG,
        "git's configuration may hold a token and may make git run programs",
    ),
    **_all(
        "credential credential-store credential-cache credential-manager",
        "secrets",
        "it prints or stores credentials",
    ),
    **_all(
        "difftool mergetool bisect hook instaweb gui gitk citool web--browse sh-setup",
        CONFIG,
        "it runs other programs",
    ),
    **_all(
        "restore read-tree checkout-index sparse-checkout",
        DISCARD,
        "it throws changes away; edit the file instead",
    ),
    **_all(
        "rebase filter-branch filter-repo update-ref replace prune gc repack pack-refs prune-packed maintenance "
        "commit-tree mktree mktag write-tree fast-import fast-export unpack-objects index-pack commit-graph "
        "multi-pack-index history replay refs",
        REWRITE,
        "it rewrites history or refs; add a plain commit instead",
    ),
    **_all(
        "am merge cherry-pick revert merge-file merge-index merge-one-file merge-tree rerere mv update-index "
        "quiltimport",
        SCOPE,
        "which files it changes is not visible in the command; use Edit",
    ),
}
UNKNOWN = (CONFIG, "it is none of the git commands that are needed here")
