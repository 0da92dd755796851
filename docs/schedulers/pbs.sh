#!/bin/bash
#PBS -N stochopt
#PBS -J 1-20
#PBS -l select=1:ncpus=4:mem=8gb
#PBS -l walltime=12:00:00
#PBS -j oe
#PBS -r y
# One shard of twenty, with what -J says, in PBS Professional and OpenPBS. In Torque the array
# is "#PBS -t 1-20", its index $PBS_ARRAYID, and the resources "-l nodes=1:ppn=4,mem=8gb".
set -euo pipefail
shards=20
cd "$PBS_O_WORKDIR"
exec ./stochopt run my.yaml --out results --shard "$PBS_ARRAY_INDEX/$shards" -j 4 --memory 6GiB
