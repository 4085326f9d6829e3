package readers

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"pgmpi/guidelines"
	"pgmpi/internal/feature/imported/source"
	"pgmpi/measure/results"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// Each condition of a rule has here a case that it alone decides.

func TestAFileIsOfAProgramByEachOfItsMarks(t *testing.T) {
	const version = `"nccl_version"`
	for i, c := range []struct {
		format, path, head string
		want               bool
	}{
		{"imb", "x", "# Intel(R) MPI Benchmarks 2021, MPI-1 part", true}, {"imb", "x", "MPI Benchmarks", false}, {"imb", "x",
			"# Benchmarks", false}, {"imb", "x", "# Intel (R) MPI Benchmark Suite V3.2, MPI-1 part", true},
		{"imb", "x", "text\n# Benchmarking Bcast\n", true}, {"imb", "x", "Benchmarking Bcast\n", true}, {"imb", "x", "Benchmarking of Bcast\n", false},
		{"imb", "x", "#bytes #repetitions t_min[usec] t_max[usec] t_avg[usec]", true}, {"osu", "x", "# Size       Avg Latency(us)", true}, {"osu", "x", "# Size  Bandwidth (MB/s)", false},
		{"nccl", "x", ` {"args"` + version, true}, {"nccl", "x", version, false}, {"nccl", "x", "{", false},
		{"pico", "a/8_ring_int8.csv", "highest\n1\n2\n", true}, {"pico", "a/ring_int8.csv", "highest\n", false},
		{"pico", "a/8_ring_int8.csv", "mean\nhighest\n", false},
		{"osu", "x", "#\n# OSU MPI-CUDA Broadcast Latency Test v7", true}, {"osu", "x", "# OSU MPI Bandwidth Test v7",
			true}, {"osu", "x", "# OSU is a university", false}, {"osu", "x", "# OMB Python MPI Allreduce Test", true},
		{"reprompi", "x", "#@nprocs=2", true}, {"reprompi", "x", "#nprocs=2", false},
	} {
		at := slices.IndexFunc(readers, func(r reader) bool { return r.name == c.format })
		should.Equal(t, readers[at].sniff(c.path, c.head), c.want, "%d: %s %q", i, c.format, c.head)
	}
}

func TestTheFirstMebibyteTellsOfWhichProgramAFileIs(t *testing.T) {
	const title = "\n# OSU MPI Broadcast Latency Test"
	path := filepath.Join(t.TempDir(), "x")
	readerOf := func(from string) string {
		f := file{path: path}
		if err := f.recognise(from); err != nil {
			should.Fail(t, err, path)
		}
		return f.name
	}
	for length, want := range map[int]string{source.MostLine: "osu", source.MostLine + 1: "", 0: ""} {
		text := ""
		if length > 0 {
			text = strings.Repeat(" ", length-len(title)) + title
		}
		must.Do(t, os.WriteFile(path, []byte(text), 0o666))
		should.Equal(t, readerOf(""), want, "%d B", length)
	}
	must.Do(t, os.WriteFile(path, []byte(osuText), 0o666))
	should.Equal(t, readerOf("osu"), "osu")
	should.Equal(t, readerOf("imb"), "", "of another program than was named")
}

