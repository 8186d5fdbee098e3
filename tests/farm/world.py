"""What the tests of farms share: a design, what one process makes of it, and processes that are ended by their number.

Every wait has an end, and everything listens on loopback.
"""

import contextlib
import hashlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import psutil

LIMIT = 60  # seconds for anything at all
POINTS = 3

DESIGN = """scenario = "contention"
policies = ["full", "decorrelated"]
runs = 8000
seed = 7
[vary]
"workload.clients" = [60, 90, 120]
"""


class World:
    """A folder of its own with a design, and the bytes that one process makes of it."""

    def __init__(self, program, folder):
        self.program, self.folder = Path(program).resolve(), Path(folder).resolve()
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.design, self.parts = self.folder / "design.toml", self.folder / "parts"
        self.design.write_text(DESIGN)
        self.succeeds("sweep", self.design, "--frame", "runs", "-o", self.folder / "single.parquet")
        self.single = digest(self.folder / "single.parquet")

    def run(self, *args, limit=LIMIT, **options):
        command = [str(arg) for arg in (self.program, *args)]
        return subprocess.run(command, capture_output=True, text=True, timeout=limit, **options)

    def succeeds(self, *args, **options):
        done = self.run(*args, **options)
        assert done.returncode == 0, f"{args}: exit code {done.returncode}: {done.stderr}"
        return done.stdout

    def refuses(self, *args, **options):
        """What is said on stderr, with exit code 2."""
        done = self.run(*args, **options)
        assert done.returncode == 2 and not done.stdout, f"{args}: exit code {done.returncode}: {done.stderr}"
        assert "Traceback" not in done.stderr and "panicked" not in done.stderr, done.stderr
        return done.stderr

    def start(self, *args, **options):
        command = [str(arg) for arg in (self.program, *args)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)

    def farm_args(self, *args):
        """A farm with the Python that runs this test."""
        here = ("--python", sys.executable, "--parts", self.parts, "--frame", "runs", "-o", self.folder / "farm.parquet")
        return ("farm", self.design, *here, *args)

    def made(self):
        """The parts that are there, and when they were made."""
        return {path.name: path.stat().st_mtime_ns for path in self.parts.glob("part-*.parquet")}

    def wait_for_parts(self, least, process):
        wait_until(lambda: len(self.made()) >= least or process.poll() is not None, f"{least} parts")
        assert process.poll() is None, f"ended too early: {process.communicate()}"

    def forget(self):
        shutil.rmtree(self.parts, ignore_errors=True)
        (self.folder / "farm.parquet").unlink(missing_ok=True)

    def is_single(self, file="farm.parquet"):
        """Whether the file holds what one process has written, byte for byte."""
        assert digest(self.folder / file) == self.single, f"{file}: other bytes than one process writes"


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def wait_until(holds, what, limit=LIMIT):
    """Waits until it holds, and gives what it gave."""
    end = time.monotonic() + limit
    while not (found := holds()):
        assert time.monotonic() < end, f"{what}: not within {limit} s"
        time.sleep(0.02)
    return found


def ends(process, limit=LIMIT):
    """Exit code and stderr of a process that ends by itself."""
    try:
        _, stderr = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        process.kill()
        raise AssertionError(f"{process.args}: did not end within {limit} s") from None
    return process.returncode, stderr


def below(pid, argument):
    """Processes started by a process, however indirectly, that have this argument."""
    return having(argument, psutil.Process(pid).children(recursive=True))


def having(argument, processes):
    found = []
    for process in processes:
        with contextlib.suppress(psutil.Error):
            if argument in process.cmdline():
                found.append(process)
    return found


def free_ports(count):
    """Ports of loopback on which nobody listens."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


def kill(pid):
    os.kill(pid, signal.SIGKILL)


@contextlib.contextmanager
def running(*command, **options):
    """A process for as long as the block lasts, and then no more."""
    process = subprocess.Popen([str(part) for part in command], **options)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(10)


def run_all(tests):
    """Runs tests one after another, each said with its seconds."""
    for test in tests:
        begin = time.monotonic()
        test()
        print(f"{test.__doc__.splitlines()[0]} ({time.monotonic() - begin:.1f} s)", flush=True)
