"""100 clients want to write one row, each once, by optimistic concurrency; full jitter. Four messages an attempt."""

from heapq import heapify, heappop, heappush

from measure import measure

CLIENTS = 100
MEAN, SD = 10.0, 2.0
BASE, CAP = 5.0, 2000.0
READ, READ_REPLY, WRITE, WRITE_REPLY = range(4)


def run(rng):
    def hop():
        return abs(rng.gauss(MEAN, SD))

    events = [(hop(), READ, client, None) for client in range(CLIENTS)]
    heapify(events)
    failures = [0] * CLIENTS
    version = writes = 0
    while events:
        now, kind, client, content = heappop(events)
        if kind == READ:
            heappush(events, (now + hop(), READ_REPLY, client, version))
        elif kind == READ_REPLY:
            heappush(events, (now + hop(), WRITE, client, content))
        elif kind == WRITE:
            writes += 1
            written = content == version
            version += written
            heappush(events, (now + hop(), WRITE_REPLY, client, written))
        elif not content:
            failures[client] += 1
            wait = rng.uniform(0, min(CAP, BASE * 2 ** failures[client]))
            heappush(events, (now + wait + hop(), READ, client, None))
    return writes, now / 1000


measure(run)
