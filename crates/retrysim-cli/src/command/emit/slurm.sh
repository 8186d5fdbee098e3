#!/bin/bash
# A sweep in {{SHARDS}} shards as a Slurm job array. The folder must be one that all nodes see.
#
#   bash THIS_FILE      submits what is missing, waits, and submits again what failed: three rounds, then gathers
#   sbatch THIS_FILE    submits all shards once; `retrysim gather DIR` says what is missing
#
# A shard that is finished is not made again, so that both may be repeated at will. Half a second goes into starting
# a task: shards should take a minute or more. A cluster takes arrays up to its MaxArraySize (1001 unless set).
#SBATCH --job-name=retrysim
#SBATCH --array=0-{{LAST}}
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
#SBATCH --output=retrysim-%A_%a.log
set -euo pipefail

shards={{SHARDS}}
design={{DESIGN}}
parts={{PARTS}}

# A task of the array: one shard.
if [ -n "${SLURM_ARRAY_TASK_ID:-}" ]; then
    exec retrysim sweep "$design" --shard "$SLURM_ARRAY_TASK_ID/$shards" --output "$parts" \
        --threads "${SLURM_CPUS_PER_TASK:-1}" --quiet
fi

# On the login node: submit, wait, look what is missing.
missing="0-$((shards - 1))"
for round in 1 2 3; do
    if compgen -G "$parts/part-*.parquet" >/dev/null; then
        missing=$(retrysim gather "$parts" --missing) && break
    fi
    [ -n "$missing" ] || exit 1 # something else is in the folder, as gather says
    echo "round $round: shards $missing" >&2
    sbatch --wait --array="$missing" "$0" || true
done

exec retrysim gather "$parts" --output "${RESULT:-${parts%/}.csv}"
