#!/usr/bin/env python3
"""Measures retrysim beside programs that do the same, and writes `table.md`.

    python3 benches/compare/run.py [--rounds 7] [--seconds 1.5]

Builds what it needs below `target/compare`. Every program runs in every round, one after another, each for so much
processor time on one core; what is compared is always of one round, so that what else the machine does is in both.
Fails if a program's mean requests or mean finish is further than 4.5 standard errors from retrysim's.
"""

import argparse
import json
import math
import subprocess
import sys
from pathlib import Path
from statistics import median

HERE = Path(__file__).resolve().parent
TARGET = HERE.parents[1] / "target" / "compare"
TABLE = HERE / "table.md"

LIMIT = 4.5

MODELS = {
    "herd": "herd, 1,000 clients",
    "overload": "overload, 6 clients",
    "contention": "contention, 100 clients",
}


def build():
    """The commands by model and program; retrysim first."""
    subprocess.run(
        ["cargo", "build", "--release", "--quiet", "--target-dir", TARGET / "build"],
        cwd=HERE / "peers",
        check=True,
    )
    python = TARGET / "venv" / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", TARGET / "venv"], check=True)
    subprocess.run(
        [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "-r", HERE / "requirements.txt"],
        check=True,
    )
    peers = TARGET / "build" / "release" / "peers"
    commands = {
        (model, program): command
        for model in MODELS
        for program, command in [
            ("retrysim", [peers, "retrysim", model]),
            ("plain Python", [python, HERE / "plain" / f"{model}.py"]),
        ]
    }
    commands["contention", "simpy 4.1.2"] = [python, HERE / "plain" / "contention_simpy.py"]
    commands["contention", "nexosim 1.0.0"] = [peers, "nexosim", "contention"]
    commands["contention", "simrs 0.2.0"] = [peers, "simrs", "contention"]
    return commands


def run(command, seconds, seed):
    output = subprocess.run([*command, str(seconds), str(seed)], check=True, capture_output=True, text=True)
    return json.loads(output.stdout)


def mean_and_error(rounds, what):
    """Mean over all rounds and its standard error."""
    n, total, squares = (sum(part) for part in zip(*(one[what] for one in rounds)))
    mean = total / n
    return mean, math.sqrt(max(squares / n - mean * mean, 0) / (n - 1))


def z(ours, theirs, what):
    (a, a_error), (b, b_error) = mean_and_error(ours, what), mean_and_error(theirs, what)
    return (a - b) / math.hypot(a_error, b_error)


def digits(number):
    """Three digits, thousands apart."""
    if number < 100:
        return f"{number:.3g}"
    return f"{float(f'{number:.3g}'):,.0f}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=1.5)
    arguments = parser.parse_args()

    commands = build()
    results = {key: [] for key in commands}
    for seed in range(arguments.rounds):
        for key, command in commands.items():
            results[key].append(run(command, arguments.seconds, seed))

    lines = [
        "| model | program | runs/s | ns a request | retrysim is faster by | requests a run |",
        "|---|---|---:|---:|---:|---:|",
    ]
    failed = []
    for (model, program), rounds in sorted(results.items(), key=lambda item: list(MODELS).index(item[0][0])):
        ours = results[model, "retrysim"]
        # Seconds a request, not a run: what a run takes depends a little on the luck of its clients.
        costs, our_costs = ([one["seconds"] / one["requests"][1] for one in some] for some in (rounds, ours))
        ratios = [theirs / mine for theirs, mine in zip(costs, our_costs)]
        runs = median(one["requests"][0] / one["seconds"] for one in rounds)
        mean, error = mean_and_error(rounds, "requests")
        ratio = ""
        if program != "retrysim":
            ratio = f"{digits(median(ratios))} ({digits(min(ratios))} to {digits(max(ratios))})"
            for what in ("requests", "finish"):
                distance = z(ours, rounds, what)
                print(f"{model}, {program}: {what} {distance:+.2f} standard errors from retrysim's", file=sys.stderr)
                if abs(distance) > LIMIT:
                    failed.append((model, program, what))
        places = max(0, 1 - math.floor(math.log10(error)))
        lines.append(
            f"| {MODELS[model]} | {program} | {digits(runs)} | {digits(median(costs) * 1e9)} | {ratio}"
            f" | {mean:,.{places}f} ± {error:.{places}f} |"
        )
    TABLE.write_text("\n".join(lines) + "\n")
    print(TABLE.read_text(), end="")
    if failed:
        sys.exit(f"not the same model: {failed}")


if __name__ == "__main__":
    main()
