// Package awk reads tables of times with awk, to hold what pgmpi reads against another program.
package awk

import (
	"regexp"
	"strconv"
	"strings"
)

// Cells prints collective, processes, size and time in µs of each row of OSU's and IMB's tables.
const Cells = `
/^# OSU / { name = ""; if (match($0, /MPI(-[A-Z]+)? .* Latency Test/)) { name = substr($0, RSTART, RLENGTH); sub(/^MPI(-[A-Z]+)? /, "", name); sub(/ Latency Test/, "", name) } p = 0 }
/^# Size/ { column = /Max Latency/ ? 4 : 2; n = NF - 1; if (/Latency\(us\)/ == 0) name = ""; cells = gsub(/[^ ]+\(us\)|Iterations|Validation/, "&") + 1 }
/^# Benchmarking / { name = $3; p = 0 }
/^# #processes = / { p = $4 }
/#bytes #repetitions/ { column = 4; cells = NF; if (!/t_max/) name = "" }
name != "" && NF == cells && $1 ~ /^[0-9]+$/ && $1 > 0 && $column ~ /^[0-9.]+$/ && $column > 0 { print name "\t" p "\t" $1 "\t" $column }
`

// collectiveTitle finds files with a collective that guidelines are about.
var collectiveTitle = regexp.MustCompile(`^(?:Broadcast|All-to-Allv? Personalized Exchange|(?:All|Reduce_?|Gather|Scatter|Bcast)[a-z_]*)\t`)

// Rows returns the times that Cells has printed, by collective, processes and size.
func Rows(printed string) map[string][]float64 {
	rows := map[string][]float64{}
	for line := range strings.Lines(printed) {
		if cut := strings.LastIndex(line, "\t"); collectiveTitle.MatchString(line) {
			us, _ := strconv.ParseFloat(strings.TrimSpace(line[cut:]), 64)
			rows[line[:cut]] = append(rows[line[:cut]], us)
		}
	}
	return rows
}
