"""Killing one thread of this process, as a fault that nobody foresaw would."""

import ctypes
import threading

from tests.support.process import wait_until


def kill_thread(name: str) -> None:
    """Raise SystemExit in the thread of that name, wherever it is; returns when it has been delivered."""
    [thread] = [one for one in threading.enumerate() if one.name == name]
    assert thread.ident is not None
    delivered = ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(Killed))
    assert delivered == 1, f"{name} does not run"


class Killed(SystemExit):
    """What ends the thread."""


def wait_for_thread(name: str) -> None:
    """Wait until there is a thread of that name."""
    wait_until(lambda: any(one.name == name for one in threading.enumerate()), seconds=10, what=f"thread {name}")
