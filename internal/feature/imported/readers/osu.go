package readers

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"pgmpi/guidelines"
	"pgmpi/internal/osu"
	"pgmpi/measure/results"
	"pgmpi/mockups"
)

// osuReader reads the text of osu_bcast and its siblings, of C and of Python, also several in one file:
//
//	# OSU MPI Broadcast Latency Test v7.4
//	# Datatype: MPI_CHAR.
//	# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations
//	1                       1.47              0.95              2.01        1000
//
//	# OMB Python MPI Allreduce Test
//	# Size (B)      Latency (us)
//
// Of nonblocking collectives the "Pure Comm." counts: what overlaps with computing is no time of the call.
//
// Excerpts may lack the title: then the line above that names the program, or the file's name, tells it.
// The text does not say how many processes there were. `pgmpi export --format osu` says it, and
// the library and the mpirun, in more comments.
var osuReader = reader{name: "osu", read: readOSU,
	sniff: func(_, head string) bool { return osuTitle.MatchString(head) || osuHeader.MatchString(head) }}

var (
	osuTitle   = regexp.MustCompile(`(?m)^# *(?:OSU|OMB)[ -].*\b(?:Test|Benchmark)\b`)
	osuHeader  = regexp.MustCompile(`(?m)^# *Size +(?:\(B\) +)?(?:Avg )?Latency *\(us\)`)
	osuName    = regexp.MustCompile(`^# *(?:OSU|OMB[- ]?Py(?:thon)?|OMB)\s+((?:MPI|[NRXMH1]*CCL)\S*\s+)?(.+?)\s+Test\b`)
	osuVersion = regexp.MustCompile(` v?\d[0-9.]*\)?$`)
	osuBuffers = regexp.MustCompile(`^# *Send Buffer on (\w+).* and Receive Buffer on (\w+)`)
)

func readOSU(in *input) error {
	t := tables{input: in, format: "osu"}
	return t.each(func(text string) (header bool, wrong error) {
		comment, isComment := strings.CutPrefix(text, "#")
		key, value, _ := strings.Cut(strings.TrimSpace(comment), ":")
		value = strings.TrimSpace(value)
		switch {
		case !isComment:
			return false, nil
		case osuTitle.MatchString(text):
			t.beginOSU(text)
			return true, nil
		case strings.HasPrefix(key, "Size"):
			t.header, t.m = osuColumns(key), nil
			t.byProgram("osu_")
			return true, nil
		case key == "Datatype":
			t.now.Datatype = strings.TrimSuffix(value, ".")
			t.element = bytesOf[t.now.Datatype]
		case key == "Library":
			t.now.Version = value
		case key == "Run":
			t.run = value
		case key == "Processes":
			in.shape, wrong = shapeOf(value)
		case key == "Shape":
			in.shape, wrong = guidelines.ParseShape(value)
		}
		if found := osuBuffers.FindStringSubmatch(text); found != nil {
			t.now.Buffers = strings.TrimSpace(t.now.Buffers + " " + found[1] + "-" + found[2])
		}
		t.m = nil
		return true, wrong
	})
}

// beginOSU begins a table by its title. Buffers in the memory of an accelerator are another setting.
func (t *tables) beginOSU(text string) {
	t.now.Datatype, t.now.Buffers, t.element = "", "", bytesOf["MPI_CHAR"]
	if osuVersion.MatchString(text) { // before it prints a datatype
		t.element = bytesOf["MPI_FLOAT"]
	}
	found := osuName.FindStringSubmatch(text)
	if found == nil {
		t.begin(strings.TrimLeft(text, "# "), "")
		return
	}
	title, latency := found[2], false
	if of := strings.TrimSpace(strings.TrimSuffix(title, "Latency")); of != "" { // 7.6 has no blank before it in some
		title, latency = of, of != title
	}
	function := osuFunction(title)
	if !latency {
		title += " Test"
	}
	t.now.Buffers = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(found[1]), "MPI"), "-")
	t.begin(title, function)
}

// osuFunction returns the function of a title, or "" if no guideline is about it.
func osuFunction(title string) string {
	base, persistent := strings.CutSuffix(title, " Persistent")
	base, nonblocking := strings.CutPrefix(base, "Non-blocking ")
	base = cmp.Or(osu.Titles[base], osu.Titles[base+" Personalized Exchange"], base)
	if f, _ := mockups.Get(base); f.HasData() { // a function of ours
		return base
	}
	function := collective(base)
	switch {
	case function == "":
	case persistent:
		function = mockups.CallOf(function, mockups.Persistent)
	case nonblocking:
		function = mockups.CallOf(function, mockups.Nonblocking)
	}
	if f, _ := mockups.Get(function); !f.HasData() {
		return ""
	}
	return function
}

// osuNames returns the names of a header's columns: words up to one that ends with a unit, or that stands alone.
func osuNames(line string) (names []string) {
	alone := []string{"Size", "Iterations", "Validation", "Window", "MB/s", "Messages/s"}
	name := ""
	for _, word := range strings.Fields(line) {
		if word == "(B)" && len(names) == 1 {
			continue
		}
		name = strings.TrimSpace(name + " " + word)
		if strings.HasSuffix(word, ")") || slices.Contains(alone, word) {
			names, name = append(names, name), ""
		}
	}
	return names
}

// osuTimes lists names of columns; the first one that a header has counts. It is the slowest rank's time where there
// is one: "Avg" and percentiles are of the average over the ranks. What is timed beside computing is no time of the
// call.
var osuTimes = []struct {
	name string
	columns
}{
	{"Max Latency", columns{statistic: results.Mean}},
	{"Median", columns{statistic: results.Median}}, // pgmpi's own, of the slowest rank
	{"P50 Tail Lat", columns{statistic: results.Median, average: true}},
	{"Max Comm.", columns{statistic: results.Mean}},
	{"Avg Latency", columns{statistic: results.Mean, average: true}},
	{"Latency", columns{statistic: results.Mean, average: true}},
	{"Pure Comm.", columns{statistic: results.Mean, average: true}},
}

func osuColumns(line string) *columns {
	names := osuNames(line)
	at := func(begin string) int {
		return slices.IndexFunc(names, func(name string) bool { return strings.HasPrefix(name, begin) })
	}
	for _, of := range osuTimes {
		if of.time = at(of.name); of.time >= 0 {
			of.n, of.wrong = len(names), at("Validation")
			return &of.columns
		}
	}
	return nil
}
