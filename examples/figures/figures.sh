#!/usr/bin/env bash
# Pictures and tables of results folders: ./figures.sh OUT RESULTS…
set -eu
here=$(cd "$(dirname "$0")" && pwd)
pgmpi=${PGMPI:-pgmpi}
python=${PYTHON:-python3}
out=${1:?"usage: figures.sh OUT RESULTS…"}
shift
mkdir -p "$out"

"$pgmpi" figures --out "$out" "$@"
"$pgmpi" export --what samples --out "$out/samples.csv" "$@"
if command -v Rscript >/dev/null; then
    Rscript "$here/latency.R" "$out/samples.csv" "$out/latency.pdf"
fi
if "$python" -c 'import pandas' 2>/dev/null; then
    "$python" "$here/slowest.py" "$out/samples.csv"
fi
