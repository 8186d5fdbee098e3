"""A sweep on a real Slurm of two nodes: by the script that `retrysim emit slurm` prints, and by `retrysim farm --slurm`.

    python on_slurm.py PROGRAM FOLDER
"""

import re
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import psutil
from slurm import left, output, slurm
from world import World, ends, having, kill, run_all, wait_until

SHARDS = 24


def main(program, folder):
    world = World(program, folder)
    with slurm(world.folder / "slurm") as environment:
        # Tasks call the program by its name.
        environment["PATH"] = f"{world.program.parent}:{environment['PATH']}"
        config = Path(environment["SLURM_CONF"])

        def script():
            """A job array from the script, one task killed: the script submits that shard again, the same bytes"""
            world.forget()
            text = world.succeeds("emit", "slurm", world.design, "--shards", SHARDS, "-o", world.parts)
            path = world.folder / "sweep.sh"
            path.write_text(text)
            process = subprocess.Popen(
                ["bash", path], cwd=world.folder, env=environment, stderr=subprocess.PIPE, text=True
            )
            world.wait_for_parts(2, process)
            task = wait_until(lambda: having("--shard", left(config)), "a task")[0]
            shard = re.search(r"(\d+)/24", " ".join(task.cmdline())).group(1)
            kill(task.pid)
            code, stderr = ends(process, 150)
            assert code == 0 and f"round 1: shards 0-{SHARDS - 1}\n" in stderr, (code, stderr)
            assert f"round 2: shards {shard}\n" in stderr and "round 3" not in stderr, stderr
            assert len(world.made()) == SHARDS
            world.succeeds("gather", world.parts, "--frame", "runs", "-o", world.folder / "farm.parquet")
            world.is_single()
            single = world.succeeds("sweep", world.design, "--format", "csv")
            assert (world.folder / "parts.csv").read_text() == single, "another summary"

        def farm():
            """`retrysim farm --slurm` on two jobs, both killed: jobs are submitted again, the same bytes, no job is left"""
            world.forget()
            options = ("--slurm", "--workers", 2, "--interface", "lo", "--sbatch=--time=10", "--shards", SHARDS)
            process = world.start(*world.farm_args(*options), env=environment, cwd=world.folder)
            world.wait_for_parts(4, process)
            jobs = output(environment, "squeue", "--noheader", "--format=%j %T").splitlines()
            assert jobs == ["retrysim RUNNING"] * 2, jobs
            for one in left(config):
                with suppress(psutil.Error):
                    if "SLURM_JOB_ID" in one.environ():
                        kill(one.pid)
            assert len(world.made()) < SHARDS, "killed too late"
            code, stderr = ends(process, 120)
            assert (code, stderr) == (0, ""), (code, stderr)
            world.is_single()
            wait_until(lambda: not output(environment, "squeue", "--noheader"), "an empty queue", 20)

        def refused():
            """What Slurm refuses is said"""
            world.forget()
            options = ("--slurm", "--workers", 2, "--interface", "lo", "--shards", SHARDS)
            message = world.refuses(*world.farm_args(*options, "--sbatch=--partition=nope"), env=environment)
            assert "invalid partition specified: nope" in message, message
            message = world.refuses(*world.farm_args(*options[:-4], "--interface", "nope0"), env=environment)
            assert "'nope0' is not a valid network interface" in message and "'lo'" in message, message

        def interrupted():
            """Ctrl-C: exit code 130, what is finished is kept, and no job is left"""
            world.forget()
            options = ("--slurm", "--workers", 2, "--interface", "lo", "--shards", SHARDS)
            process = world.start(*world.farm_args(*options), env=environment)
            world.wait_for_parts(2, process)
            process.send_signal(signal.SIGINT)
            code, stderr = ends(process, 30)
            assert code == 130 and f"interrupted: {len(world.made())} of 24 parts" in stderr, (code, stderr)
            wait_until(lambda: not output(environment, "squeue", "--noheader"), "an empty queue", 20)

        run_all([script, farm, refused, interrupted])


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
