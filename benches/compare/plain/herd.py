"""1,000 clients fail together while a service boots; full jitter."""

from collections import defaultdict

from measure import measure

TICK = 0.01
CLIENTS, CAPACITY = 1000, 5
WINDOW, LIMIT, DOWN = 10, 100, 100
BASE, CAP = 0.1, 10.0


def run(rng):
    inbox = defaultdict(list)
    inbox[0] = list(range(CLIENTS))
    failures = [0] * CLIENTS
    window = [0] * WINDOW
    up_at = DOWN
    requests = done = 0
    for tick in range(12_000):
        batch = inbox.pop(tick, [])
        requests += len(batch)
        window[tick % WINDOW] = len(batch)
        if tick >= up_at and sum(window) > LIMIT:
            up_at = tick + DOWN
        served = set(rng.sample(batch, min(CAPACITY, len(batch)))) if tick >= up_at else set()
        for client in batch:
            if client in served:
                done += 1
            else:
                failures[client] += 1
                wait = rng.uniform(0, min(CAP, BASE * 2 ** failures[client]))
                inbox[tick + 1 + round(wait / TICK)].append(client)
        if done == CLIENTS:
            return requests, (tick + 1) * TICK
    return requests, None


measure(run)
