"""`cargo lab check` must refuse notebooks that evcxr calls fine: each of these has one fault, and one has none.

    python tests/faulty_notebooks.py FOLDER        (with nbformat, so: the environment of `cargo lab`)
"""

import subprocess
import sys
from pathlib import Path

import nbformat

# What a cell does, what is stored as its output, what the prose says, and what the check says of it.
CASES = {
    "fine": ("1 + 1", "2", "It is 2.", None),
    "panic": ('panic!("no"); ', None, "", "panic: no"),
    "unwrap": ('bundled::scenario("nope").unwrap();', None, "", "panic: called"),
    "question_mark": ('bundled::scenario("nope")?;', None, "", 'no scenario named "nope"'),
    "refused": ("let x: u64 = -1;", None, "", "cannot apply unary operator"),
    "stderr": ('eprintln!("hm");', None, "", "hm"),
    "changed": ("1 + 1", "3", "", "the output differs"),
    "prose": ("1 + 1", "2", "It is 4.", "prose says '4'"),
}


def notebook(code, stored, prose):
    cell = nbformat.v4.new_code_cell(code)
    if stored is not None:
        cell.outputs = [nbformat.v4.new_output("execute_result", {"text/plain": stored}, execution_count=1)]
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(prose), cell])


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    failed = 0
    for name, (code, stored, prose, expected) in CASES.items():
        path = folder / f"{name}.ipynb"
        nbformat.write(notebook(code, stored, prose), path)
        if name == "fine":
            # Stores outputs and the twin, as for a notebook that is kept.
            subprocess.run(["cargo", "lab", "run", "--store", path], check=True, capture_output=True)
        done = subprocess.run(["cargo", "lab", "check", path], capture_output=True, text=True)
        right = done.returncode == (0 if expected is None else 1) and (expected or "ok") in done.stdout
        print(f"{name}: {'as expected' if right else f'exit {done.returncode}: {done.stdout}{done.stderr}'}")
        failed += not right
    print(f"{len(CASES) - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
