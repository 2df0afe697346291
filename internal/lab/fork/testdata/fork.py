"""Loads the library, makes an id, and forks, until four children have made ids: a line for each, with three.

fork.py LIBRARY           children do nothing about it
fork.py LIBRARY reseed    children call Reseed before anything else
"""

import ctypes
import os
import signal
import sys
import time

library = ctypes.CDLL(sys.argv[1])
if sys.argv[2:] == ["reseed"]:
    os.register_at_fork(after_in_child=library.Reseed)


def new_v4():
    id = (ctypes.c_ubyte * 16)()
    library.NewV4(id)
    return bytes(id).hex()


new_v4()
answers = 0
for child in range(20):
    time.sleep(0.1)  # Go's threads come to rest
    if os.fork() == 0:
        signal.alarm(5)  # a call waits for ever if it needs a thread that the fork left behind
        print(*[new_v4() for _ in range(3)], flush=True)
        os._exit(0)
    answers += os.wait()[1] == 0
    if answers == 4:
        break
