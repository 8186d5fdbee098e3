"""Numbers in prose: each must have come out of a cell, or stand in one."""

import re

NUMBER = re.compile(r"(?<![\w.,])\d[\d,]*(?:\.\d+)?")
CODE = re.compile(r"```.*?```|`[^`]*`|\]\([^)]*\)", re.DOTALL)


def numbers(text):
    """The numbers of a text, without separators of thousands."""
    return {match.group().rstrip(",").replace(",", "") for match in NUMBER.finditer(text)}


def unsupported(notebook):
    """Numbers that Markdown cells say and no code cell contains, prints or shows."""
    said, shown = set(), set()
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            said |= numbers(CODE.sub(" ", cell.source))
            continue
        # `20_000` is 20000.
        shown |= numbers(re.sub(r"(?<=\d)_(?=\d)", "", cell.source))
        for output in cell.get("outputs", []):
            shown |= numbers(output.get("text", ""))
            shown |= numbers(output.get("data", {}).get("text/plain", ""))
    return sorted(said - shown)
