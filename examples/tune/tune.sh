#!/usr/bin/env bash
# Both set-ups alternately: ./tune.sh OUT [FLAGS of pgmpi ab]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
pgmpi=${PGMPI:-pgmpi}
out=${1:?"usage: tune.sh OUT [FLAGS of pgmpi ab]"}
shift

# 1 means that something became slower or newly violated: it is shown, and no failure of the script.
code=0
"$pgmpi" ab "$here/plain.toml" "$here/malloc.toml" --out "$out" --quiet "$@" || code=$?
[ $code -le 1 ] || exit $code
echo
for side in a b; do
    "$pgmpi" times "$out/$side"
done
