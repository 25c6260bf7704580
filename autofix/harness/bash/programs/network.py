"""Programs that talk to other machines, and package managers, which do so to install."""

import re
from collections.abc import Callable, Iterable

from autofix.harness.bash.deeds import Invoke, Refuse, Starter, Step
from autofix.harness.bash.invocation import Invocation
from autofix.harness.bash.tables import listed

_CLIENTS = listed(
    "curl wget wget2 aria2c axel http https xh httpie nc ncat netcat socat telnet ssh scp sftp slogin rsh rlogin "
    "rcp ftp lftp tftp nslookup dig host drill resolvectl whois ping ping6 traceroute tracepath mtr nmap arping "
    "hping3 fping masscan tcpdump lynx w3m links elinks sendmail mail mailx mutt swaks aws gcloud gsutil az "
    "kubectl helm terraform oc heroku flyctl vercel netlify rclone mc s3cmd restic youtube-dl yt-dlp mosh autossh "
    "sshpass sshfs ssh-keyscan ssh-copy-id iperf iperf3 ab wrk websocat grpcurl irssi telegram-cli svn hg bzr cvs "
    "p4 psql mysql mongo mongosh redis-cli smbclient ldapsearch snmpget nfsstat wormhole croc ngrok cloudflared "
    "tailscale openvpn wg chisel dnscat iodine snap flatpak brew nix-env"
)
_INSTALLERS = listed(
    "apt apt-get aptitude apk dnf yum zypper pacman emerge dpkg rpm conda mamba micromamba pipx easy_install corepack"
)
_NETWORK = "there is no network in the sandbox; use what the repository and the image hold"


def _client(run: Invocation) -> Iterable[Step]:
    if run.words in {("--version",), ("-V",), ("--help",)}:
        return
    yield Refuse("network", f"{run.program} talks to another machine: {_NETWORK}")


def _installer(run: Invocation) -> Iterable[Step]:
    asking = {
        "--version",
        "-V",
        "list",
        "show",
        "search",
        "policy",
        "info",
        "-l",
        "-L",
        "-s",
        "-q",
        "-qa",
        "-W",
        "--list",
        "-ql",
    }
    if not run.words or run.words[0] in asking - {"search"}:
        return
    yield Refuse("network", f"{run.program} installs packages: {_NETWORK}")


def _getent(run: Invocation) -> Iterable[Step]:
    if run.words[:1] not in {("passwd",), ("group",), ("services",), ("protocols",)}:
        yield Refuse("network", f"a name look-up leaves the machine: {_NETWORK}")


def _openssl(run: Invocation) -> Iterable[Step]:
    if any(word in {"s_client", "s_server", "s_time", "ocsp"} for word in run.words):
        yield Refuse("network", f"openssl would open a connection: {_NETWORK}")
    elif any(word in {"-out", "-keyout", "-config", "-engine"} for word in run.words):
        from autofix.harness.bash.deeds import Write

        for name, value in zip(run.words, run.words[1:], strict=False):
            if name in {"-out", "-keyout"}:
                yield Write(value)
            elif name in {"-config", "-engine"}:
                yield Refuse("opaque-exec", f"openssl {name} loads code")


def pip(run: Invocation) -> Iterable[Step]:
    """Pip and what behaves like it: asking is fine, installing is not."""
    words = [word for word in run.words if not word.startswith("-")]
    if "--help" in run.words or "-h" in run.words:
        return
    asking = {"list", "show", "freeze", "check", "help", "inspect", "debug"}
    if words and words[0] not in asking:
        if words[0] == "config":
            yield Refuse("secrets", "pip's configuration may hold a token")
        else:
            yield Refuse("network", f"pip {words[0]} uses the network or changes what is installed: {_NETWORK}")


def _manager(local: str, run_words: str = "", exec_words: str = "") -> Callable[[Invocation], Iterable[Step]]:
    """A project manager: `local` subcommands stay on the machine, `exec_words` run the program that follows."""
    fine, unwrap = set(local.split()), set(exec_words.split())
    scripts = set(run_words.split())

    def table(run: Invocation) -> Iterable[Step]:
        words = list(run.words)
        while words and words[0].startswith("-") and words[0] not in {"--version", "-v", "--help", "-V"}:
            option = words.pop(0)
            if (
                option
                in {"-C", "--prefix", "--dir", "--directory", "--project", "-w", "--workspace", "--filter", "--cwd"}
                and words
            ):
                words.pop(0)
        if words and (words[0] in fine or words[0] in scripts):
            return
        if not words:
            if run.program == "yarn":
                yield Refuse("network", f"{run.program} alone installs packages: {_NETWORK}")
            return
        if words[0] in unwrap:
            inner = words[1:]
            while inner and inner[0].startswith("-") and inner[0] != "--":
                if inner[0] in {"-c", "--call", "--package", "-p", "--with", "--from"}:
                    yield Refuse(
                        "network", f"{run.program} {words[0]} {inner[0]} may fetch or run something unseen: {_NETWORK}"
                    )
                inner.pop(0)
            if inner and inner[0] == "--":
                inner.pop(0)
            if inner:
                yield Invoke(tuple(inner), starter=Starter.PROGRAM)
            return
        yield Refuse("network", f"{run.program} {words[0]} uses the network or changes what is installed: {_NETWORK}")

    return table


def _npx(run: Invocation) -> Iterable[Step]:
    words = list(run.words)
    while words and words[0].startswith("-"):
        if words[0] in {"-p", "--package", "-c", "--call"} or re.match(r"--(package|call)=", words[0]):
            yield Refuse("network", f"{run.program} {words[0]} may fetch or run something unseen: {_NETWORK}")
        words.pop(0)
    if words:
        yield Invoke(tuple(words), starter=Starter.PROGRAM)


_ASK = "--version -v -V --help -h help version list ls ll why explain root bin prefix"

TABLE = {
    **dict.fromkeys(_CLIENTS, _client),
    **dict.fromkeys(_INSTALLERS, _installer),
    "getent": _getent,
    "openssl": _openssl,
    "pip": pip,
    "npm": _manager(_ASK, "test t tst run run-script start build", "exec x"),
    "yarn": _manager(f"{_ASK} test run start build lint check typecheck format:check", "", "exec"),
    "pnpm": _manager(f"{_ASK} test t run start build lint typecheck", "", "exec"),
    "bun": _manager(f"{_ASK} test run build", "", "x"),
    "npx": _npx,
    "bunx": _npx,
    "poetry": _manager("--version -V show check env version list about", "", "run"),
    "pipenv": _manager("--version --venv --where graph", "", "run"),
    "pdm": _manager("--version -V list show info", "", "run"),
    "hatch": _manager("--version version env test status", "", "run"),
    "uv": _manager("--version version tree", "", "run"),
    "uvx": lambda run: [Refuse("network", f"uvx fetches a program to run it: {_NETWORK}")],
    "rye": _manager("--version show list test lint", "", "run"),
    "bundle": _manager("--version -v show list info check", "", "exec"),
    "gem": _manager("--version -v list environment which contents specification"),
    "composer": _manager("--version -V show validate", "test run-script", "exec"),
    "twine": _client,
    "nix": _client,
    "nuget": _client,
}
