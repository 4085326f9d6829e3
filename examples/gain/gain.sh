#!/usr/bin/env bash
# What a program would gain, in two modes: ./gain.sh OUT [FLAGS of pgmpi check]
# MPICC and MPIRUN are the compiler wrapper and launcher of one MPI library, STEPS how long the program runs.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
pgmpi=${PGMPI:-pgmpi}
out=${1:?"usage: gain.sh OUT [FLAGS of pgmpi check]"}
shift

mkdir -p "$out"
"${MPICC:-mpicc}" -O2 -o "$out/solver" "$here/solver.c"
for mode in "halo 100000" "columns 131072"; do
    name=${mode%% *}
    read -r -a words <<<"$mode ${STEPS:-500}"
    echo "== $mode"
    "$pgmpi" profile --out "$out/$name.prof" -- "${MPIRUN:-mpirun}" -np 2 "$out/solver" "${words[@]}"
    # 1 means that a guideline is violated: that is what gain needs.
    code=0
    "$pgmpi" check --calls "$out/$name.prof" --out "$out/$name" --quiet "$@" || code=$?
    [ $code -le 1 ] || exit $code
    "$pgmpi" gain "$out/$name" "$out/$name.prof"
done
