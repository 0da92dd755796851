#!/usr/bin/env bash
# A Slurm of two nodes on this machine, for tests: slurmctld and two slurmd on the loopback
# interface, without accounting. All its files are in one folder, and it does not use the system's
# Slurm configuration. It installs Debian's packages if necessary, which needs root.
#
#   scripts/slurm-local.sh install            install the packages
#   eval "$(scripts/slurm-local.sh start)"    start Slurm, and use it in this shell
#   scripts/slurm-local.sh env                print the environment to export
#   scripts/slurm-local.sh node n2 stop       kill a node and its jobs
#   scripts/slurm-local.sh node n2 start      start it again
#   scripts/slurm-local.sh stop               stop Slurm and remove the folder
#
# STOCHOPT_SLURM is the folder, STOCHOPT_SLURM_ARRAY the MaxArraySize (1001).
set -euo pipefail
PATH=$PATH:/usr/sbin:/sbin

dir=${STOCHOPT_SLURM:-/tmp/stochopt-slurm-$UID}
nodes=(n1 n2)
packages=(slurmctld slurmd slurm-client munge)

say() { echo "slurm-local: $*" >&2; }
fail() {
  say "$@"
  exit 1
}

# alive reports whether a process runs. A zombie does not.
alive() { readlink -q "/proc/$1/exe" >/dev/null; }
running() { [[ -f $1 ]] && alive "$(<"$1")"; }

# install_slurm installs the packages without starting their services.
install_slurm() {
  command -v slurmctld slurmd sbatch munged >/dev/null && return
  command -v apt-get >/dev/null || fail "Slurm is not installed, and there is no apt-get: install ${packages[*]}"
  ((UID == 0)) || fail "Slurm is not installed, and only root can install it: apt-get install ${packages[*]}"
  say "installing ${packages[*]}"
  local log
  log=$(mktemp)
  if ! { apt-get update -qq && RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}"; } >"$log" 2>&1; then
    tail -5 "$log" >&2
    rm -f "$log"
    fail "cannot install ${packages[*]}"
  fi
  rm -f "$log"
}

# free_port prints the first port p from $1 on, in steps of 10, such that p, p+1 and p+2 are free.
free_port() {
  local port p busy
  for ((port = $1; port < $1 + 1000; port += 10)); do
    busy=
    for p in "$port" $((port + 1)) $((port + 2)); do
      if (: <"/dev/tcp/127.0.0.1/$p") 2>/dev/null; then busy=1; fi
    done
    [[ $busy ]] || { echo "$port" && return; }
  done
  fail "no free ports from $1 on"
}

configure() {
  local port user
  port=$(free_port 17817)
  user=$(id -un)
  cat >"$dir/slurm.conf" <<CONF
ClusterName=local
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=$port
SlurmUser=$user
SlurmdUser=$user
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
AuthType=auth/munge
AuthInfo=socket=$dir/munge.socket,cred_expire=5
CredType=cred/munge
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool/%n
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.%n.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SwitchType=switch/none
MpiDefault=none
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
SlurmdParameters=config_overrides
SchedulerParameters=sched_min_interval=100000,sched_interval=1,bf_interval=1
MaxArraySize=${STOCHOPT_SLURM_ARRAY:-1001}
ReturnToService=2
KillWait=5
CONF
  for i in "${!nodes[@]}"; do
    echo "NodeName=${nodes[i]} NodeAddr=127.0.0.1 NodeHostname=${nodes[i]} Port=$((port + 1 + i)) CPUs=4 State=UNKNOWN" >>"$dir/slurm.conf"
  done
  echo "PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP" >>"$dir/slurm.conf"
}

start_node() { slurmd -N "$1" >>"$dir/start.log" 2>&1 || fail "slurmd does not start: see $dir/slurmd.$1.log"; }

