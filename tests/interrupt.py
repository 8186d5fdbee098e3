"""An interrupt stops a simulation that runs in a cell, and nothing else is lost; an interrupt of a cell that doesn't
simulate ends the process with the cells, and the kernel goes on with a new one.

    python tests/interrupt.py        (with jupyter_client, so: the environment of `cargo lab`)
"""

import os
import sys
import time
from pathlib import Path
from queue import Empty

from jupyter_client.manager import start_new_kernel

LAB = Path(__file__).parents[1] / ".lab"
PATIENCE = 120  # seconds
BEGUN = "begun"

# Would take minutes.
LONG = """
println!("begun");
simulate(&scenario, &RunConfig::runs(50_000_000).policies(["full"]).metrics(["attempts"]))?;
"""

# `kept` was made before the interrupt: a process that ended would have lost it.
CELLS = [
    ('let kept = 41; let scenario = bundled::scenario("herd")?;', None, ""),
    (LONG, BEGUN, "interrupted"),
    ("kept + 1", None, "42"),
    ("println!(\"begun\"); loop { std::thread::sleep(std::time::Duration::from_millis(10)); }", BEGUN, "Run the cells"),
    ("6 * 7", None, "42"),
]


def shown(client, code, interrupt_at):
    """What a cell shows; interrupted as soon as it has shown `interrupt_at`."""
    request, text, end = client.execute(code), "", time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            message = client.get_iopub_msg(timeout=1)
        except Empty:
            continue
        if message["parent_header"].get("msg_id") != request:
            continue
        content = message["content"]
        if content.get("execution_state") == "idle":
            time.sleep(0.2)  # what the cell wrote last may come after its end
            while True:
                try:
                    text += written(client.get_iopub_msg(timeout=0.3)["content"])
                except Empty:
                    return text
        text += written(content)
        if interrupt_at and interrupt_at in text:
            interrupt_at = None
            time.sleep(1)
            client.parent.interrupt_kernel()
    return f"{text}\nno end after {PATIENCE} s"


def written(content):
    return "".join([content.get("text", ""), content.get("data", {}).get("text/plain", ""), content.get("evalue", "")])


def main():
    os.environ["JUPYTER_PATH"] = str(LAB / "jupyter")
    os.environ["RETRYSIM_PROGRESS"] = "off"
    manager, client = start_new_kernel(kernel_name="rust", startup_timeout=PATIENCE)
    client.parent = manager
    failed = 0
    try:
        for code, interrupt_at, expected in CELLS:
            text = shown(client, code, interrupt_at)
            right = expected in text and "no end" not in text
            print(f"{code.strip().splitlines()[0][:50]}: {'as expected' if right else text}")
            failed += not right
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    print(f"{len(CELLS) - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