func TestFilesAreThoseThatAreNamedAndRegularOnesBelowFolders(t *testing.T) {
	dir := t.TempDir()
	text, link, odd := filepath.Join(dir, "text"), filepath.Join(dir, "link"), filepath.Join(dir, "odd")
	must.Do(t, os.WriteFile(text, []byte(osuSizes(1)), 0o666))
	must.Do(t, os.WriteFile(odd, []byte("hello\n"), 0o666))
	must.Do(t, os.Symlink(text, link))
	for name, c := range map[string]struct {
		path, from string
		files      string
		skipped    int
		err        string
	}{
		"a folder":                 {dir, "", "osu text", 1, ""},
		"a link":                   {link, "", "osu link", 0, ""},
		"as it was said":           {text, "osu", "osu text", 0, ""},
		"in spite of its text":     {text, "imb", "imb text", 0, ""},
		"not known, the first one": {odd, "osu", "osu odd", 0, ""},
		"not known":                {odd, "", "", 0, "name it with --from"},
		"a folder of another":      {dir, "imb", "", 0, "no file of"},
		"no program":               {text, "osi", "", 0, "--from"},
		"no file at all":           {os.DevNull, "", "", 0, "a file is wanted"},
		"below a file":             {filepath.Join(text, "x"), "", "", 0, "not a directory"},
	} {
		all, skipped, err := find([]string{c.path}, c.from)
		if c.err != "" {
			should.Fail(t, err, c.err, name)
			continue
		}
		var got []string
		for _, f := range all {
			got = append(got, f.name+" "+filepath.Base(f.path))
		}
		should.Hold(t, err == nil && strings.Join(got, ", ") == c.files && skipped == c.skipped,
			"%s: %v, %d skipped, %v", name, got, skipped, err)
	}
	for _, paths := range [][]string{{text, dir}, {dir, text}, {dir, dir}} {
		_, _, err := find(paths, "")
		should.Fail(t, err, "given twice")
	}
	_, leftOut, err := Each([]string{dir}, Given{}, func(j *Job, _ bool) (*Job, error) { return j, nil })
	should.Hold(t, err == nil && slices.Equal(leftOut, []string{"1 file that no reader knows"}), "%q, %v", leftOut,
		err)
	_, err = (&file{path: filepath.Join(dir, "none")}).measurements(Given{}, nil)
	should.Hold(t, err != nil, "a file that is gone")
}

func TestAJobIsAloneWhereThereIsNoOther(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		must.Do(t, os.WriteFile(path, []byte(text), 0o666))
		return path
	}
	small, more, imb := write("2", osuSizes(1)), write("4", strings.Replace(osuSizes(1), "Processes: 2",
		"Processes: 4", 1)), write("imb", imbText[:strings.LastIndex(imbText, "# Benchmarking")])
	for _, c := range []struct {
		paths []string
		want  []bool
	}{{[]string{small}, []bool{true}}, {[]string{small, more}, []bool{false, false}}, {[]string{small, imb},
		[]bool{false, false}}} {
		got, _, err := Each(c.paths, Given{}, func(_ *Job, alone bool) (bool, error) { return alone, nil })
		should.Hold(t, err == nil && slices.Equal(got, c.want), "%v: %v, %v", c.paths, got, err)
	}
	_, _, err := Each([]string{small}, Given{}, func(*Job, bool) (bool, error) { return false, errors.New("no room") })
	should.Fail(t, err, "no room")
}

func TestALineOfAnyLengthIsOne(t *testing.T) {
	for _, length := range []int{source.MostLine - 1, source.MostLine, 3 * source.MostLine} {
		its := "# Processes: 2" + osuText[:strings.Index(osuText, "\n\n")+1] + "#" + strings.Repeat("-", length-1) +
			"\n16 2.00 1 3.00 1000\n"
		all, err := text(t, "osu", "x", its, Given{})
		should.Hold(t, err == nil && len(all) == 2 && shown(all[1]) == "MPI_Bcast 16 3000", "%d characters: %v, %v", length, all, err)
	}
	at := slices.IndexFunc(readers, func(r reader) bool { return r.name == "nccl" })
	f := file{path: "x", reader: readers[at]}
	_, err := f.parse(&input{}, iotest.ErrReader(errors.New("the disk is gone")), source.MostLine)
	should.Fail(t, err, "x: the disk is gone")
}

func TestProcessesAreThoseOfTheFileOrThoseThatWereGiven(t *testing.T) {
	for text, want := range map[string]int{"1": 1, "2": 2,
		strconv.Itoa(guidelines.MaxProcesses): guidelines.MaxProcesses, "0": 0, strconv.Itoa(guidelines.MaxProcesses +
			1): 0, "x": 0} {
		s, err := shapeOf(text)
		should.Hold(t, (err == nil) == (want > 0) && (err != nil || s.NP == want), "%s: %d, %v", text, s.NP, err)
	}
	for _, c := range []struct{ file, given, want int }{{1, 0, 1}, {0, 1, 1}, {1, 1, 1}, {1, 2, 0}, {2, 1, 0}, {0, 0,
		0}} {
		in := &input{Given: Given{Shape: guidelines.Shape{NP: c.given}}, shape: guidelines.Shape{NP: c.file}}
		s, err := in.placed()
		should.Hold(t, (err == nil) == (c.want > 0) && (err != nil || s.NP == c.want), "%+v: %d, %v", c, s.NP, err)
	}
}

