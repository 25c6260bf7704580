"""Programs that talk to other machines."""

import re
from collections.abc import Iterable
from itertools import pairwise

from autofix.harness.bash.deeds import Read, Refuse, Step, Write
from autofix.harness.bash.invocation import Invocation
from autofix.harness.bash.options import scan
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


_LOOPBACK = re.compile(r"(https?://)?(127(\.\d+){3}|localhost|\[::1\]|0\.0\.0\.0)(:\d+)?([/?].*)?")
_CURL_LONG = listed(
    "silent show-error fail include head verbose location request= header= data= data-raw= json= output= write-out= "
    "max-time= connect-timeout= retry= retry-connrefused retry-delay="
)


def _curl(run: Invocation) -> Iterable[Step]:
    """A server that the model has started itself may be talked to: the loopback is all there is."""
    found = scan(run.words, valued="XHdowm", long=_CURL_LONG)
    beyond = found.beyond("sSfiIvLXHdowm", _CURL_LONG)
    data = found.values_of("d", "data", "json", "H", "header")
    local = bool(found.operands) and all(map(_LOOPBACK.fullmatch, found.operands))
    if not local or beyond is not None or any(value.startswith("@") for value in data):
        yield from _client(run)
    yield from (Write(path) for path in found.values_of("o", "output"))


def _getent(run: Invocation) -> Iterable[Step]:
    if run.words[:1] not in {("passwd",), ("group",), ("services",), ("protocols",)}:
        yield Refuse("network", f"a name look-up leaves the machine: {_NETWORK}")


_OPENSSL_CONNECTS = frozenset(listed("s_client s_server s_time ocsp"))


def _openssl(run: Invocation) -> Iterable[Step]:
    if _OPENSSL_CONNECTS.intersection(run.words):
        yield Refuse("network", f"openssl would open a connection: {_NETWORK}")
    for name, value in pairwise(run.words):
        if name in {"-in", "-inkey", "-CAfile", "-kfile"}:
            yield Read(value)
        elif name in {"-out", "-keyout"}:
            yield Write(value)
        elif name in {"-config", "-engine"}:
            yield Refuse("opaque-exec", f"openssl {name} loads code")


TABLE = {
    **dict.fromkeys(_CLIENTS, _client),
    "curl": _curl,
    "getent": _getent,
    "openssl": _openssl,
}
