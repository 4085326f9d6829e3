package imported

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
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

func readOSU(in *input) ([]*measurement, error) {
	var all []*measurement
	var now Setting
	var title, function, run string
	column, statistic := 0, results.Mean
	var m *measurement
	for in.next() {
		text := strings.TrimSpace(in.text.Text())
		comment, isComment := strings.CutPrefix(text, "#")
		key, value, _ := strings.Cut(strings.TrimSpace(comment), ":")
		value = strings.TrimSpace(value)
		switch found := osuTitle.FindStringSubmatch(text); {
		case found != nil:
			title, m, now.Datatype = found[1], nil, ""
			if function = osuNames[title]; function == "" {
				function = title
			}
			if f, ok := mockups.Get(function); ok && f.HasData() { // of our own
				function = f.ID
			} else {
				function = collective(function)
			}
		case isComment && key == "Run":
			run, m = value, nil
		case isComment && key == "Datatype":
			now.Datatype, m = strings.TrimSuffix(value, "."), nil
		case isComment && key == "Library":
			now.Version = value
		case isComment && key == "Processes":
			np, _ := strconv.Atoi(value)
			in.shape, m = guidelines.Shape{NP: np}, nil
		case isComment && key == "Shape":
			in.shape, _ = guidelines.ParseShape(value)
		case isComment && strings.HasPrefix(key, "Size"):
			column, statistic = osuColumn(key)
		case isComment, text == "", title == "":
		case function == "" || column == 0:
			if len(all) > 0 {
				all[len(all)-1].leaveOut(title)
			}
		default:
			if m == nil {
				shape, err := in.placed()
				if err != nil {
					return nil, err
				}
				now.Shape = shape
				m = &measurement{Setting: now, statistic: statistic, run: run}
				all = append(all, m)
			}
			if err := m.osuRow(function, strings.Fields(text), column); err != nil {
				return nil, in.err("%w", err)
			}
		}
	}
	if len(all) == 0 && in.end() == nil {
		return nil, in.err("there is no time of a collective")
	}
	return all, in.end()
}

// osuColumn finds the median, or else the mean, in the line that names the columns.
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

func (m *measurement) osuRow(function string, cells []string, column int) error {
	if column >= len(cells) {
		return errShort(len(cells), column+1)
	}
	size, err := strconv.ParseInt(cells[0], 10, 64)
	if err != nil {
		return errSize(cells[0])
	}
	s, err := microseconds(cells[column])
	if err != nil {
		return err
	}
	return m.add("osu", function, size, s)
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
