"""Runs a program for so many seconds of processor time and prints what came out, as JSON."""

import json
import random
import sys
import time


def measure(run):
    """`run(rng)` gives the requests of a run, and the second in which it was finished or None.

    Two arguments on the command line: seconds, seed.
    """
    seconds, rng = float(sys.argv[1]), random.Random(int(sys.argv[2]))
    requests, finish = [], []
    begin = time.process_time()
    while (spent := time.process_time() - begin) < seconds:
        count, finished = run(rng)
        requests.append(count)
        if finished is not None:
            finish.append(finished)
    print(json.dumps({"seconds": spent, "requests": sums(requests), "finish": sums(finish)}))


def sums(values):
    """How many, their sum, and the sum of their squares."""
    return [len(values), sum(values), sum(value * value for value in values)]
