#!/usr/bin/env bash
# A check of one's own guidelines: ./check.sh OUT [FLAGS of pgmpi check]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
pgmpi=${PGMPI:-pgmpi}
out=${1:?"usage: check.sh OUT [FLAGS of pgmpi check]"}
shift

"$pgmpi" list --guidelines "$here/gl.toml" | grep -e reduce-large -e bcast-grows -e scan-splits
exec "$pgmpi" check --guidelines "$here/gl.toml" --out "$out" --quiet "$@"
