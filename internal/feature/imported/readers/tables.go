package readers

import (
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"pgmpi/guidelines"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
	"pgmpi/measure/results"
)

// tables reads tables of times in text. A title begins a table, whether a guideline is about it or not; a header
// tells the shape of its rows, and whatever has another shape is no row.
type tables struct {
	*input
	format, title, run string
	titled             bool     // the title is of the next header
	function           string   // the title's, or "" if no guideline is about it
	header             *columns // below the title, or nil
	now                Setting
	element            int64 // bytes
	when               time.Time
	m                  *measurement // receives the rows, once begun
}

// columns is what a header says of its rows.
type columns struct {
	n, size, time int
	names         []int             // of cells that are no numbers
	wrong         int               // of the cell that tells of wrong data, or below 1
	statistic     results.Statistic // of the time
	average       bool              // the time is an average over the ranks
	width         int               // of the last row
}

func (t *tables) begin(title, function string) {
	t.title, t.function, t.header, t.m = title, function, nil, nil
	t.titled, t.program = true, ""
}

// byProgram names a table without a title after the program in a line above, else in the file's name.
func (t *tables) byProgram(prefix string) {
	if t.program == "" && t.title == "" {
		t.named(filepath.Base(t.path))
	}
	if title, ok := strings.CutPrefix(t.program, prefix); ok && !t.titled {
		header := t.header
		t.begin(title, collective(title))
		t.header = header
	}
	t.titled = false
	t.nameless = t.nameless || t.title == ""
}

// words stand in cells of numbers.
var words = []string{"N/A", "Pass", "Fail", "---", "-"}

func isNumber(cell string) bool {
	_, err := strconv.ParseFloat(cell, 64)
	return err == nil || slices.Contains(words, cell)
}

// number reads a number, or returns 0 for a word.
func number(cell string) float64 {
	x, _ := strconv.ParseFloat(cell, 64)
	return x
}

// whole reads a number of bytes, elements or repetitions.
func whole(cell string) (n int64, ok bool) {
	x, err := strconv.ParseUint(cell, 10, 62)
	return int64(x), err == nil
}

// fits tells whether cells are a row: as many as the header has, an integer for the size, and numbers.
func (c *columns) fits(cells []string) bool {
	if c == nil || len(cells) != c.n {
		return false
	}
	if _, ok := whole(cells[c.size]); !ok {
		return false
	}
	for i, cell := range cells {
		if !isNumber(cell) && !slices.Contains(c.names, i) {
			return false
		}
	}
	return true
}

// failures are words in place of a row's times: IMB's.
var failures = map[string]string{"time-out.;": timedOut, "out-of-mem.;": noMemory, "int-overflow.;": overflowed,
	"int-overflow;": overflowed}

const (
	timedOut   = "timed out"
	noMemory   = "had too little memory"
	overflowed = "overflowed a number of elements"
	wrongData  = "gave wrong data"
	noTime     = "had no positive time"
)

func (t *tables) row(text string) error {
	cells := strings.Fields(text)
	if len(cells) == 0 {
		return nil
	}
	if t.header != nil && t.function != "" && len(cells) > t.header.size+1 {
		size, ok := whole(cells[t.header.size])
		if why := failures[cells[t.header.size+1]]; why != "" && ok {
			t.lose(t.function, size, why)
			return nil
		}
	}
	switch {
	case (t.function == "" || t.header == nil) && t.title != "" && !slices.ContainsFunc(cells, func(c string) bool { return !isNumber(c) }):
		t.leaveOut(t.title)
		return nil
	case t.function == "" || !t.header.fits(cells) || t.source.Cut && len(t.text) < t.header.width:
		t.skip(text)
		return nil
	}
	t.header.width = len(t.text)
	size, _ := whole(cells[t.header.size])
	if size == 0 { // some programs time an empty call
		t.empty = true
		return nil
	}
	if t.header.failed(cells) {
		t.lose(t.function, size, wrongData)
		return nil
	}
	s, err := inNS(number(cells[t.header.time]) * 1e3)
	if err != nil {
		t.lose(t.function, size, noTime)
		return nil
	}
	if err := t.ready(); err != nil {
		return err
	}
	return t.m.add(t.format, t.function, size, s)
}