func TestTimesArePositiveAndRoundedToANanosecond(t *testing.T) {
	for ns, want := range map[float64]int64{.1: 1, .4: 1, 1.4: 1, 1.6: 2, math.Nextafter(1e18, 0): 1e18 - 128,
		1e18: 0, 0: 0, -1: 0, math.Inf(1): 0} {
		s, err := inNS(ns)
		should.Hold(t, (err == nil) == (want > 0) && s.NS == want, "%v: %d, %v", ns, s.NS, err)
	}
	for text, want := range map[string]int64{
		"0": 0, "0.0000000004": 0, "0.0000000005": 1, "0.000000001": 1, "3.5": 35e8, "-1.5": -15e8, "12.": 12e9,
		"1.00000000009": 1e9,
		"8589934591":    8589934591e9, "8589934592": -1, "0.0000000000a": -1, "0.a": -1, "a": -1,
	} {
		ns, err := nanoseconds(text)
		should.Hold(t, (err != nil) == (want == -1) && (err != nil || ns == want), "%s: %d, %v", text, ns, err)
	}
}

func TestWhatIsAddedIsABlock(t *testing.T) {
	m := &measurement{Setting: Setting{Shape: guidelines.Shape{NP: 4}}}
	must.Do(t, m.add("osu", "MPI_Reduce_scatter", 4))
	should.Hold(t, len(m.cases) == 1 && m.cases[0].msize == 1, "an element of no size has a byte: %+v", m.cases)
	should.Hold(t, m.add("osu", "MPI_Bcast", -1) != nil, "a size below 0")
	for name, want := range map[string]string{"Bcast": "MPI_Bcast", "MPI_BCAST": "MPI_Bcast", "Barrier": "",
		"reduce_as_allreduce": "", "PingPong": ""} {
		should.Equal(t, collective(name), want, name)
	}
}

func TestRowsOfOSUAreOfTheirTitleAndItsComments(t *testing.T) {
	const table = "# Size  Avg Latency(us)  Iterations  Median Latency(us)\n"
	read := func(its string) string {
		all := must.Get(text(t, "osu", "x", "# Processes: 2\n"+its, Given{}))(t)
		var out []string
		for _, m := range all {
			out = append(out, fmt.Sprintf("%s %s %s [%s] %s", m.run, m.Version, m.Datatype, shown(m),
				strings.Join(m.unused, ", ")))
		}
		return strings.Join(out, "; ")
	}
	const bcast = "# OSU MPI Broadcast Latency Test v7\n"
	for name, c := range map[string][2]string{
		"a title":             {bcast + table + "1 2 3 4\n", "   [MPI_Bcast 1 4000] "},
		"rows before a title": {"1 2 3 4\n" + bcast + table + "1 2 3 4\n", "   [MPI_Bcast 1 4000] "},
		"a size of nothing":   {bcast + table + "0 0 0 0\n1 2 3 4\n", "   [MPI_Bcast 1 4000] "},
		"a title after rows": {bcast + "# Datatype: MPI_CHAR.\n" + table +
			"1 2 3 4\n# OSU MPI Reduce Latency Test v7\n" + table + "1 2 3 5\n",
			"  MPI_CHAR [MPI_Bcast 1 4000] ;    [MPI_Reduce 1 5000] "},
		"a title without columns": {bcast + table + "1 2 3 4\n# OSU MPI Reduce Latency Test v7\n1 2 3 5\n",
			"   [MPI_Bcast 1 4000] Reduce"},
		"a title of no collective": {bcast + table + "1 2 3 4\n# OSU MPI Foo Latency Test v7\n" + table +
			"1 2 3 5\n", "   [MPI_Bcast 1 4000] Foo"},
		"a title without data": {bcast + table + "1 2 3 4\n# OSU MPI Barrier Latency Test v7\n" + table +
			"1 2 3 5\n", "   [MPI_Bcast 1 4000] Barrier"},
		"two mpiruns of one title": {bcast + "# Run: 1\n" + table + "1 2 3 4\n# Run: 2\n1 2 3 5\n",
			"1   [MPI_Bcast 1 4000] ; 2   [MPI_Bcast 1 5000] "},
		"two libraries of one title": {bcast + "# Library: A 1\n" + table + "1 2 3 4\n# Library: B\n1 2 3 5\n",
			" A 1  [MPI_Bcast 1 4000] ;  B  [MPI_Bcast 1 5000] "},
	} {
		should.Equal(t, read(c[0]), c[1], name)
	}
}

