"""Runs notebooks: `run` (files and a copy with outputs under OUT), `store` (in place), `check` (in a copy, compared).

    python -m retrysim_lab.execute run|store|check OUT NOTEBOOK...

evcxr calls a cell that panicked, or in which `?` met an error, a success. Whatever a cell writes to stderr is taken
for what it is: a failure.
"""

import os
import re
import sys
import time
from pathlib import Path
from queue import Empty

import jupytext
import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from retrysim_lab.prose import unsupported

KERNEL = "rust"
TIMEOUT = 600  # seconds a cell may take
LATE = 0.15  # seconds in which what a cell wrote last arrives after the cell's end

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
RAW = "shape: ("  # evcxr shows the Debug form of what its first attempt to compile did not show

METADATA = {
    "kernelspec": {"display_name": "Rust", "language": "rust", "name": KERNEL},
    "language_info": {
        "codemirror_mode": "rust",
        "file_extension": ".rs",
        "mimetype": "text/rust",
        "name": "Rust",
        "pygment_lexer": "rust",
    },
}


class Client(NotebookClient):
    """Waits for output that the kernel sends after it has said that a cell is done."""

    async def async_execute_cell(self, cell, cell_index, **options):
        done = await super().async_execute_cell(cell, cell_index, **options)
        while self.kc and cell.cell_type == "code":
            try:
                message = await self.kc.get_iopub_msg(timeout=LATE)
            except Empty:
                break
            self.process_message(message, cell, cell_index)
        return done


def execute(path, out):
    """The notebook with fresh outputs, and what went wrong: (cell, message)."""
    notebook = nbformat.read(path, 4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    environment = dict(os.environ, RETRYSIM_OUT=str(out), RETRYSIM_PROGRESS="off")
    client = Client(
        notebook,
        timeout=TIMEOUT,
        kernel_name=KERNEL,
        record_timing=False,
        resources={"metadata": {"path": str(path.parent)}},
    )
    troubles = []
    try:
        client.execute(env=environment)
    except CellExecutionError:
        pass  # the cell says it
    for number, cell in enumerate(code(notebook), 1):
        cell.execution_count = number
        for output in cell.outputs:
            if "execution_count" in output:
                output.execution_count = number
            if output.output_type == "stream" and output.name == "stderr":
                troubles.append((number, output.text.strip()))
            if output.output_type == "error":
                troubles.append((number, COLOUR.sub("", "\n".join([output.evalue, *output.traceback])).strip()))
            if output.get("data", {}).get("text/plain", "").startswith(RAW):
                troubles.append((number, "a frame is shown as raw text: bind it to a variable, end the cell with that"))
        cell.metadata.pop("execution", None)
    for number, cell in enumerate(notebook.cells, 1):
        cell.id = f"cell-{number:02}"
    notebook.metadata = nbformat.from_dict(METADATA)
    return notebook, troubles


def code(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def readable(cell):
    """What a reader sees of a cell's outputs as text. Pictures are left out: an interval's last digit, which may
    differ between processors, moves a pixel but no digit of a table."""
    seen = []
    for output in cell.outputs:
        if output.output_type == "stream":
            seen.append((output.name, output.text))
        for kind in ("text/plain", "text/html"):
            if kind in output.get("data", {}):
                seen.append((kind, output["data"][kind]))
    return seen


def twin(notebook):
    """The notebook's cells as Markdown, for reviews."""
    bare = nbformat.from_dict({**notebook, "metadata": {"kernelspec": METADATA["kernelspec"]}})
    return jupytext.writes(bare, fmt="md")


def compare(path, stored, fresh):
    """What differs between a stored notebook and a fresh run of it."""
    troubles = []
    for number, (old, new) in enumerate(zip(code(stored), code(fresh), strict=True), 1):
        for old_part, new_part in zip(readable(old) or [("", "")], readable(new) or [("", "")]):
            if old_part != new_part:
                troubles.append((number, f"the output differs\n{difference(old_part[1], new_part[1])}"))
        if len(readable(old)) != len(readable(new)):
            troubles.append((number, f"{len(readable(new))} outputs, {len(readable(old))} are stored"))
    beside = path.with_suffix(".md")
    if not beside.exists() or beside.read_text() != twin(stored):
        troubles.append((None, f"{beside.name} is not the notebook's twin; `cargo lab run --store` writes it"))
    return troubles


def difference(old, new):
    pairs = zip(old.splitlines() + [""] * 1000, new.splitlines() + [""])
    line = next(((a, b) for a, b in pairs if a != b), ("", ""))
    return f"    stored: {line[0][:300]}\n    now:    {line[1][:300]}"


def main(mode, out, paths):
    failed = 0
    for path in map(Path, paths):
        begin = time.monotonic()
        stored = nbformat.read(path, 4)
        fresh, troubles = execute(path, Path(out))
        if "RETRYSIM_RUNS" not in os.environ:  # prose speaks of the runs that are stored
            troubles += [(None, f"prose says {number!r}, no cell does") for number in unsupported(fresh)]
        if mode == "check" and not troubles:
            troubles = compare(path, stored, fresh)
        if mode == "store":
            write(path, fresh)
            path.with_suffix(".md").write_text(twin(fresh))
        elif mode == "run":
            write(Path(out) / path.stem / path.name, fresh)
        cells = len(code(fresh))
        print(f"{path.name}: {cells} cells, {time.monotonic() - begin:.1f} s", "FAILED" if troubles else "ok", flush=True)
        for number, message in troubles:
            print(f"  cell {number}: {message}" if number else f"  {message}", flush=True)
        failed += bool(troubles)
    if mode == "check":
        print(f"{len(paths) - failed} passed, {failed} failed")
    return 1 if failed else 0


def write(path, notebook):
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    nbformat.write(notebook, part)
    part.replace(path)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