# stop_node kills a node like a power failure: the daemon, then the step daemons, so that none reports
# how the jobs ended, then the jobs.
stop_node() {
  local pid parent jobs=() watchers=()
  if running "$dir/slurmd.$1.pid"; then kill -KILL "$(<"$dir/slurmd.$1.pid")"; fi
  for pid in $(cd /proc && echo [0-9]*); do
    # The environment of a job has its node and its configuration file.
    grep -qzx "SLURMD_NODENAME=$1" "/proc/$pid/environ" 2>/dev/null || continue
    grep -qzx "SLURM_CONF=$dir/slurm.conf" "/proc/$pid/environ" 2>/dev/null || continue
    jobs+=("$pid")
    parent=$(awk '/^PPid:/ {print $2}' "/proc/$pid/status" 2>/dev/null) || continue
    if [[ $(cat "/proc/$parent/comm" 2>/dev/null) == slurmstepd ]]; then watchers+=("$parent"); fi
  done
  for pid in ${watchers[@]+"${watchers[@]}"} ${jobs[@]+"${jobs[@]}"}; do kill -KILL "$pid" 2>/dev/null || true; done
}

wait_for() {
  local what=$1 i
  shift
  for ((i = 0; i < 300; i++)); do
    if "$@"; then return; fi
    sleep 0.1
  done
  tail -3 "$dir"/*.log >&2
  fail "$what: nothing after 30 seconds"
}

idle() { [[ $(sinfo -h -N -t idle -o %N 2>/dev/null | wc -l) == "${#nodes[@]}" ]]; }

start() {
  install_slurm
  running "$dir/slurmctld.pid" && fail "already running in $dir: stop it first"
  rm -rf "$dir"
  (umask 022 && mkdir -p "$dir/state" "${nodes[@]/#/$dir/spool/}")
  configure
  export SLURM_CONF=$dir/slurm.conf
  (umask 077 && head -c 1024 /dev/urandom >"$dir/munge.key")
  munged --key-file="$dir/munge.key" --socket="$dir/munge.socket" --pid-file="$dir/munged.pid" \
    --log-file="$dir/munged.log" --seed-file="$dir/munged.seed" >"$dir/start.log" 2>&1 ||
    { cat "$dir/start.log" >&2 && fail "munged does not start"; }
  slurmctld >>"$dir/start.log" 2>&1 || { cat "$dir/start.log" >&2 && fail "slurmctld does not start"; }
  for n in "${nodes[@]}"; do start_node "$n"; done
  wait_for "the nodes" idle
  show_env
}

show_env() { printf 'export SLURM_CONF=%q\n' "$dir/slurm.conf"; }

stop() {
  [[ -d $dir ]] || return 0
  export SLURM_CONF=$dir/slurm.conf
  if running "$dir/slurmctld.pid"; then
    scancel -u "$(id -un)" 2>/dev/null || true
    for ((i = 0; i < 100; i++)); do
      [[ $(squeue -h 2>/dev/null) ]] || break
      sleep 0.1
    done
  fi
  for n in "${nodes[@]}"; do stop_node "$n"; done
  for name in slurmctld munged; do
    if running "$dir/$name.pid"; then
      pid=$(<"$dir/$name.pid")
      kill "$pid"
      for ((i = 0; i < 100; i++)); do
        alive "$pid" || break
        sleep 0.1
      done
    fi
  done
  rm -rf "$dir"
}

case ${1:-} in
install) install_slurm ;;
start) start ;;
stop) stop ;;
env) [[ -f $dir/slurm.conf ]] || fail "not running: start it first" && show_env ;;
node)
  [[ " ${nodes[*]} " == *" ${2:-} "* ]] || fail "node NAME start|stop: the nodes are ${nodes[*]}"
  export SLURM_CONF=$dir/slurm.conf
  case ${3:-} in
  start) start_node "$2" ;;
  stop) stop_node "$2" ;;
  *) fail "node $2 start|stop" ;;
  esac
  ;;
*) fail "install, start, stop, env or node NAME start|stop" ;;
esac
