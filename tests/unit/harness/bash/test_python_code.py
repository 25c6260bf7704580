"""Python is read by its syntax tree: what acts is found under every name, and what only computes is let be."""

import pytest

from autofix.harness.bash.deeds import Delete, Invoke, MakeDirectory, Play, Read, Refuse, Write
from autofix.harness.bash.python_code import python_steps
from autofix.harness.bash.values import ANY


def told(code):
    return [step.rule if isinstance(step, Refuse) else step for step in python_steps(code)]


@pytest.mark.parametrize(
    "code",
    [
        "print('rm -rf /')",
        "import os; print(os.getcwd(), os.path.join('a', 'b'))",
        "x = 'a-b'.replace('-', '+'); print(x)",
        "import re; print(re.compile('a').findall('aa'))",
        "from collections import Counter; print(Counter('aab'))",
        "import requests; print(requests.__version__)",
        "import socket; print(socket.gethostname())",
        "import os; print(os.environ['HOME'], os.environ.get('PATH'), 'CI' in os.environ)",
        "import os; os.environ['X'] = '1'",
        "f = lambda x: x + 1; print((lambda y: y)(f(1)))",
        "d = {'rename': 1}; print(d.get('rename'), [1, 2].remove)",
        "import importlib; importlib.import_module('app.calc')",
        "print(eval('1 + 1'))",
        "getattr(object(), 'name', None)",
        "print('/root/.netrc')",
        "import shutil; print(shutil.which('git'))",
    ],
)
def test_code_that_only_computes(code):
    assert told(code) == []


@pytest.mark.parametrize(
    ("code", "steps"),
    [
        ("open('a', 'w')", [Write("a")]),
        ("open('a')", [Read("a")]),
        ("open(file='a', mode='x')", [Write("a")]),
        ("open('a', m)", [Write("a")]),
        ("p = 'a' + '/b'; open(p, 'a')", [Write("a/b")]),
        ("import os; open(os.path.join('a', n), 'w')", [Write(f"a/{ANY}")]),
        ("for n in ['a', 'b']: open(n, 'w')", [Write("a"), Write("b")]),
        ("from pathlib import Path as P; (P('a') / 'b').write_text('')", [Write("a/b")]),
        ("from pathlib import Path; p = Path('a'); p.touch()", [Write("a")]),
        ("from pathlib import Path; Path('a').unlink()", [Delete("a")]),
        ("import os as o; o.remove('a')", [Delete("a")]),
        ("from os import unlink as u; u('a')", [Delete("a")]),
        ("from os import *; remove('a')", [Delete("a")]),
        ("__import__('os').remove('a')", [Delete("a")]),
        ("import os; getattr(os, 're' + 'move')('a')", [Delete("a")]),
        ("import os; f = os.remove; f('a')", [Delete("a")]),
        ("exec('import os; os.remove(\"a\")')", [Delete("a")]),
        ("import os; os.makedirs('a')", [MakeDirectory("a")]),
        ("import os; os.rename('a', 'b')", [Delete("a", below=True), Write("b")]),
        ("import shutil; shutil.copytree('a', 'b')", [Read("a", below=True), Write("b", below=True)]),
        ("import os; os.symlink('a', 'b')", [Write("a"), Write("b")]),
        ("import os; os.system('ls')", [Play("ls")]),
        ("import subprocess as s; s.run(['ls', '-l', x])", [Invoke(("ls", "-l", ANY), stdin="")]),
        ("import subprocess as s, sys; s.run([sys.executable, 'x'])", [Invoke(("python3", "x"), stdin="")]),
        ("import subprocess as s; s.run('ls', shell=True)", [Play("ls")]),
        ("import os; os.execvp('ls', ['ls', 'x'])", [Invoke(("ls", "x"), stdin="")]),
        ("import zipfile; zipfile.ZipFile('a').extractall('b')", [Read("a"), Write("b", below=True)]),
        ("import fileinput; fileinput.input('a', inplace=True)", [Write("a")]),
    ],
)
def test_what_code_would_do_is_found(code, steps):
    assert set(told(code)) == set(steps)


@pytest.mark.parametrize(
    ("code", "rule"),
    [
        ("import shutil as s; s.rmtree('a')", "delete-recursive"),
        ("import os\nfor n in os.listdir('a'): os.remove(n)", "delete-recursive"),
        ("import os; list(map(os.remove, x))", "opaque-exec"),
        ("exec(input())", "opaque-exec"),
        ("import os; os.system(x)", "opaque-exec"),
        ("import subprocess; subprocess.run(x)", "opaque-exec"),
        ("import os; getattr(os, x)()", "opaque-exec"),
        ("().__class__.__base__.__subclasses__()", "opaque-exec"),
        ("globals()['x']()", "opaque-exec"),
        ("import pickle; pickle.loads(x)", "opaque-exec"),
        ("import importlib; importlib.import_module(x)", "opaque-exec"),
        ("this is no Python", "opaque-exec"),
        ("x" + "()" * 3000, "opaque-exec"),
        ("import urllib.request as u; u.urlopen('x')", "network"),
        ("from requests import get; get('x')", "network"),
        ("import os; print(os.environ)", "secrets"),
        ("import os; print({**os.environ})", "secrets"),
        ("import os; os.getenv('GITHUB_TOKEN')", "secrets"),
        ("import netrc; netrc.netrc()", "secrets"),
        ("import os; os.environ['GITHUB_OUTPUT']", "runner-channel"),
        ("import os; os.setuid(0)", "privilege"),
        ("import os; os.chmod('a', 0o4755)", "privilege"),
        ("import os; os.kill(1, 9)", "process-kill"),
        ("open(x, 'w')", "write-scope"),
    ],
)
def test_what_cannot_be_allowed_is_refused_by_its_class(code, rule):
    assert rule in told(code)
