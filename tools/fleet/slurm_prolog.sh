#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# For Slurm's Prolog and Epilog. A prolog that fails drains the node and requeues the job, so only a device that is wrong
# fails it; a machine that prevents an answer is logged.
#   Prolog=/etc/slurm/slurm_prolog.sh
set -u
# HALFMARK_OPTIONS: more options of fleet run, such as --device
# shellcheck disable=SC2086  # one word for each option
folder=${HALFMARK_FOLDER:-/var/spool/halfmark}
tier=${HALFMARK_TIER:-prolog}
# A new seed each day asks another share of the cases.
halfmark fleet run "$folder" --tier "$tier" --seed "$(date -u +%Y%j)" \
  --run "$tier-${SLURM_JOB_ID:-none}" --node "${SLURMD_NODENAME:-$(hostname -s)}" ${HALFMARK_OPTIONS:-} >"$folder.log" 2>&1
code=$?
case $code in
  0) exit 0 ;;
  1) exit 1 ;;
  *) logger -t halfmark "no answer before job ${SLURM_JOB_ID:-none}: exit code $code" || true; exit 0 ;;
esac