func TestIMBsTablesAreOfTheirProcesses(t *testing.T) {
	two := guidelines.Shape{NP: 2, Nodes: 2, PPN: 1}
	all := must.Get(text(t, "imb", "x", imbText, Given{Shape: two}))(t)
	must.Hold(t, len(all) == 2, "%+v", all)
	should.Hold(t, all[0].Shape == two && all[1].Shape == guidelines.Shape{NP: 4},
		"what was given is of as many processes: %v, %v", all[0].Shape, all[1].Shape)
	from, to := strings.Index(imbText, "# Benchmarking PingPong"), strings.Index(imbText, "# Benchmarking Reduce_scatter")
	odd := "# Benchmarking Bcast\n# #processes = 4\n#repetitions t_max[usec]\n1 2 3\n"
	all = must.Get(text(t, "imb", "x", imbText+imbText[from:to]+odd, Given{}))(t)
	should.Equal(t, unique(all[0].unused), []string{"PingPong", "Bcast"})
}

func TestNCCLsFieldsHaveTheirRanges(t *testing.T) {
	with := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(ncclText) }
	const devices = `{"rank":0,"hostname":"a"},{"rank":2,"hostname":"b"}`
	host := func(names ...string) string {
		var out []string
		for _, name := range names {
			out = append(out, fmt.Sprintf(`{"hostname":%q}`, name))
		}
		return strings.Join(out, ",")
	}
	ten := host("a", "a", "a", "a", "a", "a", "a", "a", "a", "a")
	for name, c := range map[string]struct{ text, want string }{ // of the shape, or of the error
		"as it is":                  {ncclText, "2x2"},
		"one host":                  {with(devices, host("a", "a")), "1x4"},
		"hosts of unequal numbers":  {with(devices, host("a", "a", "b")), "p6"},
		"no threads and no devices": {with(`"nthreads":1,"ngpus":2`, `"x":0`), "2x1"},
		"several threads":           {with(`"nthreads":1`, `"nthreads":3`), "2x6"},
		"the most threads":          {with(`"nthreads":1`, `"nthreads":1024`), "2x2048"},
		"the most devices":          {with(`"ngpus":2`, `"ngpus":1024`), "2x1024"},
		"too many devices":          {with(`"ngpus":2`, `"ngpus":1025`), "ngpus = 1025"},
		"the most processes": {with(devices, ten, `"nthreads":1,"ngpus":2`, `"nthreads":1000,"ngpus":1000`),
			"1x10000000"},
		"too many processes": {with(devices, ten, `"nthreads":1,"ngpus":2`, `"nthreads":1000,"ngpus":1001`),
			"10 devices, nthreads = 1000 and ngpus = 1001"},
		"no device":         {with(devices, ""), "x: the file does not say"},
		"no number":         {with(`"size":128`, `"size":"x"`), "x:7: json"},
		"a size beyond all": {with(`"size":64`, `"size":1125899906842625`), "is no size"},
	} {
		all, err := text(t, "nccl", "x", c.text, Given{})
		should.Hold(t, err == nil && all[0].Shape.String() == c.want || err != nil && strings.Contains(err.Error(),
			c.want), "%s: %+v, %v", name, all, err)
	}
	given := must.Get(text(t, "nccl", "x", with(devices, ""), Given{Shape: guidelines.Shape{NP: 3}}))(t)
	should.Equal(t, given[0].Shape.NP, 3)
	row := func(size int, more string) string {
		return fmt.Sprintf(`{"size":%d,"type":"float","redop":"none"%s}`, size, more)
	}
	time := `,"out_of_place":{"time":5,"nwrong":0}`
	its := ncclText[:strings.Index(ncclText, `"results"`)] + `"results":[` + strings.Join([]string{row(64, ""), row(0,
		strings.Replace(time, "5", "0", 1)), row(1, time), row(8, time+`,"out_of_place_per_iter":{"times_us":[7]}`),
		row(16, `,"out_of_place":{"time":5,"nwrong":1}`)}, ",") + "]}"
	m := one(t, "nccl", "x", strings.Replace(its, "all_gather", "broadcast", 1))
	should.Hold(t, shown(m) == "MPI_Bcast 1 5000, MPI_Bcast 8 7000" && len(m.lost) == 1, "%s, %q", shown(m), m.lost)
	m = one(t, "nccl", "x", strings.Replace(strings.Replace(ncclText, "[20.0,21.0]", "[20.0]", 1),
		`{"time":30.0,"nwrong":2.0}`, "null", 1))
	should.Equal(t, m.statistic, results.Samples, "one iteration")
}

