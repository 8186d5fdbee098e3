#!/bin/bash
# A sweep in {{SHARDS}} shards on this machine, with GNU parallel if it is there, else with xargs.
#
#   bash THIS_FILE      makes what is missing and gathers it; JOBS=8 for eight shards at once
#
# Stop it when you like: a shard that is finished is not made again.
set -euo pipefail

shards={{SHARDS}}
export design={{DESIGN}} parts={{PARTS}} shards
jobs=${JOBS:-$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN)}

shard='exec retrysim sweep "$design" --shard "$1/$shards" --output "$parts" --threads 1 --quiet'

# A shard that fails stops no other; what is missing in the end is said by gather.
if command -v parallel >/dev/null; then
    seq 0 {{LAST}} | parallel --jobs "$jobs" --retries 3 -q bash -c "$shard" shard {} || true
else
    seq 0 {{LAST}} | xargs -P "$jobs" -n 1 bash -c "$shard" shard || true
fi

exec retrysim gather "$parts" --output "${RESULT:-${parts%/}.csv}"