// failed tells whether the benchmark found wrong data.
func (c *columns) failed(cells []string) bool { return c.wrong > 0 && isWrong(cells[c.wrong]) }

func isWrong(cell string) bool { return cell == "Fail" || number(cell) != 0 }

// ready begins a measurement for the table.
func (t *tables) ready() error {
	if t.m != nil {
		return nil
	}
	shape, err := t.placed()
	if err != nil {
		return err
	}
	t.now.Shape = shape
	t.m = t.measured(t.now, t.header.statistic)
	t.m.run, t.m.when, t.m.average, t.m.mark = t.run, t.when, t.header.average, strings.TrimSpace(t.modules+" "+t.mark)
	t.measuring = true
	t.m.element = t.element
	return nil
}

// bytesOf has the sizes of elements, which processes do not share.
var bytesOf = map[string]int64{"MPI_CHAR": 1, "MPI_BYTE": 1, "MPI_INT": 4, "MPI_FLOAT": 4, "MPI_DOUBLE": 8, "MPI_LONG": 8}

// each reads all lines. header tells whether a line is not a row.
func (t *tables) each(header func(text string) (bool, error)) error {
	for {
		more, err := t.next()
		if err != nil {
			return err
		}
		if !more {
			return t.none()
		}
		isHeader, err := header(t.text)
		if !isHeader {
			err = t.row(t.text) // which header may have rewritten
		}
		if err != nil {
			return err
		}
	}
}

var (
	// program finds a benchmark's program in a line of a script.
	program   = regexp.MustCompile(`^(.*?)(\S*/)?\S*\b(osu_[a-z_]+|IMB-[A-Z0-9]+)\S*(.*)`)
	loading   = regexp.MustCompile(`\b(?:module +(?:load|add|swap|switch)|ml|spack load) +\S`)
	repeating = regexp.MustCompile(`(?i)\b(?:run|iter|iteration|rep|repetition|repeat|trial|round|attempt)\W*\d+`)
	// processes finds the number of processes, which OSU does not write.
	processes = regexp.MustCompile(`(?:^|\s)(?:-n|-np|--np|--ntasks)(?:=|\s+)(\d+)(?:\s|$)`)
	// implementation finds a library in a heading, as in "=== mpich ===".
	implementation = regexp.MustCompile(`(?i)(?:\b|_)(?:open[ _-]?mpi|ompi|mpich\d?|mvapich\d?|intel[ _-]?mpi|impi|hpc-?x|spectrum[ _-]?mpi)`)
	alarm          = regexp.MustCompile(`(?i)warn|error|fail|abort|mpirun|mpiexec|srun`)
)

// mostWords are in a heading, rules around it included.
const mostWords = 8

// heads tells whether a line is a heading with a library.
func heads(text string) bool {
	return len(text) <= mostMark && len(strings.Fields(text)) <= mostWords && implementation.MatchString(text) &&
		!alarm.MatchString(text)
}

// mostMark limits what a line says of the tables below it.
const mostMark = 100

// marked keeps what a line says besides a benchmark's program, such as the folder of a library: it marks the tables
// below. So does the number of processes.
func (in *input) marked(text string) {
	if found := program.FindStringSubmatch(text); found != nil {
		mark := found[1] + found[2] + " " + found[4]
		mark = strings.Join(strings.Fields(repeating.ReplaceAllString(mark, "")), " ")
		in.mark = mark[:min(len(mark), mostMark)]
		in.program = found[3]
		in.launched(found[1])
	}
}