func TestPICOsNamesAndFieldsHaveTheirForms(t *testing.T) {
	for name, bytes := range picoBytes {
		bits, err := strconv.Atoi(strings.TrimPrefix(name, "int"))
		if err != nil { // of C
			bits = map[string]int{"char": 8, "int": 32, "float": 32, "double": 64}[name]
		}
		should.Equal(t, bytes, int64(bits/8), name)
		should.Equal(t, picoName.FindStringSubmatch("12_a_b_" + name + ".csv")[3], name)
	}
	most := strconv.Itoa(guidelines.MaxProcesses)
	for _, c := range [][3]string{{"2", "4", "2x4"}, {"2x3x1", "1", "6x1"}, {"1", most, "1x" + most}, {most, "1",
		most + "x1"}, {"2", most, ""}, {most + "x2", "1", ""},
		{"4294967296x4294967296", "1", ""}, {"0", "1", ""}, {"2x0", "1", ""}, {"two", "1", ""}, {"1", "0", ""}, {"1",
			"two", ""}} {
		s, err := picoShape(c[0], c[1])
		should.Hold(t, (err == nil) == (c[2] != "") && (err != nil || s.String() == c[2] && s.NP == s.Nodes*s.PPN),
			"%v: %v, %v", c, s, err)
	}
	for algorithm, want := range map[string]string{"default_ompi": "MPI_Bcast", "default-default": "MPI_Bcast",
		"binomial_ompi": "MPI_Bcast@binomial", "ring_mpich": "MPI_Bcast@ring",
		"default-tree": "MPI_Bcast@tree", "bine_lat": "bcast_as_bine_lat"} {
		should.Equal(t, picoFunction("MPI_Bcast", algorithm), want, algorithm)
	}
	should.Equal(t, picoJob("T", map[string]string{"gpu_awareness": "yes", "notes": "two  words"}), "T two words gpu")
	should.Equal(t, picoJob("T", map[string]string{"gpu_awareness": "no"}), "T")
}

func TestPICOsFilesAreReadByTheirTable(t *testing.T) {
	const head = "timestamp,test_id,nnodes,tasks_per_node,collective_type\n"
	for name, c := range map[string]struct{ table, file, text, want string }{ // of the error, or what is shown
		"two digits": {head + "T,0,2,1,BCAST\n", "12_default_ompi_int16.csv", "highest\n5\n",
			"MPI_Bcast 24 5 "},
		"of several columns": {head + "T,0,2,1,BCAST\n", "8_default_ompi_int8.csv", "min,max,mean\n5,6,7\n",
			"MPI_Bcast 8 6 "},
		"no collective": {head + "T,0,2,1,PINGPONG\n", "8_default_ompi_int8.csv", "highest\n5\n", " PINGPONG"},
		"no algorithm":  {head + "T,0,2,1,BCAST\n", "8_bine lat_int8.csv", "highest\n5\n", " bine lat"},
		"no nodes":      {head + "T,0,0,1,BCAST\n", "8_default_ompi_int8.csv", "highest\n5\n", "nnodes"},
		"no row": {head + "T,1,2,1,BCAST\n", "8_default_ompi_int8.csv", "highest\n5\n",
			"has no row for test 0 of T"},
		"no table": {head + "T,0,2\n", "8_default_ompi_int8.csv", "highest\n5\n", "wrong number of fields"},
		"no column": {head + "T,0,2,1,BCAST\n", "8_default_ompi_int8.csv", "mean\n5\n",
			":1: no column is called highest or max"},
		"no time": {head + "T,0,2,1,BCAST\n", "8_default_ompi_int8.csv", "highest\n", "it holds no time"},
		"not a positive one": {head + "T,0,2,1,BCAST\n", "8_default_ompi_int8.csv", "highest\n0\n",
			":2: a run-time of 0 ns"},
	} {
		root := t.TempDir()
		path := filepath.Join(root, "m/T/0", c.file)
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o777))
		must.Do(t, os.WriteFile(filepath.Join(root, "m_metadata.csv"), []byte(c.table), 0o666))
		all, err := text(t, "pico", path, c.text, Given{})
		if err != nil {
			should.Fail(t, err, c.want, name)
			continue
		}
		should.Equal(t, shown(all[0])+" "+strings.Join(all[0].unused, " "), c.want, name)
	}
}

