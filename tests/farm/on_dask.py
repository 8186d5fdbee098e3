"""Farms by Dask on this machine: whatever is killed, what comes of it is what one process writes, or is refused.

    python on_dask.py PROGRAM FOLDER
"""

import signal
import socket
import stat
import subprocess
import sys
from contextlib import ExitStack, suppress
from pathlib import Path

import polars
import psutil
from world import World, below, ends, free_ports, kill, run_all, running, wait_until

from retrysim_farm import farm

WORKER = "--multiprocessing-fork"  # how Python starts a process of its own kind


def main(program, folder):
    world = World(program, folder)

    def a_worker_is_killed(shards):
        world.forget()
        process = world.start(*world.farm_args("--workers", 2, "--shards", shards))
        world.wait_for_parts(shards // 6, process)
        hosts = {connection.laddr.ip for connection in listening(process)}
        assert hosts == {"127.0.0.1"}, f"something listens on {hosts}"
        workers = below(process.pid, WORKER)
        assert len(workers) == 2, workers
        kill(workers[0].pid)
        assert len(world.made()) < shards, "killed too late"
        code, stderr = ends(process)
        assert (code, stderr) == (0, ""), (code, stderr)
        world.is_single()

    def some_made():
        """The parts that a farm of 24 has left behind when it was stopped midway."""
        before = world.made()
        assert 4 <= len(before) < 24, before
        return before

    def goes_on(before, workers):
        """The same again makes the other parts."""
        world.succeeds(*world.farm_args("--workers", workers))
        assert before.items() <= world.made().items(), "finished parts were made again"
        world.is_single()

    def killed_worker_of_24():
        """24 shards on two workers, one killed midway: the same bytes"""
        a_worker_is_killed(24)

    def killed_worker_of_7():
        """7 shards on two workers, one killed midway: the same bytes"""
        a_worker_is_killed(7)

    def killed_scheduler():
        """A running scheduler with two workers, killed midway: what is finished is kept, and not made again"""
        world.forget()
        [port] = free_ports(1)
        address = f"tcp://127.0.0.1:{port}"
        dask = (sys.executable, "-m", "dask")
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": world.folder}
        here = ("--host", "127.0.0.1", "--no-dashboard", "--dashboard-address", "127.0.0.1:0")
        with ExitStack() as stack:
            scheduler = stack.enter_context(running(*dask, "scheduler", *here, "--port", port, **quiet))
            for _ in range(2):
                options = ("--nthreads", 1, "--death-timeout", 10)
                stack.enter_context(running(*dask, "worker", address, *here, *options, **quiet))
            wait_until(lambda: listens(address), "a scheduler")
            process = world.start(*world.farm_args("--scheduler", address, "--shards", 24))
            world.wait_for_parts(4, process)
            kill(scheduler.pid)
            code, stderr = ends(process)
            assert code == 2 and " of 24 parts are in " in stderr, (code, stderr)
        goes_on(some_made(), workers=2)

    def interrupted():
        """Ctrl-C: exit code 130, what is finished is kept, nobody goes on, and the same again does"""
        world.forget()
        process = world.start(*world.farm_args("--workers", 2, "--shards", 24))
        world.wait_for_parts(4, process)
        all_below = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(signal.SIGINT)
        code, stderr = ends(process, 15)
        before = some_made()
        expected = f"interrupted: {len(before)} of 24 parts are in {world.parts}; the same again goes on from there"
        assert (code, stderr) == (130, f"retrysim: {expected}\n"), (code, stderr)
        all_gone(all_below, 5)
        assert not list(world.parts.glob(".*")), "something was begun and left"
        goes_on(before, workers=1)

    def killed_itself():
        """The program killed: its workers end as well"""
        world.forget()
        process = world.start(*world.farm_args("--workers", 2, "--shards", 24))
        world.wait_for_parts(2, process)
        all_below = psutil.Process(process.pid).children(recursive=True)
        assert len(all_below) >= 3, all_below
        kill(process.pid)
        ends(process)
        all_gone(all_below, 15)

    def refused():
        """What can't be is refused with what is allowed"""
        world.forget()
        bare = script(world.folder / "bare", f'exec {sys.executable} -S "$@"')
        other = script(world.folder / "other", 'echo "retrysim 0.0.1"')
        [port] = free_ports(1)
        cases = {
            ("--workers", "0"): ["--workers", "0 is not in 1..=10000"],
            ("--workers", "2", "--scheduler", "tcp://x:1"): ["cannot be used with"],
            ("--scheduler", "127.0.0.1:8786"): ["scheduler = 127.0.0.1:8786", "allowed", "tcp://127.0.0.1:8786"],
            ("--scheduler", f"tcp://127.0.0.1:{port}"): [f"tcp://127.0.0.1:{port} can't be reached", "allowed"],
            ("--sbatch=-p", "--workers", "2"): ["--slurm"],
            ("--slurm",): ["there is no sbatch on PATH", "allowed"],
            ("--python", bare): [f"{bare} has no distributed", "pip install distributed"],
            ("--python", world.folder / "no"): ["no can't be started", "pip install distributed"],
            ("--program", world.folder / "no"): ["no can't be started", "allowed", "worker tls://127.0.0.1"],
            ("--program", other): ["is of version 0.0.1; allowed: 0.1.0"],
            ("--shards", "0"): ["shards = 0 is not allowed", "allowed: 1 to 24000"],
        }
        for args, expected in cases.items():
            here = () if "--python" in args else ("--python", sys.executable)
            most = () if {"--scheduler", "--slurm", "--workers"} & set(args) else ("--workers", "1")
            message = world.refuses(
                "farm", world.design, "--parts", world.parts, *here, *most, *args, limit=20, env={"PATH": "/nowhere"}
            )
            assert all(part in message for part in expected), f"{args}: {message}"
        assert not world.made()

    def other_design():
        """Parts of another design are refused, and stay"""
        world.forget()
        world.succeeds("sweep", world.design, "--seed", 8, "--shard", "0/24", "-o", world.parts)
        message = world.refuses(*world.farm_args())
        assert "design.seed = 8 there, 7 here" in message, message
        assert len(world.made()) == 1

    def from_python():
        """The same from Python alone: one frame"""
        world.forget()
        frame = farm(world.design, world.parts, shards=24, workers=2, program=world.program)
        assert frame.equals(polars.read_parquet(world.folder / "single.parquet")), "another frame"
        before = world.made()
        summary = farm(world.design, world.parts, shards=24, workers=1, frame="summary", program=world.program)
        assert set(summary["policy"]) == {"full", "decorrelated"}
        assert world.made() == before, "finished parts were made again"

    run_all([
        killed_worker_of_24,
        killed_worker_of_7,
        killed_scheduler,
        interrupted,
        killed_itself,
        refused,
        other_design,
        from_python,
    ])


def listens(address):
    host, _, port = address.removeprefix("tcp://").partition(":")
    with socket.socket() as tried:
        return tried.connect_ex((host, int(port))) == 0


def listening(process):
    """Ports on which what it has started listens."""
    found = []
    for one in psutil.Process(process.pid).children(recursive=True):
        with suppress(psutil.Error):
            found += one.net_connections(kind="inet")
    return [connection for connection in found if connection.status == psutil.CONN_LISTEN]


def all_gone(processes, limit):
    alive = psutil.wait_procs(processes, timeout=limit)[1]
    assert not alive, f"still there after {limit} s: {alive}"


def script(path, text):
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
