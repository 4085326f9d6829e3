package imported

import (
	"regexp"
	"strconv"
	"strings"

	"pgmpi/guidelines"
	"pgmpi/measure/results"
)

// osuReader reads the text of osu_bcast and its siblings, also several in one file:
//
//	# OSU MPI Broadcast Latency Test v7.4
//	# Datatype: MPI_CHAR.
//	# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations
//	1                       1.47              0.95              2.01        1000
//
// The text does not say how many processes there were. `pgmpi export --format osu` says it, and
// the library, in two more comments.
var osuReader = reader{name: "osu", read: readOSU,
	sniff: func(_, head string) bool { return osuTitle.MatchString(head) }}

var osuTitle = regexp.MustCompile(`(?m)^# OSU MPI\S* (.+?) Latency Test`)

// osuNames are the titles that are not the collective's name.
var osuNames = map[string]string{"Broadcast": "Bcast", "All-to-All Personalized Exchange": "Alltoall", "All-to-Allv Personalized Exchange": "Alltoallv"}

func readOSU(in *input) ([]*measurement, error) {
	var all []*measurement
	var now Setting
	var title, function string
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
			function = collective(function)
		case isComment && key == "Datatype":
			now.Datatype, m = strings.TrimSuffix(value, "."), nil
		case isComment && key == "Library":
			now.Version = value
		case isComment && key == "Processes":
			in.shape.NP, _ = strconv.Atoi(value)
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
				m = &measurement{Setting: now, statistic: statistic}
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
