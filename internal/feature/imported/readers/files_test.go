package readers

import (
	"fmt"
	"strings"
	"testing"

	"pgmpi/guidelines"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// Each condition of a rule about whole files has here a case that it alone decides.

// ofNCCL is a file of nccl-tests with these arguments, threads, devices and results.
func ofNCCL(program string, threads int, devices, results string) string {
	return fmt.Sprintf(`{"args":[%q],"nccl_version":1,"config":{"nthreads":%d,"ngpus":1,"devices":[%s]},"results":[%s]}`,
		program, threads, devices, results)
}

func TestAMeanOfNCCLIsOfAllItsProcesses(t *testing.T) {
	const device, row = `{"hostname":"a"}`, `{"size":64,"type":"float","redop":"sum","out_of_place":{"time":5}}`
	for name, c := range map[string]struct {
		its     string
		average bool
	}{
		"a process":        {ofNCCL("all_reduce_perf", 1, device, row), false},
		"two":              {ofNCCL("all_reduce_perf", 1, device+","+device, row), true},
		"two threads":      {ofNCCL("all_reduce_perf", 2, device, row), true},
		"threads not said": {ofNCCL("all_reduce_perf", 0, device, row), false},
		"two, not said":    {ofNCCL("all_reduce_perf", 0, device+","+device, row), true},
		"the slowest of two": {strings.Replace(ofNCCL("all_reduce_perf", 1, device+","+device, row), `perf"`,
			`perf","-a","3"`, 1), false},
	} {
		should.Equal(t, one(t, "nccl", "x", c.its).average, c.average, name)
	}
	for head, want := range map[string]bool{`{"args":["all_reduce_perf"]}`: true, `{"args":[],"nccl_version":1}`: true,
		`x {"args":[],"nccl_version":1}`: false, `{"nccl_version":1}`: false, `{"args":[]}`: false} {
		should.Equal(t, ncclReader.sniff("x", head), want, head)
	}
}

func TestAFileOfNCCLWithoutATimeThatCountsSaysWhy(t *testing.T) {
	const two = `{"hostname":"a"},{"hostname":"a"}`
	row := func(more string) string { return `{"size":64,"type":"float","redop":"sum"` + more + `}` }
	const whole, inPlace, cpu = `,"out_of_place":{"time":5}`, `,"in_place":{"time":5}`, `,"out_of_place":{"cpu_time":5}`
	for name, c := range map[string]struct{ program, rows, want string }{ // of the error, or the case
		"in place alone": {"all_reduce_perf", row(inPlace), errInPlace.Error()},
		"neither":        {"all_reduce_perf", row(""), noTimesAtAll},
		"of processors":  {"all_reduce_perf", row(cpu), errCPU.Error()},
		"of neither":     {"all_reduce_perf", row(`,"out_of_place":{}`), noTimesAtAll},
		"of both": {"all_reduce_perf", row(`,"out_of_place":{"time":5,"cpu_time":6}`),
			"MPI_Allreduce 64 5000"},
		"one, and one in place": {"all_reduce_perf", row(whole) + "," + row(inPlace), "MPI_Allreduce 64 5000"},
		"no row":                {"all_reduce_perf", "", noTimesAtAll},
		"another program":       {"sendrecv_perf", row(whole), "no guideline is about sendrecv"},
	} {
		all, err := text(t, "nccl", "x", ofNCCL(c.program, 1, two, c.rows), Given{})
		should.Hold(t, err == nil && allShown(all) == c.want || err != nil && strings.HasSuffix(err.Error(), c.want),
			"%s: %s, %v", name,
			allShown(all), err)
	}
}

func TestALogOfNCCLMayHaveSeveralTests(t *testing.T) {
	const start = "# Collective test starting: all_reduce_perf\n# nThread 1 nGpus 2\n# Using devices\n"
	rank := func(n, group, pid int) string {
		return fmt.Sprintf("#  Rank  %d Group  %d Pid %d on a device  %d [0] G\n", n, group, pid, n)
	}
	whole := start + rank(0, 0, 7) + rank(1, 0, 7) + ncclRows
	for name, c := range map[string]struct {
		its     string
		want    string // of the error, or the cases
		average bool
	}{
		"two":                     {whole + whole, "MPI_Allreduce 1024 20000, MPI_Allreduce 1024 20000", false},
		"one in place":            {whole + "#  in-place\n" + ncclRows, "MPI_Allreduce 1024 20000", false},
		"nothing":                 {start + rank(0, 0, 7), noTimesAtAll, false},
		"two processes":           {start + rank(0, 0, 7) + rank(1, 0, 8) + ncclRows, "MPI_Allreduce 1024 20000", true},
		"a rank of two processes": {start + rank(0, 0, 7) + rank(0, 0, 8) + ncclRows, errCopies.Error(), false},
		"a rank of two groups":    {start + rank(0, 0, 7) + rank(0, 1, 8) + ncclRows, "MPI_Allreduce 1024 20000", true},
		"a line of another": {whole + "n1: all_gather_perf waits\n" + "8 2 float sum -1 30.00 0 0 0 22.00 0 0 0\n",
			"MPI_Allreduce 1024 20000, MPI_Allreduce 8 30000", false},
		"one of processors": {whole + strings.ReplaceAll(ncclRows, " time ", " cputime "), "MPI_Allreduce 1024 20000",
			false},
		"half a µs": {whole + "8 2 float sum -1 0.50 0 0 0 0.50 0 0 0\n",
			"MPI_Allreduce 1024 20000, MPI_Allreduce 8 500", false},
		"a byte": {whole + "1 1 int8 sum -1 20.00 0 0 0 22.00 0 0 0\n",
			"MPI_Allreduce 1024 20000, MPI_Allreduce 1 20000", false},
		"one wrong value": {whole + "8 1 float sum -1 20.00 0 0 1 22.00 0 0 0\n", "MPI_Allreduce 1024 20000",
			false},
		"without #wrong": {strings.ReplaceAll(whole, "#wrong", "error"), "MPI_Allreduce 1024 20000", false},
	} {
		all, err := text(t, "nccl-text", "x", c.its, Given{})
		should.Hold(t, err == nil && allShown(all) == c.want || err != nil && strings.HasSuffix(err.Error(), c.want),
			"%s: %s, %v", name,
			allShown(all), err)
		skipped := strings.Count(c.its, " waits\n")
		should.Hold(t, err != nil || all[0].average == c.average && all[0].skipped.n == skipped, "%s: %+v", name, all)
	}
}

func TestATableOfIMBHasOnlyWhatIsAboveIt(t *testing.T) {
	const columns = "#bytes #repetitions t_min[usec] t_max[usec] t_avg[usec]\n8 9 1 2 1\n"
	_, err := text(t, "imb", "x", "# Benchmarking Bcast\n# #processes = 2\n"+columns+"# Benchmarking Reduce\n"+columns,
		Given{})
	should.Fail(t, err, "how many processes")
	all := must.Get(text(t, "imb", "x",
		"# MPI_Datatype for reductions : MPI_INT\n# Benchmarking Reduce\n# #processes = 2\n"+columns+
			"# Benchmarking Bcast\n# #processes = 2\n"+columns, Given{}))(t)
	should.Hold(t, len(all) == 2 && all[0].Datatype == "MPI_INT" && all[1].Datatype == "", "%+v", all)
	c := imbColumns(strings.Fields("t_max[usec] #bytes #repetitions"))
	should.Hold(t, c != nil && c.time == 0 && c.size == 1, "%+v", c)
	m := one(t, "imb", "x", "# Benchmarking Bcast\n# #processes = 2\n"+columns+"16 time-out.;\n")
	should.Equal(t, len(m.lost), 1, "a time-out without more words")
	for size, want := range map[string]string{"2020": "MPI_Reduce_scatter 8 2000", "2019": "MPI_Reduce_scatter 4 2000"} {
		m := one(t, "imb", "x",
			"#    Intel(R) MPI Benchmarks "+size+"\n# Benchmarking Reduce_scatter\n# #processes = 2\n"+columns)
		should.Equal(t, shown(m), want, size)
	}
}

func TestTheFirstColumnMayBeTheTimeThatCounts(t *testing.T) {
	for header, want := range map[string]string{"Size Max Latency(us)": "1 mean", "Size P50 Tail Lat(us)": "1 median",
		"Size Max Comm.(us)": "1 mean", "Size Median Latency(us)": "1 median", "Size Pure Comm.(us)": "1 mean"} {
		c := osuColumns(header)
		must.Hold(t, c != nil, "%s", header)
		should.Equal(t, fmt.Sprint(c.time, " ", c.statistic), want, header)
	}
}

func TestATableIsNamedByItsTitleThenByTheProgramThenByItsFile(t *testing.T) {
	const rows = "# Size       Avg Latency(us)\n4  3.10\n"
	for its, want := range map[string]string{rows: "MPI_Bcast 4 3100", "$ ./osu_reduce\n" + rows: "MPI_Reduce 4 3100",
		"# OSU MPI Reduce Latency Test v5.9\n" + rows + rows: "MPI_Reduce 4 3100, MPI_Reduce 4 3100"} {
		all := must.Get(text(t, "osu", "/r/osu_bcast.txt", its, Given{Shape: guidelines.Shape{NP: 4}}))(t)
		should.Equal(t, allShown(all), want, "%q", its)
	}
	_, err := text(t, "osu", "x", "# OSU MPI Reduce Latency Test v5.9\n# Size       Avg Latency(us)\n0  3.10\n", Given{})
	should.Fail(t, err, noTimesAtAll+" but of 0 bytes")
	in := &input{}
	for i := range mostShown + 2 {
		in.skip(fmt.Sprint(i))
	}
	should.Hold(t, in.skipped.n == mostShown+2 && len(in.skipped.first) == mostShown, "%+v", in.skipped)
	should.Equal(t, bytesOf, map[string]int64{"MPI_CHAR": 1, "MPI_BYTE": 1, "MPI_INT": 4, "MPI_FLOAT": 4,
		"MPI_DOUBLE": 8, "MPI_LONG": 8})
}

func TestWarningsNameWhatIsOneOfItsKind(t *testing.T) {
	should.Equal(t, (&Job{repeated: []string{"MPI_Bcast"}}).Warnings(), []string{
		"Several tables of one collective in one file are repetitions of one mpirun: Bcast. " +
			"Give each mpirun a file of its own."})
	should.Contain(t, strings.Join((&Job{averages: []string{"MPI_Bcast"}}).Warnings(), "\n"),
		"Averages over the ranks, of which some return early: Bcast. ")
	should.Equal(t, len(jobs([]*measurement{of("a", "", 0, "MPI_Bcast")})[0].averages), 0,
		"the slowest rank's times are no averages")
}
