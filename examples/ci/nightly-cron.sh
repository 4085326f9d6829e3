#!/usr/bin/env bash
# nightly.sh for cron, which mails what a job prints: nothing on a good night.
#
#   0 3 * * *  PGMPI=/opt/pgmpi/bin/pgmpi /opt/pgmpi/examples/ci/nightly-cron.sh "$HOME/pgmpi-nightly"
#
# The first argument is the folder that everything is kept in; it has gl.toml and
# expect.toml, if you have them. The rest goes to `pgmpi check`.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
if [ $# -eq 0 ]; then
    echo "usage: nightly-cron.sh FOLDER [FLAGS of pgmpi check]" >&2
    exit 2
fi
mkdir -p "$1"
cd "$1"
shift
exec 9>.nightly.lock
if ! flock -n 9; then
    echo "pgmpi: the night before has not ended yet; nothing was measured." >&2
    exit 2
fi
if [ -e gl.toml ]; then
    export PGMPI_GUIDELINES=${PGMPI_GUIDELINES:-gl.toml}
fi
code=0
bash -e "$here/nightly.sh" "$@" >nightly.log 2>&1 9>&- || code=$?
[ $code -eq 0 ] || cat nightly.log
exit $code
