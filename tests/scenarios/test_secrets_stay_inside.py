"""I1, G5 to G8: with canaries in the caller's environment, nothing a run shows, keeps, sends or starts holds one."""

import base64
import codecs
import os
from pathlib import Path

import pytest

from tests.fakes.anthropic_server import Turn, call
from tests.scenarios.canaries import Watch, canaries, files_below, leaks, packed
from tests.scenarios.scene import LONG, MEASURE, Scene, bash, end, fix, hooks_allow, picture

PROBE = '''"""Shows and keeps everything that code of the pull request can see."""

import glob
import os
from pathlib import Path

from shop.sums import add

PLACES = [os.environ.get("HOME", "/"), "/tmp", "/run", "/root", "/home", "/github", "/var/run", ".git"]


def content(path):
    try:
        return Path(path).read_bytes()[:65536].decode("utf-8", "replace") if os.path.isfile(path) else ""
    except OSError:
        return ""


def everything():
    seen = [repr(dict(os.environ))]
    for name in ("environ", "cmdline", "status", "mountinfo"):
        seen += [content(path) for path in glob.glob(f"/proc/[0-9]*/{name}")]
    for place in PLACES:
        for folder, folders, names in os.walk(place):
            folders[:] = [name for name in folders if name not in {"lib", "versions", "objects"}]
            seen += [content(os.path.join(folder, name)) for name in names]
    return "\\n".join(seen)


def test_probe():
    said = everything()
    Path("probe.txt").write_text(said)
    print(said[:100_000])
    assert add(2, 3) == 5, said[:100_000]
'''


def test_the_search_for_leaks_finds_each_encoding():
    """A search that finds nothing proves nothing, unless it would have found it."""
    for secret in canaries().values():
        raw = secret.encode()
        given = {
            "raw": raw,
            "base64 at 0": base64.b64encode(raw + b"more"),
            "base64 at 1": base64.b64encode(b"a" + raw + b"more"),
            "base64 at 2": base64.b64encode(b"ab" + raw + b"more"),
            "base32": base64.b32encode(raw),
            "hex": raw.hex().encode(),
            "url": b"".join(b"%%%02X" % byte for byte in raw),
            "reversed": raw[::-1],
            "rot13": codecs.encode(secret, "rot13").encode(),
            "gzip and base64": packed(secret),
            "without punctuation": bytes(byte for byte in raw if chr(byte).isalnum()),
            "a piece": raw[7:19],
        }
        assert len(given) == 12
        for name, text in given.items():
            assert name in leaks(b"before " + text + b" after", secret)
        assert leaks(b"nothing " + os.urandom(4096), secret) == set()


def test_canaries_leave_by_no_exit(walled: Scene):
    scene, values = walled, canaries()
    scene.key = values["ANTHROPIC_API_KEY"]
    scene.environment = {name: value for name, value in values.items() if name != "ANTHROPIC_API_KEY"}
    scene.branch(head={"tests/test_probe.py": PROBE})
    seen_by_remote = scene.directory / "seen-by-remote"
    looked_at = scene.directory / "looked-at"
    _hook(
        scene.remote,
        "pre-receive",
        f"cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline > '{seen_by_remote}' 2>/dev/null\n"
        f"for _ in $(seq 200); do [ -e '{looked_at}' ] && break; sleep 0.1; done",
    )
    watches: list[Watch] = []
    probes: list[bytes] = []

    def model(body: dict) -> Turn:
        watches[0].look(f"request {len(body['messages'])}")
        if len(body["messages"]) == 1:
            watches[0].keep_looking()
        probes.append((scene.runs[0] / "trees/attempt-1/probe.txt").read_bytes())
        if len(body["messages"]) == 1:
            tries = [call("Read", file_path="/proc/self/environ"), call("Grep", pattern="sk-ant", path="/proc/self")]
            return Turn([*tries, bash("env"), bash("cat /proc/*/environ"), MEASURE])
        if len(body["messages"]) == 3:
            return Turn([bash("python -m pytest -q tests/test_probe.py")])
        return Turn([fix("add"), MEASURE])

    server = scene.serve(model)
    process = scene.started(server)
    watches.append(Watch(process.pid, asked=seen_by_remote, answered=looked_at))
    try:
        out, err = process.communicate(timeout=LONG)
    finally:
        watches[0].stop()
        end(process)

    assert process.returncode == 0, err
    assert '"outcome": "fixed"' in out
    watch = watches[0]
    assert "in between" in watch.points
    assert "while somebody waits" in watch.points, "the push was looked at while it held the token"
    assert {point for point in watch.points if point.startswith("request")} == {"request 1", "request 3", "request 5"}
    assert len(watch.processes) > 1, "children were looked at, too"
    assert any(b"git" in text and b"\0push\0" in text for text in watch.texts)
    assert len(probes[0]) > 1000
    assert seen_by_remote.stat().st_size > 1000
    log = scene.user.git("--git-dir", str(scene.remote), "log", "-p", "--all", "--format=raw").encode()
    exits = {
        "stdout": out.encode(),
        "stderr": err.encode(),
        "the remote": log,
        "the remote's hook": seen_by_remote.read_bytes(),
        **{f"request {number}": body for number, body in enumerate(server.raw_bodies)},
        **{f"inside the sandbox {number}": probe for number, probe in enumerate(probes)},
        **{f"process {number}": text for number, text in enumerate(watch.texts)},
        **{str(path): content for path, content in files_below(scene.state)},
    }
    for name, value in values.items():
        for where, content in exits.items():
            assert not leaks(content, value), f"{name} in {where}"
    for headers in server.headers:
        assert headers.pop("authorization") == f"Bearer {scene.key}"
        assert not leaks(repr(headers).encode(), scene.key)


