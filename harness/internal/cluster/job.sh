#!/bin/bash
# Every job that stochopt submits runs this script. The first argument is the number of shards of an
# array, 0 for a single job. The other arguments are the command to run.
shards=$1
shift
job=${SLURM_JOB_ID:-}
if ((shards)); then
  # The SLURM_JOB_ID of a task may be the number of the array.
  job=${SLURM_ARRAY_JOB_ID:-}_$SLURM_ARRAY_TASK_ID
  set -- "$@" --shard "$SLURM_ARRAY_TASK_ID/$shards"
fi
# Slurm sends USR1 before the time limit (--signal), and TERM to a cancelled job.
late= stopped= command=
stop() {
  stopped=1
  if [ "$command" ]; then kill -TERM "$command" 2>/dev/null; fi
}
trap 'late=1; stop' USR1
trap stop TERM
"$@" &
command=$!
if [ "$stopped" ]; then stop; fi
wait "$command"
code=$?
if [ "$stopped" ]; then
  trap '' USR1 TERM
  wait "$command"
  code=$?
fi
if [ "$late" ] && [ "$code" = 130 ]; then
  if ((${SLURM_RESTART_COUNT:-0} < 10)); then
    echo "stochopt: the job stopped before its time limit and goes back into the queue"
    scontrol requeue "$job" && exit "$code"
  else
    echo "stochopt: the job was requeued ten times and has reached its time limit again; it is not requeued"
  fi
fi
echo "stochopt: exit code $code"
exit "$code"
