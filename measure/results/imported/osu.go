package imported

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"pgmpi/guidelines"
	"pgmpi/internal/clean"
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

// osuNames are the titles that are not the collective's name.
var osuNames = map[string]string{"Broadcast": "Bcast", "All-to-All Personalized Exchange": "Alltoall", "All-to-Allv Personalized Exchange": "Alltoallv"}

func readOSU(in *input) error {
	t := tables{input: in, format: "osu"}
	return t.each(func(text string) (header bool, wrong error) {
		comment, isComment := strings.CutPrefix(text, "#")
		key, value, _ := strings.Cut(strings.TrimSpace(comment), ":")
		value = strings.TrimSpace(value)
		if found := osuTitle.FindStringSubmatch(text); found != nil {
			function := cmp.Or(osuNames[found[1]], found[1])
			if f, ok := mockups.Get(function); !ok || !f.HasData() { // else it is of our own
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

// OSUTime is a time in OSUText: of a run, or of several together (0).
type OSUTime struct {
	Function string
	Msize    int64
	Shape    guidelines.Shape
	Run      int
	NS       float64
}

// OSUText has medians as OSU's programs print means, a table for each shape, run and function.
func OSUText(library string, times []OSUTime) string {
	times = slices.Clone(times)
	slices.SortStableFunc(times, func(a, b OSUTime) int {
		return cmp.Or(strings.Compare(a.Shape.String(), b.Shape.String()), cmp.Compare(a.Run, b.Run), strings.Compare(a.Function, b.Function), cmp.Compare(a.Msize, b.Msize))
	})
	var out strings.Builder
	for i, t := range times {
		if i == 0 || t.Shape != times[i-1].Shape || t.Run != times[i-1].Run || t.Function != times[i-1].Function {
			title := strings.TrimPrefix(t.Function, "MPI_")
			for name, short := range osuNames {
				if short == title {
					title = name
				}
			}
			fmt.Fprintf(&out, "\n# OSU MPI %s Latency Test, by pgmpi\n# Library: %s\n# Processes: %d\n", clean.Line(title), clean.Line(library), t.Shape.NP)
			if t.Shape.Nodes > 0 {
				fmt.Fprintf(&out, "# Shape: %s\n", t.Shape)
			}
			if t.Run > 0 {
				fmt.Fprintf(&out, "# Run: %d\n", t.Run)
			}
			fmt.Fprintf(&out, "# %-8s%20s\n", "Size", "Median Latency(us)")
		}
		fmt.Fprintf(&out, "%-10d%20.3f\n", sizeOf("osu", t.Function, t.Msize, t.Shape.NP), t.NS/1e3)
	}
	return out.String()
}
