"""A Slurm of two nodes on one machine, from Debian's packages: its own keys, folders and ports, all on loopback."""

import contextlib
import getpass
import os
import secrets
import socket
import subprocess
from pathlib import Path

import psutil
from world import LIMIT, free_ports, running, wait_until

NODES = ("n1", "n2")

CONFIG = """ClusterName=farm
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmctldPidFile={folder}/slurmctld.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdSpoolDir={folder}/%n
SlurmdPidFile={folder}/%n.pid
SlurmdLogFile={folder}/%n.log
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
KillWait=2
# The network is this machine's loopback.
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
{nodes}
PartitionName=all Nodes=ALL Default=YES State=UP MaxTime=INFINITE
"""


@contextlib.contextmanager
def slurm(folder):
    """The environment in which `sbatch` and the others find it, for as long as the block lasts."""
    folder.mkdir(parents=True)
    (folder / "state").mkdir()
    key = folder / "munge.key"
    key.write_bytes(secrets.token_bytes(1024))
    key.chmod(0o400)
    controller, *ports = free_ports(1 + len(NODES))
    host = socket.gethostname().partition(".")[0]
    node = "NodeName={} NodeHostname={} NodeAddr=127.0.0.1 Port={} CPUs=1 RealMemory=1000 State=UNKNOWN"
    nodes = "\n".join(node.format(name, host, port) for name, port in zip(NODES, ports))
    config = folder / "slurm.conf"
    config.write_text(
        CONFIG.format(host=host, controller=controller, user=getpass.getuser(), folder=folder, nodes=nodes)
    )
    environment = {**os.environ, "SLURM_CONF": str(config)}
    paths = {name: folder / f"munge.{name}" for name in ("socket", "log", "pid", "seed")}
    munge = (f"--{option}={path}" for option, path in zip(("socket", "log-file", "pid-file", "seed-file"), paths.values()))
    with contextlib.ExitStack() as stack:
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": environment}
        stack.enter_context(running(sbin("munged"), "--foreground", "--force", f"--key-file={key}", *munge, **quiet))
        wait_until(paths["socket"].exists, "munged")
        stack.enter_context(running(sbin("slurmctld"), "-D", **quiet))
        for name in NODES:
            stack.enter_context(running(sbin("slurmd"), "-D", "-N", name, **quiet))
        ask = ("sinfo", "--noheader", "--Node", "--format=%t")
        wait_until(lambda: output(environment, *ask).split() == ["idle"] * len(NODES), "idle nodes")
        try:
            yield environment
        finally:
            subprocess.run(["scancel", f"--user={getpass.getuser()}"], env=environment, timeout=LIMIT)
            wait_until(lambda: not output(environment, "squeue", "--noheader"), "an empty queue")
    wait_until(lambda: not left(config), "the end of what Slurm has started")


def output(environment, *command):
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=LIMIT).stdout


def left(config):
    """Processes that know this Slurm."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.pid != os.getpid() and process.environ().get("SLURM_CONF") == str(config):
                found.append(process)
    return found


def sbin(name):
    """Daemons lie where a user's PATH need not lead."""
    places = (Path(folder) / name for folder in ("/usr/sbin", "/usr/local/sbin", "/usr/bin"))
    return next((place for place in places if place.exists()), name)
