package readers

import (
	"cmp"
	"regexp"
	"strings"

	"pgmpi/guidelines"
	"pgmpi/internal/osu"
	"pgmpi/measure/results"
	"pgmpi/mockups"
)

// osuReader reads the text of osu_bcast and its siblings, also several in one file:
//
//	# OSU MPI Broadcast Latency Test v7.4
//	# Datatype: MPI_CHAR.
//	# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations
//	1                       1.47              0.95              2.01        1000
//
// The text does not say how many processes there were. `pgmpi export --format osu` says it, and
// the library and the mpirun, in more comments.
var osuReader = reader{name: "osu", read: readOSU,
	sniff: func(_, head string) bool { return osuTitle.MatchString(head) }}

var osuTitle = regexp.MustCompile(`(?m)^# OSU MPI\S* (.+?) Latency Test`)

func readOSU(in *input) error {
	t := tables{input: in, format: "osu"}
	return t.each(func(text string) (header bool, wrong error) {
		comment, isComment := strings.CutPrefix(text, "#")
		key, value, _ := strings.Cut(strings.TrimSpace(comment), ":")
		value = strings.TrimSpace(value)
		if found := osuTitle.FindStringSubmatch(text); found != nil {
			function := cmp.Or(osu.Titles[found[1]], found[1])
			if f, _ := mockups.Get(function); !f.HasData() { // else it is a function of ours
				function = collective(function)
			}
			t.begin(found[1], function)
			t.now.Datatype = ""
			return true, nil
		}
		switch {
		case !isComment:
			return false, nil
		case strings.HasPrefix(key, "Size"):
			t.column, t.statistic = osuColumn(key)
			return true, nil
		case key == "Datatype":
			t.now.Datatype = strings.TrimSuffix(value, ".")
		case key == "Library":
			t.now.Version = value
		case key == "Run":
			t.run = value
		case key == "Processes":
			in.shape, wrong = shapeOf(value)
		case key == "Shape":
			in.shape, wrong = guidelines.ParseShape(value)
		}
		t.m = nil
		return true, wrong
	})
}

func osuColumn(line string) (column int, statistic results.Statistic) {
	begins, n := "", 0
	best := map[string]int{}
	for _, word := range strings.Fields(line)[1:] {
		if begins == "" {
			begins = word
			n++
		}
		if strings.HasSuffix(word, ")") || word == "Iterations" {
			best[begins], begins = n, ""
		}
	}
	for _, name := range []string{"Median", "P50"} {
		if best[name] > 0 {
			return best[name], results.Median
		}
	}
	return best["Avg"], results.Mean
}
