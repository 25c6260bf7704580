"""Programs that talk to other machines."""

from collections.abc import Iterable
from itertools import pairwise

from autofix.harness.bash.deeds import Refuse, Step, Write
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
_NETWORK = "there is no network in the sandbox; use what the repository and the image hold"


def _client(run: Invocation) -> Iterable[Step]:
    if run.words in {("--version",), ("-V",), ("--help",)}:
        return
    yield Refuse("network", f"{run.program} talks to another machine: {_NETWORK}")


def _getent(run: Invocation) -> Iterable[Step]:
    if run.words[:1] not in {("passwd",), ("group",), ("services",), ("protocols",)}:
        yield Refuse("network", f"a name look-up leaves the machine: {_NETWORK}")


_OPENSSL_CONNECTS = frozenset(listed("s_client s_server s_time ocsp"))


def _openssl(run: Invocation) -> Iterable[Step]:
    if _OPENSSL_CONNECTS.intersection(run.words):
        yield Refuse("network", f"openssl would open a connection: {_NETWORK}")
    for name, value in pairwise(run.words):
        if name in {"-out", "-keyout"}:
            yield Write(value)
        elif name in {"-config", "-engine"}:
            yield Refuse("opaque-exec", f"openssl {name} loads code")


TABLE = {
    **dict.fromkeys(_CLIENTS, _client),
    "getent": _getent,
    "openssl": _openssl,
}
