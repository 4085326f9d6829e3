#!/usr/bin/env bash
# One night of pgmpi as a job of continuous integration: measures, holds the result
# against the good nights before, and ends as pgmpi does (docs/gate.md has the codes).
# Arguments go to `pgmpi check`; the rest are variables:
#
#   PGMPI             the program (default: pgmpi on the PATH)
#   PGMPI_GUIDELINES  your gl.toml; fix job.np and job.msizes there (default: none)
#   PGMPI_EXPECT      known violations, as `pgmpi expect` writes them (default: expect.toml, if it is there)
#   PGMPI_NIGHTS      keeps report.json of good nights and must outlive the job (default: pgmpi-nights)
#   PGMPI_OUT         the results folder of this night (default: pgmpi-<UTC time>)
#   PGMPI_REPORTS     for what the system shows: JUnit, Markdown, OpenMetrics (default: pgmpi-reports)
set -eu

night=$(date -u +%Y%m%dT%H%M%SZ)
pgmpi=${PGMPI:-pgmpi}
expect=${PGMPI_EXPECT:-expect.toml}
nights=${PGMPI_NIGHTS:-pgmpi-nights}
out=${PGMPI_OUT:-pgmpi-$night}
reports=${PGMPI_REPORTS:-pgmpi-reports}
mkdir -p "$nights" "$reports"

formats=table,junit=$reports/pgmpi.junit.xml,markdown=$reports/pgmpi.md,openmetrics=$reports/pgmpi.prom
if [ "${GITHUB_ACTIONS:-}" = true ]; then
    formats+=,github${GITHUB_STEP_SUMMARY:+,markdown=$GITHUB_STEP_SUMMARY}
fi
args=(--out "$out" --quiet --format "$formats")
[ -z "${PGMPI_GUIDELINES:-}" ] || args+=(--guidelines "$PGMPI_GUIDELINES")

# New is what none of the last twenty good nights has violated.
gate=()
good=$(find "$nights" -mindepth 2 -maxdepth 2 -name report.json | sort | tail -n 20 | paste -sd , -)
[ -z "$good" ] || gate+=(--baseline "$good")
[ ! -e "$expect" ] || gate+=(--expect "$expect")

# Under `bash -e` a bare call would end the script here, and say nothing.
code=0
"$pgmpi" check "${args[@]}" "${gate[@]}" "$@" || code=$?
case $code in
0) echo "pgmpi: no alarm." ;;
1)
    if [ ${#gate[@]} -eq 0 ]; then
        echo "pgmpi: the first night. What it violates is known from now on, and no alarm."
        code=0
    else
        echo "pgmpi: ALARM. The report above begins with what is new; it is also in $out."
        echo "  To accept it as known: pgmpi expect $out >>$expect"
    fi
    ;;
2) echo "pgmpi: nothing was measured: mend what it says above." ;;
3) echo "pgmpi: the measurement failed, or a function gave wrong data or did not return; see above." ;;
4) echo "pgmpi: no verdict is possible: more mpiruns, or a quieter machine; see above." ;;
130) echo "pgmpi: interrupted; the line above goes on in $out." ;;
*) echo "pgmpi: ended with $code; see above." ;;
esac
if [ $code -eq 0 ]; then
    mkdir -p "$nights/$night"
    cp "$out/report.json" "$nights/$night/report.json"
fi
exit $code