// launched keeps the number of processes in a command that starts one of OSU's programs.
func (in *input) launched(command string) {
	if in.byCommand {
		in.shape, in.byCommand = guidelines.Shape{}, false
	}
	if found := processes.FindAllStringSubmatch(command, -1); len(found) == 1 && strings.HasPrefix(in.program, "osu_") {
		if shape, err := shapeOf(found[0][1]); err == nil {
			in.shape, in.byCommand = shape, true
		}
	}
}

// named keeps the program in the name of a file.
func (in *input) named(name string) {
	if found := program.FindStringSubmatch(name); found != nil {
		in.program = found[3]
	}
}

// loaded keeps the modules that a script has loaded since the last table, and headings with a library: they mark the
// tables below, too.
func (in *input) loaded(text string) {
	if in.measuring {
		in.modules, in.measuring = "", false
	}
	in.modules += " " + strings.Join(strings.Fields(text), " ")
	in.modules = in.modules[:min(len(in.modules), mostMark)]
}

// skip counts a line that is no row.
func (in *input) skip(text string) {
	switch {
	case strings.Contains(text, "osu_") || strings.Contains(text, "IMB-"):
		in.marked(text)
	case (strings.Contains(text, "module") || strings.Contains(text, "ml ") || strings.Contains(text, "spack")) &&
		loading.MatchString(text): // most lines need no search
		in.loaded(text)
	case heads(text):
		in.loaded(strings.Trim(repeating.ReplaceAllString(text, ""), "=#-*+~_<>[]:, "))
	}
	if in.skipped.n++; len(in.skipped.first) < mostShown {
		in.skipped.first = append(in.skipped.first, fmt.Sprintf("%.60q", text))
	}
}

// mostShown is how many lines and cells a note names.
const mostShown = 5

// lose notes a time that does not count.
func (in *input) lose(function string, size int64, why string) {
	in.lost = append(in.lost, loss{function, size, why})
}

func (in *input) leaveOut(title string) { in.unused = lists.With(in.unused, title) }

// none returns the error of a file without a time, or nil.
func (in *input) none() error {
	if len(in.all) > 0 {
		return nil
	}
	return &noTimes{in.unused, in.lost, in.empty, in.nameless, in.skipped}
}

// noTimes is the error of a file in which no time counts.
type noTimes struct {
	unused          []string
	lost            []loss
	empty, nameless bool
	skipped
}

const noTimesAtAll = "there is no time of a collective"

func (e *noTimes) Error() string {
	text := noTimesAtAll + phrase.When(e.empty, " but of 0 bytes")
	if len(e.unused) > 0 {
		text += "; no guideline is about " + strings.Join(e.unused[:min(len(e.unused), mostShown)], ", ")
	}
	if notes := lossNotes(e.lost); len(notes) > 0 {
		text += "; " + notes[0]
	}
	if e.nameless {
		text += "; a table has no title: write its program above it, as in \"osu_reduce\" or \"# Benchmarking Reduce\""
	}
	if notes := e.skipped.notes(); len(notes) > 0 && text == noTimesAtAll {
		text += "; " + strings.TrimSuffix(notes[0], ".")
	}
	return text
}

func unique(list []string) (out []string) {
	seen := map[string]bool{}
	for _, x := range list {
		if !seen[x] {
			out = append(out, x)
		}
		seen[x] = true
	}
	return out
}

// apart makes tables of one collective below different lines of a script different jobs: a log may go through
// libraries or placements. Below equal lines they are repetitions of one mpirun.
func (in *input) apart() {
	first := map[Setting]map[timedKey]string{}
	differ := false
	for _, m := range in.all {
		if first[m.Setting] == nil {
			first[m.Setting] = map[timedKey]string{}
		}
		for _, c := range m.cases {
			mark, known := first[m.Setting][c.timedKey]
			differ = differ || known && mark != m.mark
			if !known {
				first[m.Setting][c.timedKey] = m.mark
			}
		}
	}
	for _, m := range in.all {
		if differ {
			m.Job = cmp.Or(m.Job, m.mark)
		}
	}
}
