#!/usr/bin/env bash
# Figure 1 of the PGMPI paper from results folders: ./notebook.sh OUT RESULTS…
set -eu
here=$(cd "$(dirname "$0")" && pwd)
pgmpi=${PGMPI:-pgmpi}
python=${PYTHON:-python3}
out=${1:?"usage: notebook.sh OUT RESULTS…"}
shift
mkdir -p "$out"

"$pgmpi" export --out "$out/samples.csv" "$@"
if "$python" -c 'import matplotlib, nbconvert, pandas' 2>/dev/null; then
    cp "$here/nrep.ipynb" "$out"
    (cd "$out" && SAMPLES=samples.csv "$python" -m nbconvert --to notebook --execute --inplace nrep.ipynb)
fi
if command -v Rscript >/dev/null; then
    Rscript "$here/nrep.R" "$out/samples.csv" "$out/rse-r.pdf"
fi
