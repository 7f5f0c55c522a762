#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A plug-in of Node Problem Detector. It only reads the last report, since the detector waits 5 seconds: exit code 0 is well,
# 1 is a problem, 2 is unknown; one line of at most 80 characters.
report=${HALFMARK_REPORT:-/var/lib/halfmark/report.json}
most_age_minutes=${HALFMARK_MOST_AGE_MINUTES:-180}
if [ ! -r "$report" ]; then
  echo "halfmark: no report yet"
  exit 2
fi
if [ -z "$(find "$report" -mmin "-$most_age_minutes")" ]; then
  echo "halfmark: the last report is older than $most_age_minutes minutes"
  exit 2
fi
case $(sed -n 's/^  "exit_code": \([0-9]*\),*$/\1/p' "$report") in
  0) echo "halfmark: all devices conform"; exit 0 ;;
  1) echo "halfmark: a device is wrong"; exit 1 ;;
  *) echo "halfmark: a device gave no answer"; exit 2 ;;
esac
