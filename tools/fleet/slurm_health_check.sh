#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# For Slurm's HealthCheckProgram, which ends it after 60 s. Drains the node if a device is wrong, and leaves a reason that
# somebody else gave alone.
#   HealthCheckProgram=/etc/slurm/slurm_health_check.sh
#   HealthCheckInterval=3600
#   HealthCheckNodeState=IDLE
set -u
# HALFMARK_OPTIONS: more options of fleet run, such as --device
# shellcheck disable=SC2086  # one word for each option
folder=${HALFMARK_FOLDER:-/var/spool/halfmark}
node=${SLURMD_NODENAME:-$(hostname -s)}
halfmark fleet run "$folder" --tier "${HALFMARK_TIER:-pulse}" --seed "$(date -u +%Y%j%H)" --run health --node "$node" \
  ${HALFMARK_OPTIONS:-} >"$folder.log" 2>&1
[ $? -eq 1 ] || exit 0
state=$(scontrol show node "$node" --oneliner 2>/dev/null) || exit 0
case $state in
  *DRAIN*) exit 0 ;;
esac
scontrol update NodeName="$node" State=DRAIN Reason="[node_problem] halfmark: a device is wrong, see $folder/health"
