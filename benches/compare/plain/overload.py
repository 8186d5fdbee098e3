"""Six clients meet a service that bears four calls at once and loses all of them under more; full jitter."""

from heapq import heappop, heappush

from measure import measure

CLIENTS, CAPACITY, CALL = 6, 4, 100.0
BASE, CAP, ATTEMPTS = 100.0, 800.0, 5
HORIZON = 2000.0
END, START = 0, 1


def run(rng):
    events = [(0.0, START, client) for client in range(CLIENTS)]
    attempts = [0] * CLIENTS
    in_flight, doomed = set(), set()
    requests = successes = 0
    finish = None
    while events:
        now, kind, client = heappop(events)
        if kind == START:
            if now >= HORIZON:
                continue
            requests += 1
            attempts[client] += 1
            in_flight.add(client)
            if len(in_flight) > CAPACITY:
                doomed |= in_flight
            heappush(events, (now + CALL, END, client))
        else:
            in_flight.remove(client)
            if client not in doomed:
                successes += 1
                finish = now / 1000
            else:
                doomed.remove(client)
                if attempts[client] < ATTEMPTS:
                    wait = rng.uniform(0, min(CAP, BASE * 2 ** (attempts[client] - 1)))
                    heappush(events, (now + wait, START, client))
    return requests, finish if successes == CLIENTS else None


measure(run)
