#!/usr/bin/env bash
# One night: ./night.sh NIGHTS [FLAGS of pgmpi check]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
pgmpi=${PGMPI:-pgmpi}
nights=${1:?"usage: night.sh NIGHTS [FLAGS of pgmpi check]"}
shift

# A bare call would end the script under -e before it shows the history.
code=0
"$pgmpi" check --guidelines "$here/gl.toml" --out "$nights/$(date -u +%Y%m%dT%H%M%SZ)" --baseline "$nights" --quiet "$@" || code=$?
case $code in 0 | 1) "$pgmpi" history "$nights" ;; esac
exit $code