def _hook(repository: Path, name: str, script: str) -> None:
    path = repository / "hooks" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\nexit 0\n")
    path.chmod(0o755)


PRECIOUS = "precious beyond the tree\n"
FORBIDDEN = (
    "/etc/passwd",
    "/proc/self/environ",
    "/proc/1/environ",
    "/proc/self/root/etc/passwd",
    "/proc/thread-self/root/etc/passwd",
    "../../journal.jsonl",
    "../../../../../outside/precious.txt",
    "shop/../../../journal.jsonl",
    "{outside}/precious.txt",
    "{tree}-evil/precious.txt",
    "{tree}/../attempt-1-evil/precious.txt",
    "{tree}/../../journal.jsonl",
    "out",
    "outdir/precious.txt",
    "chain/precious.txt",
    "outdir/../outside/precious.txt",
    ".git/config",
    ".GIT/config",
    ".git./config",
    ".git /config",
    "shop/../.git/config",
    ".git/hooks/pre-commit",
    ".g\u200cit/config",
    "git~1/config",
)
TOOLS = {
    "Read": lambda path: call("Read", file_path=path),
    "Grep": lambda path: call("Grep", pattern=".", path=path, output_mode="content"),
    "Glob": lambda path: call("Glob", pattern="*", path=path),
    "Edit": lambda path: call("Edit", file_path=path, old_string="precious", new_string="mine"),
    "Write": lambda path: call("Write", file_path=path, content="mine"),
}


@pytest.mark.parametrize("forced", [False, True], ids=["with the gate", "gate and hook forced to allow"])
def test_no_file_tool_leaves_the_tree(scene: Scene, forced: bool, request: pytest.FixtureRequest):
    """G6: 24 paths by five tools."""
    if forced:
        request.getfixturevalue("gate_allows")
    outside = scene.directory / "outside"
    outside.mkdir()
    (outside / "precious.txt").write_text(PRECIOUS)
    for name, target in (("out", outside / "precious.txt"), ("outdir", outside), ("chain", "outdir")):
        (scene.user.path / name).symlink_to(target)
    scene.branch()
    tools, before = list(TOOLS.values()), []

    def model(body: dict) -> Turn:
        asked = len(body["messages"]) // 2
        tree = scene.runs[0] / "trees" / "attempt-1"
        if not asked:
            evil = Path(f"{tree}-evil")
            evil.mkdir()
            (evil / "precious.txt").write_text(PRECIOUS)
            before.extend([picture(tree), picture(evil)])
        if asked == len(tools):
            before.extend([picture(tree), picture(Path(f"{tree}-evil"))])
            return Turn([fix("add"), MEASURE])
        return Turn([tools[asked](path.format(outside=outside, tree=tree)) for path in FORBIDDEN])

    played = scene.run(model, doors=hooks_allow if forced else lambda world: world)

    assert played.outcome == "fixed"
    results = [
        block
        for message in played.server.bodies[-1]["messages"][1:]
        if message["role"] == "user"
        for block in message["content"]
        if block["type"] == "tool_result"
    ]
    assert len(results) == 120
    cases = [(tool, path) for tool in TOOLS for path in FORBIDDEN]
    reached = [case for case, block in zip(cases, results, strict=True) if not block.get("is_error")]
    assert reached == []
    said = repr(results)
    assert "precious beyond" not in said
    assert "root:" not in said
    assert before[:2] == before[2:]
    assert (outside / "precious.txt").read_text() == PRECIOUS
    assert len(played.result["denials"]) == (0 if forced else 120)
