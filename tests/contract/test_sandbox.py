"""What every room promises, asked of each: one suite, three rooms."""

from __future__ import annotations

import os
import shlex
import signal
import stat
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from autofix.errors import SandboxBroken, SandboxUnavailable, UsageError
from autofix.ports.sandbox import MIB, CommandResult, Room, Sandbox, SandboxSpec, ShellCommand
from tests.contract.rooms_here import EVERY_ROOM, WALLED_ROOMS, forget_images, room_or_skip

ROOM_NAMES = {"PATH", "HOME", "TMPDIR", "LANG", "CI"}
BASH_NAMES = {"PWD", "SHLVL", "_", "OLDPWD"}
LONG = 30.0  # seconds: more than any command here needs on a loaded machine
BEATS = 0.3  # seconds in which a living `beating` script would have written again several times


@dataclass
class Place:
    room: Room
    sandbox: Sandbox
    tree: Path

    def run(self, script: str, timeout: float = LONG, **more) -> CommandResult:
        return self.sandbox.run(ShellCommand(script, timeout, **more))

    def out(self, script: str) -> str:
        result = self.run(script)
        assert result.exit_code == 0, result.text
        return result.text


RUN = f"contract-{uuid.uuid4().hex}"


def spec(**changes) -> SandboxSpec:
    return SandboxSpec(run_id=RUN, **changes)


@pytest.fixture(scope="module", params=EVERY_ROOM)
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    room = room_or_skip(request.param)
    tree = tmp_path_factory.mktemp("tree")
    (tree / "hello.txt").write_text("hello\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AUTOFIX_CANARY", "canary-in-the-environment")
        sandbox = room.open(spec(environment={"GIVEN": "by the check"}, file_bytes=8 * MIB), tree)
        try:
            yield Place(room, sandbox, tree)
        finally:
            sandbox.close()


@pytest.fixture(params=EVERY_ROOM)
def room(request: pytest.FixtureRequest) -> Iterator[Room]:
    room = room_or_skip(request.param)
    yield room
    if room.name == "docker":
        forget_images(RUN)


# --- exit codes


@pytest.mark.parametrize("code", [0, 1, 2, 7, 126, 127, 255])
def test_the_exit_code_is_the_scripts_own(place: Place, code: int):
    assert place.run(f"exit {code}").exit_code == code


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGSEGV, signal.SIGINT])
def test_a_script_ended_by_a_signal_reports_128_and_its_number(place: Place, number: int):
    assert place.run(f"kill -{int(number)} $$; sleep 1").exit_code == 128 + number


def test_a_program_that_is_not_there_is_127(place: Place):
    result = place.run("no-such-program-anywhere")
    assert result.exit_code == 127
    assert "no-such-program-anywhere" in result.text


@pytest.mark.parametrize("script", ["if then", "echo 'open", "((", "cat <<EOF"], ids=["if", "quote", "parens", "here"])
def test_a_script_that_does_not_parse_is_a_failed_command_at_most(place: Place, script: str):
    place.run(script)
    assert place.out("echo fine") == "fine\n"


# --- what a script sees


def test_a_script_starts_at_the_trees_root_and_sees_the_tree(place: Place):
    assert place.out("pwd -P; cat hello.txt").splitlines() == [place.sandbox.root, "hello"]


def test_a_command_sees_the_rooms_few_names_and_what_it_was_given_and_nothing_else(place: Place):
    lines = place.run("env", environment={"ALSO": "this one"}).text.splitlines()
    seen = dict(line.split("=", 1) for line in lines)
    assert seen.keys() - BASH_NAMES == ROOM_NAMES | {"GIVEN", "ALSO"}
    assert (seen["GIVEN"], seen["ALSO"], seen["CI"]) == ("by the check", "this one", "true")
    assert seen["HOME"] == seen["TMPDIR"] == place.sandbox.scratch


def test_a_commands_own_variable_is_gone_for_the_next(place: Place):
    place.run("true", environment={"ONCE": "x"})
    assert place.out("echo ${ONCE-gone}") == "gone\n"


@pytest.mark.parametrize("value", ["", " ", "a'b\"c", "$(id)`id`", "line\nline", "ä€😀", "\\n\\0101", "*"])
def test_a_variables_value_arrives_as_it_is(place: Place, value: str):
    assert place.run('printf %s "$VALUE"', environment={"VALUE": value}).text == value


