from __future__ import annotations

import os
import subprocess
import sys

import pytest

from autofix.world.owner import alive, identity


def test_this_process_lives():
    assert alive(identity())


def test_a_process_that_ended_does_not_live_and_one_that_waits_to_be_collected_neither():
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    name = identity(child.pid)
    assert alive(name)
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert not alive(name)
    child.wait()
    child.stdin.close()
    assert not alive(name)


def test_another_process_with_the_same_number_is_another():
    boot, namespace, pid, start = identity().split(".")
    assert not alive(f"{boot}.{namespace}.{pid}.{int(start) - 1}")


def test_a_process_of_an_earlier_boot_is_gone():
    _, *rest = identity().split(".")
    assert not alive(".".join(["000000000000", *rest]))


def test_a_process_of_another_namespace_is_not_judged():
    boot, _, *rest = identity().split(".")
    assert alive(".".join([boot, "1", *rest]))


@pytest.mark.parametrize("text", ["", "x", "a.b.c.d", "1.2.3", "../../etc"])
def test_what_is_no_identity_is_not_judged(text: str):
    assert alive(text)
