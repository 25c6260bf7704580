"""Other users, other processes, the machine itself."""

import re
from collections.abc import Iterable

from autofix.harness.bash.deeds import Refuse, Step
from autofix.harness.bash.invocation import Invocation
from autofix.harness.bash.tables import listed
from autofix.harness.bash.values import OWN_PROCESS

_PRIVILEGE = listed(
    "sudo sudoedit su doas pkexec runuser sg newgrp newuidmap newgidmap setpriv capsh setcap getpcaps unshare "
    "nsenter chroot pivot_root mount umount swapon swapoff losetup docker dockerd podman buildah skopeo nerdctl "
    "ctr crictl runc crun containerd lxc lxd incus machinectl systemd-run systemctl service loginctl "
    "systemd-nspawn bwrap bubblewrap firejail fakeroot fakechroot proot useradd usermod userdel groupadd passwd "
    "chpasswd chage visudo vipw insmod modprobe rmmod sysctl iptables nft ip6tables ufw ifconfig route brctl tc "
    "setenforce apparmor_parser auditctl reboot shutdown halt poweroff init telinit mkfs fdisk parted sfdisk "
    "wipefs mkswap cryptsetup debugfs gdb lldb gcore perf bpftrace bpftool gpg gpg2 ssh-agent ssh-add ssh-keygen "
    "keyctl secret-tool pass act dbus-send busctl hostnamectl timedatectl hwclock"
)
_LATER = listed(
    "at batch crontab atd cron systemd-cron daemonize start-stop-daemon screen tmux zellij dtach inotifywait entr"
)
_STARTED = Refuse("process-kill", "only a process that this same command started may be signalled")


def _privileged(run: Invocation) -> Iterable[Step]:
    yield Refuse("privilege", f"{run.program} changes rights, users or the machine; nothing here needs that")


def _later(run: Invocation) -> Iterable[Step]:
    yield Refuse("opaque-exec", f"{run.program} runs something outside this command; run it here")


def _kill(run: Invocation) -> Iterable[Step]:
    words = list(run.words)
    if words and re.fullmatch(r"-l|-L|--list(=.*)?|--table", words[0]):
        return
    probing = False
    if len(words) > 1 and words[0].startswith("-") and words[0] != "--":  # at most one signal; a further -N is a target
        option = words.pop(0)
        if option in {"-s", "-n", "--signal"}:
            probing = words[0] == "0"
            del words[0]
        probing = probing or option in {"-0", "--signal=0", "-s0", "-n0"}
    if words and words[0] == "--":
        words.pop(0)
    for target in words:
        own = re.fullmatch(rf"-?{OWN_PROCESS}|%[\w+-]*", target)
        if not own and not (probing and not target.startswith("-")):
            yield _STARTED


def _by_name(run: Invocation) -> Iterable[Step]:
    yield Refuse(
        "process-kill", f"{run.program} signals processes by name; kill the one this command started by its id"
    )


def _fuser(run: Invocation) -> Iterable[Step]:
    if any(re.fullmatch(r"-[a-zA-Z]*k[a-zA-Z]*|--kill", word) for word in run.words):
        yield from _by_name(run)


def _ps(run: Invocation) -> Iterable[Step]:
    """BSD's `e` shows environments; `-e` means every process."""
    for position, word in enumerate(run.words):
        bsd = not word.startswith("-") and not (
            position
            and run.words[position - 1]
            in {
                "-o",
                "-p",
                "-u",
                "-U",
                "-C",
                "-t",
                "-g",
                "-O",
                "--pid",
                "--ppid",
                "--sort",
                "o",
                "-eo",
                "-Ao",
                "-axo",
                "axo",
            }
        )
        if (
            (bsd and re.fullmatch(r"[a-zA-Z]+", word) and "e" in word)
            or "environ" in word.lower()
            or re.fullmatch(r"-[a-zA-Z]*E[a-zA-Z]*", word)
        ):
            yield Refuse("secrets", "ps e shows the environments of processes")


def _hostname(run: Invocation) -> Iterable[Step]:
    if any(not word.startswith("-") for word in run.words):
        yield from _privileged(run)


def _ip(run: Invocation) -> Iterable[Step]:
    if any(word in {"set", "add", "del", "delete", "replace", "netns", "flush", "exec"} for word in run.words):
        yield from _privileged(run)


def _nothing(_run: Invocation) -> Iterable[Step]:
    return ()


TABLE = {
    **dict.fromkeys(_PRIVILEGE, _privileged),
    **dict.fromkeys(_LATER, _later),
    "kill": _kill,
    **dict.fromkeys(listed("pkill killall killall5 skill snice xkill slay"), _by_name),
    "fuser": _fuser,
    "ps": _ps,
    "hostname": _hostname,
    "ip": _ip,
    **dict.fromkeys(listed("top ss netstat dmesg journalctl"), _nothing),
}