func TestReproMPIsColumnsAndPropertiesHaveTheirForms(t *testing.T) {
	read := func(head, columns, rows string) (*measurement, error) {
		all, err := text(t, "reprompi", "x", "#@nprocs=2\n"+head+columns+"\n"+rows+reproTail, Given{})
		if err != nil {
			return nil, err
		}
		return all[0], nil
	}
	const plain, row = "test nrep msize runtime_sec", "MPI_Bcast 0 8 0.000001\n"
	const each = "process test nrep msize loc_tstart_sec loc_tend_sec"
	rows := func(more string) string {
		return "0 MPI_Bcast 0 8 1.0 1.000002" + more + "\n1 MPI_Bcast 0 8 1.0 1.000001" + more + "\n"
	}
	for name, c := range map[string]struct{ head, columns, rows, want string }{ // of the error, or what is shown
		"as it is":             {"", plain, row, "MPI_Bcast 8 1000  0"},
		"of each process":      {"", each, rows(""), "MPI_Bcast 8 2000  0"},
		"a global start alone": {"", each + " gl_tstart_sec", rows(" 3"), "MPI_Bcast 8 2000  0"},
		"a global end alone":   {"", each + " gl_tend_sec", rows(" 3"), "MPI_Bcast 8 2000  0"},
		"global times": {"", each + " gl_tstart_sec gl_tend_sec", rows(" 3 3.5"),
			"MPI_Bcast 8 500000000  0"},
		"none between global times": {"", each + " gl_tstart_sec gl_tend_sec", rows(" 3 3"), "took 0 ns"},
		"a nanosecond between them": {"", each + " gl_tstart_sec gl_tend_sec", rows(" 3 3.000000001"),
			"MPI_Bcast 8 1  0"},
		"an end before the start": {"", each + " gl_tstart_sec gl_tend_sec", rows(" 3 2"),
			"took -1000000000 ns"},
		"a nanosecond":                  {"", plain, "MPI_Bcast 0 8 0.000000001\n", "MPI_Bcast 8 1  0"},
		"a column twice":                {"", plain + " nrep", row, `column "nrep"`},
		"no column of repetitions":      {"", "test msize runtime_sec", row, "the columns"},
		"no column of times":            {"", "test nrep msize", row, "the columns"},
		"of each process and of all":    {"", each + " runtime_sec", row, "the columns"},
		"of each process, and no start": {"", "process test nrep msize loc_tend_sec", row, "the columns"},
		"of each process, and no end":   {"", "process test nrep msize loc_tstart_sec", row, "the columns"},
		"two columns of sizes":          {"", plain + " count", row, "the columns"},
		"an extent of a byte": {"#@datatype_extent_bytes=1\n", "test nrep count runtime_sec", row,
			"MPI_Bcast 8 1000  0"},
		"an extent of two digits": {"#@datatype_extent_bytes=16\n", "test nrep count runtime_sec", row,
			"MPI_Bcast 128 1000  0"},
		"the largest extent": {"#@datatype_extent_bytes=1048576\n", "test nrep count runtime_sec", row,
			"MPI_Bcast 8388608 1000  0"},
		"too large an extent": {"#@datatype_extent_bytes=1048577\n", "test nrep count runtime_sec", row,
			"the sizes are counts"},
		"no extent": {"#@datatype_extent_bytes=0\n", "test nrep count runtime_sec", row,
			"the sizes are counts"},
		"the most elements": {"#@datatype_extent_bytes=1024\n", "test nrep count runtime_sec",
			"MPI_Bcast 0 1099511627776 0.000001\n", "MPI_Bcast 1125899906842624 1000  0"},
		"too many elements": {"#@datatype_extent_bytes=1024\n", "test nrep count runtime_sec",
			"MPI_Bcast 0 1099511627777 0.000001\n", "is no size"},
		"too many for bytes": {"#@datatype_extent_bytes=4\n", "test nrep count runtime_sec",
			"MPI_Bcast 0 4611686018427387904 0.000001\n", "is no size"},
		"a size below 0":           {"", plain, "MPI_Bcast 0 -1 0.000001\n", "x:3: -1 is no size"},
		"a size of two digits":     {"", plain, "MPI_Bcast 0 16 0.000001\n", "MPI_Bcast 16 1000  0"},
		"a size of a byte":         {"", plain, "MPI_Bcast 0 1 0.000001\n", "MPI_Bcast 1 1000  0"},
		"a size of nothing":        {"", plain, "MPI_Bcast 0 0 0.000001\n", " MPI_Bcast 0"},
		"a test of its own":        {"", plain, "Send_Recv 0 8 0.000001\n", " Send_Recv 0"},
		"a repetition below 0":     {"", plain, "MPI_Bcast -1 8 0.000001\n", "out of order"},
		"the second process first": {"", each, "1 MPI_Bcast 0 8 1.0 1.000001\n", "out of order"},
		"the first process twice": {"", each, "0 MPI_Bcast 0 8 1.0 1.000001\n0 MPI_Bcast 0 8 1.0 1.000001\n",
			"out of order"},
		"the second root":          {"#@root_proc=1\n", plain, row, "MPI_Bcast 8 1000  1"},
		"the first root":           {"#@root_proc=0\n", plain, row, "MPI_Bcast 8 1000  0"},
		"a root below 0":           {"#@root_proc=-1\n", plain, row, "no rank of 2"},
		"a root beyond":            {"#@root_proc=2\n", plain, row, "no rank of 2"},
		"a root without a value":   {"#@root_proc\n", plain, row, "MPI_Bcast 8 1000  0"},
		"a root in a comment":      {"# root_proc=1\n", plain, row, "MPI_Bcast 8 1000  0"},
		"a root behind spaces":     {"  #@root_proc=1\n", plain, row, "MPI_Bcast 8 1000  1"},
		"a root below the columns": {"", plain, row + "#@root_proc=1\n", "MPI_Bcast 8 1000  0"},
		"a collective under other names": {"", plain, row + "MPI_BCAST 0 8 0.000002\n",
			"MPI_Bcast 8 1000, MPI_Bcast 8 2000  0"},
	} {
		m, err := read(c.head, c.columns, c.rows)
		if err != nil {
			should.Fail(t, err, c.want, name)
			continue
		}
		should.Equal(t, fmt.Sprint(shown(m), " ", strings.Join(m.unused, " "), " ", m.Root), c.want, name)
		should.Hold(t, len(m.notes) == 0, "%s: %q", name, m.notes)
	}
	ended := one(t, "reprompi", "x", reproBarrier+"# more\n")
	should.Equal(t, len(ended.notes), 0, "comments below the end: %q", ended.notes)
	m := must.Get(read("", plain, row+"MPI_BCAST 0 8 0.000002\n"))(t)
	j := jobs([]*measurement{m})[0]
	should.Hold(t, len(j.runs) == 1 && len(j.notes) == 1 && strings.Contains(j.notes[0],
		"MPI_Bcast at 8 B was measured before"), "a file is one mpirun: %d, %q", len(j.runs), j.notes)
	should.Equal(t, j.runs[0][timedKey{"MPI_Bcast", 8}][0].NS, int64(1000), "the first counts")
	should.Equal(t, reproMockup("GL_MPI_Bcast"), "", "a collective is no mock-up")
}