@pytest.mark.parametrize("name", ["", "1X", "A-B", "A=B", "A B", "A\nB", "A;id"])
def test_a_name_no_shell_can_set_is_refused(place: Place, name: str):
    with pytest.raises(UsageError, match="environment variable"):
        place.run("true", environment={name: "x"})


def test_the_harness_environment_is_not_inherited(place: Place):
    assert "canary" not in place.out("env")


def test_standard_input_is_empty(place: Place):
    assert place.out("cat | wc -c").strip() == "0"


def test_what_a_command_writes_to_the_tree_is_there_for_the_harness(place: Place):
    place.out("mkdir -p made && printf data > made/file && chmod +x made/file")
    made = place.tree / "made" / "file"
    assert made.read_bytes() == b"data"
    assert made.stat().st_mode & stat.S_IXUSR


def test_what_the_harness_writes_to_the_tree_is_there_for_the_command(place: Place):
    (place.tree / "given.txt").write_text("from the harness")
    assert place.out("cat given.txt") == "from the harness"


# --- scripts of every shape

EVERY_BYTE = bytes(range(1, 256))
SCRIPTS = {
    "newlines": ("echo a\n\necho b\n", b"a\nb\n"),
    "quotes": ("""echo "it's" '"' $'\\''""", b"it's \" '\n"),
    "backslashes": (r"printf '%s' '\n\\\0101%b'", rb"\n\\\0101%b"),
    "here-document": ("cat <<'EOF'\n$HOME `id` \\\n\tx\nEOF\n", b"$HOME `id` \\\n\tx\n"),
    "leading blank": ("   echo x", b"x\n"),
    "comment only": ("# nothing", b""),
    "empty": ("", b""),
    "carriage return": ("printf '%s' 'a\rb'", b"a\rb"),
    "every byte": (
        "printf '%s' " + shlex.quote(EVERY_BYTE.decode("utf-8", "surrogateescape")),
        EVERY_BYTE,
    ),
    "a hundred kilobytes": ("printf '%s' '" + "é\n" * 33_000 + "'", ("é\n" * 33_000).encode()),
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_bytes_that_were_judged_are_the_bytes_that_run(place: Place, name: str):
    script, output = SCRIPTS[name]
    result = place.run(script)
    assert (result.exit_code, result.head, result.tail) == (0, output, b"")


@pytest.mark.parametrize("script", ["echo a\0b", "x" * 200_000], ids=["a NUL", "longer than an argument may be"])
def test_a_script_no_shell_can_take_is_a_failed_command(place: Place, script: str):
    assert place.run(script).exit_code != 0
    assert place.out("echo fine") == "fine\n"


# --- output


def test_standard_output_and_error_come_merged_in_order(place: Place):
    assert place.out("echo 1; echo 2 >&2; echo 3; echo 4 >&2") == "1\n2\n3\n4\n"


def test_output_without_a_newline_at_its_end_stays_so(place: Place):
    assert place.run("printf abc").head == b"abc"


def test_a_long_output_keeps_its_head_and_its_tail(place: Place):
    result = place.run("seq 1 100000", output_limit=2000)
    assert result.output_bytes == 588_895
    assert len(result.head) + len(result.tail) == 2000
    assert result.head.startswith(b"1\n2\n")
    assert result.tail.endswith(b"\n99999\n100000\n")


def test_an_output_of_exactly_the_limit_is_kept_whole(place: Place):
    result = place.run("head -c 2000 /dev/zero", output_limit=2000)
    assert (result.head, result.tail, result.output_bytes) == (bytes(2000), b"", 2000)


def test_a_hundred_megabytes_are_counted_and_not_kept(place: Place):
    result = place.run("head -c 100000000 /dev/zero", output_limit=MIB)
    assert result.output_bytes == 100_000_000
    assert len(result.head) + len(result.tail) <= MIB
    assert result.exit_code == 0


def test_output_that_looks_like_an_end_mark_is_output(place: Place):
    mark = "\x1e" + "0" * 32 + " 0\n"
    assert place.run(f"printf '%s' {shlex.quote(mark)}; exit 9").head == mark.encode()


# --- time


@pytest.mark.parametrize(
    "script",
    [
        "sleep 600",
        "trap '' TERM INT HUP; while :; do sleep 600; done",
        "while :; do :; done",
        "yes",
        "setsid --wait sleep 600",
        "exec >/dev/null 2>&1 </dev/null; sleep 600",
    ],
    ids=["sleep", "ignores TERM", "busy", "endless output", "own session", "closed output"],
)
def test_a_command_past_its_time_is_ended_and_the_sandbox_goes_on(place: Place, script: str):
    result = place.run(script, timeout=0.5)
    assert result.timed_out
    assert place.out("echo fine") == "fine\n"


def test_output_before_the_end_of_time_is_kept(place: Place):
    result = place.run("echo so far; sleep 600", timeout=1.0)
    assert (result.timed_out, result.head) == (True, b"so far\n")


# --- nothing stays

BEATING = "while :; do echo beat >> {file}; sleep 0.02; done"
DAEMONS = {
    "background": "({loop}) &",
    "nohup": "nohup sh -c {quoted} >/dev/null 2>&1 &",
    "new session": "setsid sh -c {quoted} &",
    "twice forked": "( (setsid sh -c {quoted} >/dev/null 2>&1 </dev/null &) & )",
    "ignores every signal it can": "(trap '' HUP INT QUIT TERM; {loop}) & disown",
    "without the sandbox's variables": "setsid env -i /bin/sh -c {quoted} >/dev/null 2>&1 &",
}


def is_beating(file: Path) -> bool:
    before = file.stat().st_size
    time.sleep(BEATS)
    return file.stat().st_size != before


def start_daemon(kind: str, file: Path) -> str:
    """A script that starts one and waits until it lives."""
    loop = BEATING.format(file=file.name)
    return (
        f"{DAEMONS[kind].format(loop=loop, quoted=shlex.quote(loop))}\nuntil [ -s {file.name} ]; do sleep 0.01; done\n"
    )


@pytest.mark.parametrize("kind", DAEMONS)
def test_what_a_command_leaves_running_is_ended_with_it(place: Place, kind: str):
    file = place.tree / f"beats-{len(kind)}"
    assert place.run(start_daemon(kind, file)).exit_code == 0
    assert not is_beating(file)


@pytest.mark.parametrize("kind", ["background", "twice forked"])
def test_what_a_command_past_its_time_left_running_is_ended_too(place: Place, kind: str):
    file = place.tree / f"late-beats-{len(kind)}"
    assert place.run(start_daemon(kind, file) + "sleep 600", timeout=1.5).timed_out
    assert not is_beating(file)


CARRIED_OVER = {
    "function": ("leaked() { echo leaked; }; export -f leaked", "leaked 2>/dev/null || echo clean"),
    "alias": (
        "shopt -s expand_aliases; alias leaked='echo leaked'",
        "shopt -s expand_aliases\nleaked 2>/dev/null || echo clean",
    ),
    "variable": ("export LEAKED=leaked; LEAKED_TOO=leaked", "echo ${LEAKED:-${LEAKED_TOO:-clean}}"),
    "trap": ("trap 'echo leaked' EXIT DEBUG; true", "echo clean"),
    "directory": ("mkdir -p below && cd below", '[ "$PWD" = "$ROOT" ] && echo clean'),
    "options": ("set -eu -o pipefail; umask 000", "false; echo $UNSET_VARIABLE; umask | grep -qv 0000 && echo clean"),
}


@pytest.mark.parametrize("kind", CARRIED_OVER)
def test_nothing_defined_in_one_call_is_alive_in_the_next(place: Place, kind: str):
    first, second = CARRIED_OVER[kind]
    place.run(first)
    result = place.run(second, environment={"ROOT": place.sandbox.root})
    assert result.text.strip() == "clean"


def test_shell_start_files_planted_by_a_command_are_not_read(place: Place):
    place.out('for f in .bashrc .bash_profile .profile .bash_env; do echo "echo planted" > "$HOME/$f"; done')
    assert place.out("echo clean") == "clean\n"


def test_a_command_that_kills_all_it_can_ends_itself_and_not_the_sandbox(place: Place):
    if place.room.name == "host":
        pytest.skip("the host room has no walls: this would end the tests")
    place.run("kill -9 -1; sleep 600", timeout=2.0)
    assert place.out("echo fine") == "fine\n"


# --- limits


def test_a_file_past_the_limit_is_not_written(place: Place):
    result = place.run("head -c 64M /dev/zero > big")
    assert result.exit_code != 0
    assert (place.tree / "big").stat().st_size <= 8 * MIB
    (place.tree / "big").unlink()


def test_no_core_is_dumped(place: Place):
    assert place.out("ulimit -c").strip() == "0"


# --- scratch


def test_a_file_in_scratch_is_read_back_byte_for_byte(place: Place):
    place.out("""printf '\\0\\036x\\r\\n\\377' > "$TMPDIR/report.bin" """)
    assert place.sandbox.read("report.bin", MIB) == b"\0\x1ex\r\n\xff"


def test_scratch_is_read_up_to_the_limit(place: Place):
    place.out('mkdir -p "$TMPDIR/deep er" && head -c 5000000 /dev/zero > "$TMPDIR/deep er/zeros"')
    assert place.sandbox.read("deep er/zeros", 4_000_000) == bytes(4_000_000)


def test_scratch_outlives_a_command_and_lies_outside_the_tree(place: Place):
    place.out('echo kept > "$TMPDIR/kept"')
    assert place.out(f"cat {shlex.quote(place.sandbox.scratch)}/kept") == "kept\n"
    assert not any(path.name == "kept" for path in place.tree.rglob("*"))


def test_a_removed_file_is_gone_and_removing_it_again_does_nothing(place: Place):
    place.out('echo x > "$TMPDIR/stale"')
    place.sandbox.remove("stale")
    assert place.sandbox.read("stale", MIB) is None
    place.sandbox.remove("stale")


HOSTILE_FILES = {
    "a link to a file": ("ln -s /etc/passwd {}", "{}"),
    "a link to a directory": ("ln -s /etc {}", "{}/passwd"),
    "a link upwards": ("ln -s .. {}", "{}/etc/passwd"),
    "a FIFO": ("mkfifo {}", "{}"),
    "a directory": ("mkdir {}", "{}"),
    "a device": ("ln -s /dev/zero {}", "{}"),
    "not there": ("true {}", "{}"),
}


@pytest.mark.parametrize("kind", HOSTILE_FILES)
def test_only_a_regular_file_reached_without_links_is_read(place: Place, kind: str):
    make, path = HOSTILE_FILES[kind]
    name = kind.replace(" ", "-")
    place.out(f'cd "$TMPDIR" && {make.format(name)}')
    assert place.sandbox.read(path.format(name), 1000) is None


@pytest.mark.parametrize("path", ["", "/etc/passwd", "../../etc/passwd", "a/../../etc/passwd", "..", "x\0y", "$(id)"])
def test_a_path_that_leaves_scratch_is_neither_read_nor_removed(place: Place, path: str):
    assert place.sandbox.read(path, 1000) is None
    place.sandbox.remove(path)


def test_removing_through_a_link_removes_nothing_outside(place: Place):
    (place.tree / "precious").write_text("x")
    place.out(f'ln -s {shlex.quote(place.sandbox.root)} "$TMPDIR/way-out"')
    place.sandbox.remove("way-out/precious")
    assert (place.tree / "precious").exists()


# --- opening and closing


def test_closing_twice_is_safe_and_a_closed_sandbox_runs_nothing(room: Room, tmp_path: Path):
    sandbox = room.open(spec(), tmp_path)
    sandbox.close()
    sandbox.close()
    with pytest.raises(SandboxBroken, match="closed"):
        sandbox.run(ShellCommand("touch ran", LONG))
    assert not (tmp_path / "ran").exists()


def test_two_sandboxes_share_neither_tree_nor_scratch(room: Room, tmp_path: Path):
    trees = [tmp_path / "one", tmp_path / "two"]
    for tree in trees:
        tree.mkdir()
    first, second = (room.open(spec(), tree) for tree in trees)
    try:
        first.run(ShellCommand('echo x > "$TMPDIR/mine"; echo x > mine', LONG))
        assert second.read("mine", 10) is None
        assert second.run(ShellCommand("ls -A . $TMPDIR", LONG)).text.count("mine") == 0
    finally:
        first.close()
        second.close()


def test_a_tree_that_is_not_there_cannot_be_opened(room: Room, tmp_path: Path):
    with pytest.raises(SandboxUnavailable, match="no directory"):
        room.open(spec(), tmp_path / "missing")


def test_a_setup_command_leaves_its_work_in_the_tree(room: Room, tmp_path: Path):
    room.prepare(spec(setup_command='mkdir out && echo "built in $PWD" > out/log'), tmp_path)
    assert (tmp_path / "out" / "log").read_text().startswith("built in ")


def test_no_setup_command_means_no_setup(room: Room, tmp_path: Path):
    room.prepare(spec(), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_failing_setup_says_so_with_its_last_lines(room: Room, tmp_path: Path):
    with pytest.raises(SandboxBroken, match=r"exit code 3[\s\S]*line 40$") as caught:
        room.prepare(spec(setup_command="for i in $(seq 40); do echo line $i; done; exit 3"), tmp_path)
    assert "line 10\n" not in str(caught.value)


def test_a_setup_past_its_time_says_so(room: Room, tmp_path: Path):
    with pytest.raises(SandboxBroken, match=r"did not end within 0\.5 s"):
        room.prepare(spec(setup_command="sleep 600", setup_timeout=0.5), tmp_path)


# --- walls


@pytest.fixture(params=WALLED_ROOMS)
def walled(request: pytest.FixtureRequest) -> Room:
    return room_or_skip(request.param)


def test_neither_a_secret_variable_nor_a_hidden_file_is_seen_from_inside(
    walled: Room, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    canary = "canary-8c1f2e"
    secrets = tmp_path / "secrets"
    tree = tmp_path / "tree"
    for directory in (secrets, tree):
        directory.mkdir(mode=0o755)
    (secrets / "token").write_text(canary)
    monkeypatch.setenv("AUTOFIX_CANARY", canary)
    sandbox = walled.open(spec(hidden=(secrets,)), tree)
    try:
        search = (
            f"env; cat /proc/*/environ /proc/*/cmdline {secrets}/token /proc/1/root{secrets}/token 2>/dev/null; true"
        )
        found = sandbox.run(ShellCommand(search, LONG))
    finally:
        sandbox.close()
    assert found.exit_code == 0
    assert canary not in found.text


def test_a_command_is_not_root_and_cannot_become_it(walled: Room, tmp_path: Path):
    sandbox = walled.open(spec(), tmp_path)
    try:
        facts = sandbox.run(ShellCommand("id -u; grep -E '^(CapEff|CapPrm|NoNewPrivs)' /proc/self/status", LONG)).text
    finally:
        sandbox.close()
    lines = facts.split()
    assert lines[0] != "0"
    assert lines[1:] == ["CapPrm:", "0" * 16, "CapEff:", "0" * 16, "NoNewPrivs:", "1"]


def test_nothing_outside_the_tree_and_scratch_can_be_written(walled: Room, tmp_path: Path):
    sandbox = walled.open(spec(), tmp_path)
    places = "/ /etc /usr /usr/bin /bin /lib /root /home /run /opt /var /proc/sys/kernel /sys /boot"
    try:
        script = f"for d in {places}; do echo x 2>/dev/null > $d/planted && echo wrote $d; done; true"
        assert sandbox.run(ShellCommand(script, LONG)).text.count("wrote") == 0
    finally:
        sandbox.close()


def test_a_hard_linked_file_of_a_shared_store_stays_ours(walled: Room, tmp_path: Path):
    """A work tree's git objects may be the store's own inodes: handing the tree over must not hand those over."""
    if os.geteuid() != 0:
        pytest.skip("only root hands trees over")
    store, tree = tmp_path / "store", tmp_path / "tree"
    store.mkdir()
    tree.mkdir()
    (store / "object").write_text("precious")
    (tree / "object").hardlink_to(store / "object")
    sandbox = walled.open(spec(), tree)
    try:
        sandbox.run(ShellCommand("chmod u+w object; echo broken > object; true", LONG))
    finally:
        sandbox.close()
    assert (store / "object").read_text() == "precious"
