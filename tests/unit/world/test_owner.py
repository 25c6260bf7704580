from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from autofix.world.owner import alive, end, identity


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


@pytest.fixture
def waiting():
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    yield child
    child.kill()
    child.communicate()


def test_the_process_that_is_named_is_ended_and_waited_for(waiting):
    assert end(identity(waiting.pid), signal.SIGKILL, 60)
    assert waiting.wait() == -signal.SIGKILL


def test_a_process_that_does_not_end_is_waited_for_only_so_long(waiting):
    assert not end(identity(waiting.pid), signal.SIGCONT, 0)
    assert waiting.poll() is None


def test_a_process_that_has_taken_the_number_of_another_gets_no_signal(waiting):
    boot, namespace, pid, start = identity(waiting.pid).split(".")
    with pytest.raises(ProcessLookupError):
        end(f"{boot}.{namespace}.{pid}.{int(start) - 1}", signal.SIGKILL, 0)
    assert waiting.poll() is None


def test_a_process_of_an_earlier_boot_gets_no_signal(waiting):
    _, *rest = identity(waiting.pid).split(".")
    with pytest.raises(ProcessLookupError):
        end(".".join(["000000000000", *rest]), signal.SIGKILL, 0)
    assert waiting.poll() is None


@pytest.mark.parametrize("text", ["", "12", "a.b.c.d"])
def test_what_names_no_process_is_not_signalled(text):
    with pytest.raises(PermissionError):
        end(text, signal.SIGKILL, 0)


def test_a_process_of_another_namespace_cannot_be_reached(waiting):
    boot, _, *rest = identity(waiting.pid).split(".")
    with pytest.raises(PermissionError):
        end(".".join([boot, "1", *rest]), signal.SIGKILL, 0)
    assert waiting.poll() is None
