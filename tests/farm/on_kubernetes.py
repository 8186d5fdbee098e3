"""The manifest that `retrysim emit kubernetes` prints, against the schema of Kubernetes itself.

    python on_kubernetes.py PROGRAM FOLDER
"""

import sys
from pathlib import Path

import kubernetes_validate
import yaml
from world import World, run_all

# Retries of each index are part of it from then on.
VERSION = "1.33"

# A change to the manifest, and what the schema says of it.
FAULTS = {
    "backoffLimitPerIndex:": ("backoffLimitPerIndexx:", "backoffLimitPerIndexx"),
    "onExitCodes:": ("onExitCode:", "onExitCode"),
    "volumeMounts:": ("volumeMount:", "volumeMount"),
    "completions: 24": ("completions: many", "many"),
}


def main(program, folder):
    world = World(program, folder)
    text = world.succeeds("emit", "kubernetes", "design.toml", "--shards", 24, "-o", "/data/parts", cwd=world.folder)

    def says(manifest):
        try:
            kubernetes_validate.validate(yaml.safe_load(manifest), VERSION, strict=True)
        except kubernetes_validate.ValidationError as error:
            return error.message
        return None

    def manifest():
        """The manifest is one of Kubernetes'"""
        assert says(text) is None, says(text)

    def faults():
        """A misspelt field and a wrong value are refused"""
        for old, (new, expected) in FAULTS.items():
            assert text.count(old) == 1, old
            message = says(text.replace(old, new))
            assert message and expected in message, f"{new}: {message}"

    run_all([manifest, faults])


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
