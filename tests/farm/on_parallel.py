"""The script that `retrysim emit parallel` prints, run by GNU parallel itself.

    python on_parallel.py PROGRAM FOLDER
"""

import os
import subprocess
import sys
from pathlib import Path

from world import World, below, ends, kill, run_all, wait_until

SHARDS = 24


def main(program, folder):
    world = World(program, folder)

    def script():
        """24 shards by GNU parallel, one of its tasks killed: tried again, the same bytes"""
        path, log = world.folder / "sweep.sh", world.folder / "jobs.log"
        path.write_text(world.succeeds("emit", "parallel", world.design, "--shards", SHARDS, "-o", world.parts))
        environment = {
            **os.environ,
            "PATH": f"{world.program.parent}:{os.environ['PATH']}",
            "JOBS": "2",
            "PARALLEL": f"--joblog {log}",  # which xargs would not write
        }
        command = ["bash", path]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        process = subprocess.Popen(command, cwd=world.folder, env=environment, **pipes)
        world.wait_for_parts(2, process)
        kill(wait_until(lambda: below(process.pid, "--shard"), "a task")[0].pid)
        code, stderr = ends(process)
        assert code == 0, (code, stderr)
        ended = [line.split("\t")[6:8] for line in log.read_text().splitlines()[1:]]
        assert ended == [["0", "0"]] * SHARDS, ended  # exit value and signal of the last try
        world.succeeds("gather", world.parts, "--frame", "runs", "-o", world.folder / "farm.parquet")
        world.is_single()
        assert (world.folder / "parts.csv").exists()

    run_all([script])


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
