#!/usr/bin/env bash
# A check of one guideline, and a setting that mends it: ./study.sh gather|reduce OUT [FLAGS of pgmpi check]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
pgmpi=${PGMPI:-pgmpi}
usage="usage: study.sh gather|reduce OUT [FLAGS of pgmpi check]"
study=${1:?$usage} out=${2:?$usage}
shift 2

# 1 means that the guideline is violated, 4 that no setting is shown to help: both are answers.
answer() {
    code=0
    "$pgmpi" "$@" || code=$?
    case $code in 0|1|4) ;; *) exit $code ;; esac
}
answer check "$here/$study.toml" --out "$out" --quiet "$@"
echo
answer remedy "$out" --quiet
