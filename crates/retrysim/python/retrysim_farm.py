"""Sweeps of retrysim on the workers of Dask.

    from retrysim_farm import farm
    frame = farm("design.toml", "parts", shards=24, workers=2)    # a polars DataFrame

A task is a shard, and a shard is the program: `retrysim sweep DESIGN --shard K/N --output PARTS`. A worker needs Dask,
the program, and the folder, nothing else. `retrysim farm` runs this same file.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import CancelledError
from contextlib import contextmanager
from pathlib import Path

import cloudpickle
import dask
from distributed import Client, LocalCluster, TimeoutError, as_completed, get_worker
from distributed.comm import CommClosedError
from distributed.scheduler import KilledWorker

SETTINGS = {
    # Every task that waited on a worker counts as suspicious when it dies; after three of them Dask would give up.
    "distributed.scheduler.allowed-failures": 20,
    "distributed.comm.timeouts.connect": "5s",
}
RETRIES = 10  # of a shard whose program was killed
PATIENCE = 60  # seconds for a worker to appear where one is said to be

# Workers get the functions themselves, so that they need not have this file.
cloudpickle.register_pickle_by_value(sys.modules[__name__])


class Trouble(Exception):
    """What stands in the way, and what is allowed."""


class ShardKilled(Exception):
    """The program ended before its part was made, and might not the next time."""


def farm(design, parts, shards=100, frame="runs", program="retrysim", **where):
    """The runs of a design (or its `summary`) as a polars DataFrame, made in so many shards in the folder `parts`.

    Parts that are there are not made again. `where` says who works: `workers=2`, `scheduler="tcp://..."`, or `slurm=True`
    with `workers` (jobs), `sbatch` (options) and `interface`. A script calls it under `if __name__ == "__main__":`.
    """
    import polars

    for _ in made(design, parts, range(shards), shards, program=program, **where):
        pass
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "frame.parquet"
        run = call(program, "gather", parts, "--frame", frame, "--output", file)
        if run.returncode:
            raise Trouble(run.stderr.strip())
        return polars.read_parquet(file)


def made(design, parts, numbers, shards, program="retrysim", options=(), version=None, **where):
    """Makes the shards of these numbers, and gives each number when its part is there.

    Workers see `design`, `parts` and `program` by these names; the program has to be of the version of this one.
    """
    version = version or version_of(program)
    with dask.config.set(SETTINGS), client(parts=parts, **where) as dask_client:
        # Workers stand in folders of their own.
        paths = [str(Path(path).absolute()) for path in (design, parts)]
        job = (str(program), version, *paths, shards, list(options))
        # Impure: who asks for a shard again means it.
        left = set(dask_client.map(shard, list(numbers), job=job, retries=RETRIES, pure=False))
        try:
            for future in as_completed(left):
                number, refusal = future.result()
                if refusal:
                    raise Trouble(refusal)
                # What nobody holds is not made once more when the worker that has it dies.
                left.discard(future)
                yield number
        except (CancelledError, CommClosedError, KilledWorker, ShardKilled) as error:
            raise Trouble(str(error).strip().replace("\n", " ")) from None
        finally:
            dask_client.cancel(left, force=True)


def shard(number, job):
    """On a worker: makes a part. What would be refused everywhere is given back, the rest is raised and tried again."""
    program, version, design, parts, shards, options = job
    try:
        here = version_of(program)
        if here != version:
            raise Trouble(f"{program} is of version {here}; allowed: {version}, as where the farm was started")
    except Trouble as trouble:
        return number, f"worker {get_worker().address}: {trouble}"
    run = call(program, "sweep", design, "--shard", f"{number}/{shards}", "--output", parts, "--quiet", *options)
    if run.returncode == 2:
        return number, f"worker {get_worker().address}: {run.stderr.strip().removeprefix('retrysim: ')}"
    if run.returncode:
        raise ShardKilled(f"shard {number} ended with {run.returncode}: {run.stderr.strip()}")
    return number, None


def version_of(program):
    try:
        return call(program, "--version").stdout.strip().rpartition(" ")[2]
    except OSError as error:
        raise Trouble(f"{program} can't be started ({error.strerror}); allowed: where retrysim lies") from None


def call(program, *args):
    command = [str(part) for part in (program, *args)]
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)


@contextmanager
def client(parts, workers=None, scheduler=None, slurm=False, sbatch=(), interface=None):
    """A client of so many processes here, of a running scheduler, or of so many Slurm jobs."""
    if scheduler:
        with connected(scheduler) as found:
            yield found
        return
    with tempfile.TemporaryDirectory() as scratch, cluster(parts, workers, slurm, sbatch, interface, scratch) as made:
        with Client(made) as found:
            yield found


@contextmanager
def connected(scheduler):
    try:
        found = Client(scheduler, timeout="5s")
    except (OSError, TimeoutError, ValueError) as error:
        allowed = "allowed: the address of a Dask scheduler that runs, such as tcp://127.0.0.1:8786"
        raise Trouble(f"scheduler = {scheduler} can't be reached; {allowed} ({error})") from None
    with found:
        try:
            found.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError:
            raise Trouble(f"scheduler = {scheduler} has no workers; allowed: one or more") from None
        yield found


def cluster(parts, workers, slurm, sbatch, interface, scratch):
    workers = os.cpu_count() if workers is None else workers
    if workers < 1:
        raise Trouble(f"workers = {workers} is not allowed; allowed: 1 or more")
    if not slurm:
        # On loopback alone, with keys of its own: whom a scheduler takes for one of its own can run what he likes.
        return LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            host="127.0.0.1",
            protocol="tls://",
            security=True,
            dashboard_address="127.0.0.1:0",
            memory_limit=0,  # the program's memory is not the worker's
            local_directory=scratch,
        )
    if not shutil.which("sbatch"):
        raise Trouble("there is no sbatch on PATH; allowed: --slurm where jobs are submitted to Slurm")
    from dask_jobqueue import SLURMCluster

    try:
        made = SLURMCluster(
            job_name="retrysim",
            cores=1,
            processes=1,
            memory="1GB",
            interface=interface,
            protocol="tls://",
            security=True,
            # Where jobs find the keys.
            shared_temp_directory=str(Path(parts).absolute()),
            scheduler_options={"dashboard": False, "dashboard_address": ":0"},
            # Time and memory are Slurm's defaults, or what `sbatch` says.
            job_directives_skip=["SBATCH -t ", "--mem="],
            job_extra_directives=list(sbatch),
            log_directory=str(Path(parts).absolute() / "log"),
        )
    except RuntimeError as error:
        raise Trouble(str(error)) from None
    # Asked before, since Dask would wait for jobs that are never accepted.
    asked = subprocess.run(["sbatch", "--test-only"], input=made.job_script(), capture_output=True, text=True)
    if asked.returncode:
        made.close()
        raise Trouble(f"no such jobs: {' '.join(asked.stderr.split())}")
    # A job that ends too early is submitted again.
    made.adapt(minimum=workers, maximum=workers)
    return made


def main():
    """What `retrysim farm` runs: a line of JSON on stdin says what to make; a line on stdout for every part.

    The end of stdin is the wish to stop, so that nothing goes on when the program is gone.
    """
    job = json.loads(sys.stdin.readline())
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(130))
    threading.Thread(target=stop_at_end, daemon=True).start()
    try:
        for number in made(**job):
            print(json.dumps({"made": number}), flush=True)
    except Trouble as trouble:
        print(json.dumps({"trouble": str(trouble)}), flush=True)
        sys.exit(2)


def stop_at_end():
    while os.read(sys.stdin.fileno(), 1):
        pass
    # Local workers and their shards are in the group that this process leads; a stopped shard leaves nothing behind.
    (os.killpg if os.getpgrp() == os.getpid() else os.kill)(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    main()
