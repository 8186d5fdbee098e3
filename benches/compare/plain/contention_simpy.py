"""As `contention.py`, with simpy: a process a client."""

import simpy

from measure import measure

CLIENTS = 100
MEAN, SD = 10.0, 2.0
BASE, CAP = 5.0, 2000.0


class Row:
    def __init__(self):
        self.version = 0
        self.writes = 0

    def write(self, seen):
        self.writes += 1
        written = seen == self.version
        self.version += written
        return written


def client(env, row, rng):
    def hop():
        return env.timeout(abs(rng.gauss(MEAN, SD)))

    failures = 0
    while True:
        yield hop()
        seen = row.version
        yield hop()
        yield hop()
        written = row.write(seen)
        yield hop()
        if written:
            return
        failures += 1
        yield env.timeout(rng.uniform(0, min(CAP, BASE * 2**failures)))


def run(rng):
    env, row = simpy.Environment(), Row()
    for _ in range(CLIENTS):
        env.process(client(env, row, rng))
    env.run()
    return row.writes, env.now / 1000


measure(run)
