package readers

import (
	"fmt"
	"strings"
	"testing"

	"pgmpi/guidelines"
	"pgmpi/measure/results"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// Each condition of a rule about lines, headers and rows has here a case that it alone decides.

func TestARowHasTheFormOfItsHeader(t *testing.T) {
	c := &columns{n: 3, size: 1, time: 2, names: []int{0}}
	for row, fits := range map[string]bool{"Bcast 8 1.0": true, "8 8 1.0": true, "Bcast 8": false,
		"Bcast 8 1.0 1.0": false,
		"Bcast x 1.0":     false, "Bcast -8 1.0": false, "Bcast 8 x": false, "Bcast 8 N/A": true, "Bcast 8 ---": true,
		"Bcast 8 -":    true,
		"Bcast 8 Pass": true, "Bcast 8 Fail": true, "Bcast 4611686018427387904 1.0": false,
		"Bcast 4611686018427387903 1.0": true} {
		should.Equal(t, c.fits(strings.Fields(row)), fits, row)
	}
	should.Hold(t, !(*columns)(nil).fits(nil), "no header")
	for cell, failed := range map[string]bool{"Fail": true, "Pass": false, "0.00": false, "1.00": true, "N/A": false} {
		should.Equal(t, (&columns{n: 2, wrong: 1}).failed([]string{"8", cell}), failed, cell)
	}
	should.Hold(t, !(&columns{n: 2}).failed([]string{"8", "1"}), "no cell tells of wrong data")
}

func TestColumnsOfIMBAreThoseOfACall(t *testing.T) {
	for header, time := range map[string]int{"#bytes #repetitions t_min[usec] t_max[usec] t_avg[usec]": 3,
		"#Benchmarking #procs #bytes #repetitions t_max[usec]": 4, "Group #bytes #repetitions t_max[usec]": 0,
		"#repetitions t_max[usec]": 0, "#bytes #repetitions t[usec]": 0} {
		c := imbColumns(strings.Fields(header))
		should.Equal(t, c != nil, time > 0, header)
		should.Hold(t, c == nil || c.time == time && c.wrong < 1 && (len(c.names) == 1) == strings.Contains(header,
			"#procs"), "%s: %+v", header, c)
	}
	for title, want := range map[string]string{"Bcast": "MPI_Bcast", "Ibcast": "", "Ibcast_pure": "MPI_Ibcast",
		"Bcast_persist":      "",
		"Bcast_persist_pure": "MPI_Bcast_init", "Ibarrier_pure": "", "Barrier_persist_pure": "", "PingPong_pure": ""} {
		should.Equal(t, imbFunction(title), want, title)
	}
}

func TestIMBsDatatypeIsOfReductions(t *testing.T) {
	table := func(name string, rows ...string) string {
		return "# Benchmarking " + name + "\n# #processes = 2\n#bytes #repetitions t_min[usec] t_max[usec] t_avg[usec]\n" +
			strings.Join(rows, "\n") + "\n"
	}
	const kinds = "# MPI_Datatype for reductions    :   MPI_DOUBLE\n# MPI_Op                         :   MPI_MAX\n"
	scatter := table("Reduce_scatter", "24 9 1 2 1", "32 9 1 4 1")
	for name, c := range map[string][2]string{
		"floats, if it is not said": {scatter, "  MPI_Reduce_scatter 12 2000, MPI_Reduce_scatter 16 4000"},
		"doubles":                   {kinds + scatter, "MPI_DOUBLE MPI_MAX MPI_Reduce_scatter 16 4000"},
		"of a reduction alone": {kinds + table("Bcast", "24 9 1 2 1") + scatter,
			"  MPI_Bcast 24 2000; MPI_DOUBLE MPI_MAX MPI_Reduce_scatter 16 4000"},
	} {
		var got []string
		for _, m := range must.Get(text(t, "imb", "x", "#    Intel(R) MPI Benchmarks 2017\n"+c[0], Given{}))(t) {
			got = append(got, m.Datatype+" "+m.Op+" "+shown(m))
		}
		should.Equal(t, strings.Join(got, "; "), c[1], name)
	}
}

// A block of Reduce_scatter has whole elements: 6 B of two processes are no floats and no doubles of both.
func TestElementsOfOSUAreOfItsDatatype(t *testing.T) {
	const columns = "# Size  Avg Latency(us)\n6 1.0\n"
	for name, c := range map[string][2]string{
		"floats, before it says":  {"# OSU MPI Reduce_scatter Latency Test v5.6\n" + columns, ""},
		"bytes, without a number": {"# OSU MPI Reduce_scatter Latency Test\n" + columns, "MPI_Reduce_scatter 3 1000"},
		"characters": {"# OSU MPI Reduce_scatter Latency Test v7.4\n# Datatype: MPI_CHAR.\n" + columns,
			"MPI_Reduce_scatter 3 1000"},
		"doubles": {"# OSU MPI Reduce_scatter Latency Test v7.4\n# Datatype: MPI_DOUBLE.\n" + columns, ""},
		"another datatype": {"# OSU MPI Reduce_scatter Latency Test v7.4\n# Datatype: MPI_PAIR.\n" + columns,
			"MPI_Reduce_scatter 3 1000"},
	} {
		m := one(t, "osu", "x", "# Processes: 2\n"+c[0])
		should.Equal(t, shown(m), c[1], name)
	}
	for header, want := range map[string]string{"Size (B)      Latency (us)": "Size|Latency (us)",
		"Size       Avg Latency(us)   Iterations":  "Size|Avg Latency(us)|Iterations",
		"Size  Window  MB/s Messages/s Validation": "Size|Window|MB/s|Messages/s|Validation",
		"Size Latency(us) Foo (B)":                 "Size|Latency(us)|Foo (B)"} {
		should.Equal(t, strings.Join(osuNames(header), "|"), want, header)
	}
	for title, want := range map[string]string{"Reduce": "MPI_Reduce", "Non-blocking Reduce": "MPI_Ireduce",
		"Reduce Persistent": "MPI_Reduce_init",
		"Barrier":           "", "Non-blocking Barrier": "", "Barrier Persistent": "", "Bandwidth": "",
		"reduce_as_allreduce": "reduce_as_allreduce"} {
		should.Equal(t, osuFunction(title), want, title)
	}
}

func TestBuffersOfOSUAreASetting(t *testing.T) {
	const rows = "# Size  Avg Latency(us)\n8 1.0\n"
	for head, want := range map[string]string{"# OSU MPI Bcast Latency Test v7\n": "",
		"# OSU MPI-CUDA Bcast Latency Test v7\n": "CUDA",
		"# OSU NCCL Bcast Latency Test v7\n":     "NCCL",
		"# OSU MPI Bcast Latency Test v7\n# Send Buffer on DEVICE (D) and Receive Buffer on HOST (H)\n": "DEVICE-HOST"} {
		should.Equal(t, one(t, "osu", "x", "# Processes: 2\n"+head+rows).Buffers, want, head)
	}
}

// A line about a time-out loses a time only where a collective is timed.
func TestAFailureIsLostOnlyWhereATimeWouldCount(t *testing.T) {
	const np, columns = "# #processes = 4\n", "#bytes #repetitions t_min[usec] t_max[usec] t_avg[usec]\n"
	const good = "# Benchmarking Bcast\n" + np + columns + "4 9 1 2 1\n"
	for name, c := range map[string]struct {
		its           string
		lost, skipped int
	}{
		"of a collective":    {good + "8 time-out.; over\n", 1, 0},
		"of another title":   {good + "# Benchmarking Barrier\n" + np + columns + "8 time-out.; over\n", 0, 1},
		"before the columns": {good + "# Benchmarking Bcast\n" + np + "8 time-out.; over\n", 0, 1},
		"of no size":         {good + "x time-out.; over\n", 0, 1},
		"a size alone":       {good + "8\n", 0, 1},
	} {
		all := must.Get(text(t, "imb", "x", c.its, Given{}))(t)
		should.Hold(t, len(all) == 1 && len(all[0].lost) == c.lost && all[0].skipped.n == c.skipped, "%s: %+v", name, all)
	}
	m := one(t, "osu", "x",
		"# Processes: 2\n1 2.0\n# OSU MPI Reduce Latency Test v7.4\n# Size  Avg Latency(us)\n4 2.0\n8 inf\n16 -1\n32 N/A\n")
	should.Hold(t, shown(m) == "MPI_Reduce 4 2000" && len(m.lost) == 3 && m.skipped.n == 1 && len(m.unused) == 0,
		"%+v", m)
}

func TestAHeadingNamesALibraryInFewWords(t *testing.T) {
	long := "Open MPI " + strings.Repeat("x", mostMark-len("Open MPI "))
	for text, is := range map[string]bool{"=== Open MPI 4.1 ===": true, "== cray ==": false,
		"Open MPI 1 2 3 4 5 6": true, "Open MPI 1 2 3 4 5 6 7": false,
		long: true, long + "x": false, "Open MPI failed": false, "mpirun of mpich": false} {
		should.Equal(t, heads(text), is, text)
	}
	in := &input{}
	for _, line := range []string{"module  load a", "module load b"} {
		in.loaded(line)
	}
	should.Equal(t, in.modules, " module load a module load b")
	in.measuring = true
	in.loaded("module load c")
	should.Hold(t, in.modules == " module load c" && !in.measuring, "%q, %v", in.modules, in.measuring)
	in.loaded(strings.Repeat("x", mostMark))
	should.Equal(t, len(in.modules), mostMark)
	in.marked("/opt/" + strings.Repeat("y", mostMark) + "/osu_reduce")
	should.Hold(t, len(in.mark) == mostMark && in.program == "osu_reduce", "%q of %q", in.mark, in.program)
}

func TestWhatAScriptLoadsTellsTablesApart(t *testing.T) {
	imb := "# Benchmarking Reduce\n# #processes = 4\n#bytes #repetitions t_min[usec] t_max[usec] t_avg[usec]\n4 9 1 2 1\n"
	for name, c := range map[string]struct {
		its  string
		want string // the jobs
	}{
		"ml": {"ml foo\n" + twoTables + "ml bar\n" + twoTables, "ml_foo-p4 ml_bar-p4"},
		"spack": {"spack load foo\n" + twoTables + "spack load bar\n" + twoTables,
			"spack_load_foo-p4 spack_load_bar-p4"},
		"module": {"module add foo\n" + twoTables + "module add bar\n" + twoTables,
			"module_add_foo-p4 module_add_bar-p4"},
		"what loads nothing": {"module list\n" + twoTables + "module avail\n" + twoTables, "p4"},
		"what is no command": {"load foo\n" + twoTables + "load bar\n" + twoTables, "p4"},
		"folders of IMB":     {"/a/IMB-MPI1 Reduce\n" + imb + "/b/IMB-MPI1 Reduce\n" + imb, "a_Reduce-p4 b_Reduce-p4"},
	} {
		var got []string
		for _, j := range jobs(must.Get(at(t, c.its))(t)) {
			got = append(got, j.Name())
		}
		should.Equal(t, strings.Join(got, " "), c.want, name)
	}
}

func TestAFileWithoutATimeSaysWhy(t *testing.T) {
	six := []string{"a", "b", "c", "d", "e", "f"}
	for name, c := range map[string]struct {
		e    noTimes
		want string
	}{
		"nothing":          {noTimes{}, ""},
		"calls of nothing": {noTimes{empty: true}, " but of 0 bytes"},
		"five others":      {noTimes{unused: append(six[:5:5], "a")}, "; no guideline is about a, b, c, d, e"},
		"six others":       {noTimes{unused: six}, "; no guideline is about a, b, c, d, e"},
		"a loss": {noTimes{lost: []loss{{"MPI_Scan", 8, noTime}}},
			"; Scan at 8 B had no positive time, and is left out"},
		"no title": {noTimes{nameless: true},
			`; a table has no title: write its program above it, as in "osu_reduce" or "# Benchmarking Reduce"`},
		"a line": {noTimes{skipped: skipped{1, []string{`"x"`}}},
			`; 1 line is no row of a table, and is skipped: "x"`},
		"lines": {noTimes{skipped: skipped{3, []string{`"x"`, `"y"`}}},
			`; 3 lines are no rows of a table, and are skipped: "x", "y" and 1 more`},
		"another, before a line": {noTimes{unused: six[:1], skipped: skipped{1, []string{`"x"`}}},
			"; no guideline is about a"},
		"as many as are shown": {noTimes{skipped: skipped{2, []string{`"x"`, `"y"`}}},
			`; 2 lines are no rows of a table, and are skipped: "x", "y"`},
		"what was lost, not read": {noTimes{lost: []loss{{"MPI_Scan", 8, timedOut}, {"MPI_Scan", 16, timedOut}}},
			"; Scan at 8 B, Scan at 16 B timed out, and are left out"},
	} {
		should.Equal(t, c.e.Error(), noTimesAtAll+c.want, name)
	}
	var lost []loss
	for size := range int64(7) {
		lost = append(lost, loss{"MPI_Scan", 1 + min(size, 5), wrongData})
	}
	should.Equal(t, strings.Join(lossNotes(lost), ""),
		"Scan at 1 B, Scan at 2 B, Scan at 3 B, Scan at 4 B, Scan at 5 B and 1 more gave wrong data, and are left out")
	should.Equal(t, strings.Join(lossNotes(lost[:5]), ""),
		"Scan at 1 B, Scan at 2 B, Scan at 3 B, Scan at 4 B, Scan at 5 B gave wrong data, and are left out")
	for text, want := range map[string]string{"": "it has no text", " \n": "it has no text", "{}": "JSON",
		" [1]": "JSON"} {
		should.Contain(t, seems(text), want)
	}
	should.Equal(t, seems("text"), "")
}

func TestSKaMPIsRowsHaveLoopsAndNumbers(t *testing.T) {
	const head = "# begin result \"MPI_Bcast-length\"\n"
	for row, want := range map[string]string{"count= 1 8 10.0 0.1 16": "p4 MPI_Bcast 8 10000",
		"count= 1 p= 2 8 10.0 0.1 16 9.0 ---": "p4 MPI_Bcast 8 10000",
		"procs= 2 8 10.0 0.1 16":              "p2 MPI_Bcast 8 10000", "nodes= 2 8 10.0 0.1 16": "p2 MPI_Bcast 8 10000",
		"num_procs= 2 8 10.0 0.1 16": "p2 MPI_Bcast 8 10000",
		"np= 2 8 10.0 0.1 16":        "p2 MPI_Bcast 8 10000", "8 10.0 0.1 16 9.0": "", "count= 1 8 10.0 0.1": "",
		"count= 1 8 10.0 0.1 16 x": "", "count= 1 8 10.0 0.1 1.5": "",
		"procs= 0 8 10.0 0.1 16": "", "count= x 8 10.0 0.1 -1": ""} {
		all, err := text(t, "skampi", "x", head+row+"\n", Given{Shape: guidelines.Shape{NP: 4}})
		got := ""
		for _, m := range all {
			got += m.Shape.String() + " " + shown(m)
		}
		should.Equal(t, got, want, row)
		if want == "" {
			should.Fail(t, err, "1 line is no row of a table", row)
		}
	}
	m := one(t, "skampi", "x", head+"procs= 2 8 10.0 0.1 16\nprocs= 2 16 20.0 0.1 16\n")
	should.Equal(t, shown(m), "MPI_Bcast 8 10000, MPI_Bcast 16 20000",
		"rows of as many processes are of one measurement")
	for title, want := range map[string]string{"Allreduce": "MPI_Allreduce",
		"Allreduce_using_Reduce_Bcast": "allreduce_as_reduce+bcast", "Bcast_using_Send_Recv": "", "Pingpong": ""} {
		should.Equal(t, skampiFunction(title), want, title)
	}
}

func TestRanksOfGroupsAreOfOneShape(t *testing.T) {
	for name, c := range map[string]struct {
		ranks []ncclRank
		each  int
		want  string // the shape, or of the error
	}{
		"one":                        {[]ncclRank{{0, "a"}, {0, "b"}}, 1, "2x1"},
		"each of two":                {[]ncclRank{{0, "a"}, {0, "b"}}, 2, "2x2"},
		"two alike":                  {[]ncclRank{{0, "a"}, {0, "b"}, {1, "c"}, {1, "d"}}, 1, "2x1"},
		"two of different hosts":     {[]ncclRank{{0, "a"}, {0, "b"}, {1, "c"}, {1, "c"}}, 1, "p2"},
		"two of different numbers":   {[]ncclRank{{0, "a"}, {1, "b"}, {1, "c"}}, 1, "their times are not told apart"},
		"hosts of different numbers": {[]ncclRank{{0, "a"}, {0, "b"}, {0, "b"}}, 1, "p3"},
	} {
		s, err := groupShape(c.ranks, c.each)
		should.Hold(t, err == nil && s.String() == c.want || err != nil && strings.Contains(err.Error(), c.want),
			"%s: %v, %v", name, s, err)
		should.Hold(t, !strings.HasPrefix(c.want, "p") || s.Nodes == 0 && s.PPN == 0, "%s: %+v", name, s)
	}
}

const ncclRows = "#   size   count    type   redop    root   time   algbw   busbw #wrong  time  algbw  busbw #wrong\n" +
	"1024 256 float sum -1 20.00 0.05 0.09 0 22.00 0.05 0.09 N/A\n"

func TestNCCLsTextSaysWhatMeasuredIt(t *testing.T) {
	const start = "# Collective test starting: all_reduce_perf\n# nThread 1 nGpus 2\n# Using devices\n"
	ranks := "#  Rank  0 Group  0 Pid 7 on a device  0 [0] G\n#  Rank  1 Group  0 Pid 7 on a device  1 [0] G\n"
	for version, want := range map[string]string{"": "/", "# NCCL version 2.18.3+cuda12\n": "nccl/NCCL 2.18.3",
		"RCCL version : 2.20.5\n": "rccl/RCCL 2.20.5",
		"# nccl-tests version 2.13 nccl-headers=21 nccl-library=22703\n": "nccl/NCCL 22703"} {
		m := one(t, "nccl-text", "x", start+version+ranks+ncclRows)
		should.Hold(t, m.Library+"/"+m.Version == want && m.Shape.String() == "1x2", "%q: %s, %s, %s", version, m.Library,
			m.Version, m.Shape)
	}
	cut := start + strings.Replace(ranks, "[0] G\n", "[0] G...\n", 1) + ncclRows
	_, err := text(t, "nccl-text", "x", cut, Given{})
	should.Fail(t, err, "how many processes")
	_, err = text(t, "nccl-text", "x", start+ranks+ncclRows+cut, Given{})
	should.Fail(t, err, "how many processes")
	all := must.Get(text(t, "nccl-text", "x", cut, Given{Shape: guidelines.Shape{NP: 8}}))(t)
	should.Equal(t, all[0].Shape.NP, 8, "a list of ranks that was cut")
	m := one(t, "nccl-text", "x", start+ranks+ncclRows+"# Out of bounds values : 4 FAILED\n")
	should.Equal(t, shown(m), "MPI_Allreduce 1024 20000", "each row tells whether it is wrong")
	for row, n := range map[string]int{"1024 256 float sum -1 0.00 0 0 0 22.00 0 0 0\n": 1,
		"1024 256 float sum -1 20.00 0 0 2 22.00 0 0 0\n": 1,
		"0 0 float sum -1 20.00 0 0 0 22.00 0 0 0\n":      0,
		"0 0 float sum -1 0.00 0 0 0 0.00 0 0 0\n":        0} {
		m := one(t, "nccl-text", "x", start+ranks+ncclRows+row)
		should.Hold(t, shown(m) == "MPI_Allreduce 1024 20000" && len(m.lost) == n && m.skipped.n == 0, "%s: %+v", row, m)
	}
	for _, row := range []string{"x 256 float sum -1 20.00 0 0 0 22.00 0 0 0\n",
		"1024 x float sum -1 20.00 0 0 0 22.00 0 0 0\n",
		"1024 256 4 sum -1 20.00 0 0 0 22.00 0 0 0\n", "1024 256 float sum -1 20.00 x 0 0 22.00 0 0 0\n",
		"1024 256 20.00 0 0 0 22.00 0 0 0\n",
		"1024 256 float sum -1 20.00 0 0 0 22.00 0 0 0 9\n", "-8 2 float sum -1 20.00 0 0 0 22.00 0 0 0\n", "done\n"} {
		m := one(t, "nccl-text", "x", start+ranks+ncclRows+row)
		should.Hold(t, shown(m) == "MPI_Allreduce 1024 20000" && m.skipped.n == 1, "%s: %+v", row, m)
	}
}

func TestRCCLsShapeIsToldByTheBandwidthOfTheBus(t *testing.T) {
	for name, c := range map[string]struct {
		function, row string
		want          string // the shape, or of the error
	}{
		"ranks of a GPU":           {"MPI_Bcast", "4 1 2 1 1", "2x2"},
		"nodes are not said":       {"MPI_Bcast", "4 1 0 1 1", "p4"},
		"nodes that do not divide": {"MPI_Bcast", "4 1 3 1 1", "p4"},
		"no ranks":                 {"MPI_Bcast", "0 1 1 1 1", "are no number of processes"},
		"too many": {"MPI_Bcast", fmt.Sprintf("%d 1 1 1 1", guidelines.MaxProcesses+1),
			"are no number of processes"},
		"the most": {"MPI_Bcast", fmt.Sprintf("%d 1 1 1 1", guidelines.MaxProcesses), fmt.Sprintf("1x%d",
			guidelines.MaxProcesses)},
		"too many GPUs": {"MPI_Bcast", fmt.Sprintf("%d 2 1 1 1", guidelines.MaxProcesses),
			"are no number of processes"},
		"processes of GPUs":     {"MPI_Allreduce", "4 2 1 1.0 1.75", "1x8"},
		"GPUs":                  {"MPI_Allreduce", "4 2 1 1.0 1.5", "1x4"},
		"an Allgather of them":  {"MPI_Allgather", "2 2 1 1.0 0.75", "1x4"},
		"a Bcast tells nothing": {"MPI_Bcast", "2 2 1 1.0 1.0", "give --np"},
		"two GPUs":              {"MPI_Allreduce", "2 2 1 1.0 1.0", "1x2"},
		"two processes of GPUs": {"MPI_Allreduce", "2 2 1 1.0 1.5", "1x4"},
		"no bandwidth":          {"MPI_Allreduce", "4 2 1 0 1.0", "give --np"},
		"no bandwidth of one":   {"MPI_Allreduce", "4 2 1 x 1.0", "give --np"},
		"ranks below 0":         {"MPI_Bcast", "-1 1 1 1 1", "are no number of processes"},
		"no number":             {"MPI_Allreduce", "4 2 1 1.0 x", "give --np"},
	} {
		cells := strings.Fields(c.row)
		s, err := rcclShape(c.function, map[string]string{"ranks": cells[0], "gpusperrank": cells[1], "nodes": cells[2],
			"algbw": cells[3], "busbw": cells[4]})
		should.Hold(t, err == nil && s.String() == c.want || err != nil && strings.Contains(err.Error(), c.want),
			"%s: %v, %v", name, s, err)
	}
	for function, want := range map[string]float64{"MPI_Allreduce": 1.5, "MPI_Allgather": .75,
		"MPI_Reduce_scatter": .75, "MPI_Alltoall": .75, "MPI_Gather": .75,
		"MPI_Scatter": .75, "MPI_Bcast": 1, "MPI_Reduce": 1} {
		should.Equal(t, busFactor(function, 4), want, function)
	}
}

func TestRCCLsRowsHaveTheirRanges(t *testing.T) {
	const head = "# numCycle, name, nodes, ranks, ranksPerNode, gpusPerRank, size, type, redop, inPlace, time, " +
		"algBw, busBw, wrong\n"
	row := func(name, size, inPlace, us, wrong string) string {
		return strings.Join([]string{"0", name, "1", "2", "2", "1", size, "float", "none", inPlace, us, "1.0", "0.5",
			wrong}, ", ") + "\n"
	}
	good := row("All Gather", "64", "0", "11.5", "0")
	for name, c := range map[string]struct {
		rows       string
		lost       int
		unused     string
		want, fail string
	}{
		"as it is":           {good, 0, "", "MPI_Allgather 32 11500", ""},
		"in place by a word": {good + row("All_Gather", "128", "true", "9", "0"), 0, "", "MPI_Allgather 32 11500", ""},
		"a size of nothing":  {good + row("AllGather", "0", "0", "0", "0"), 0, "", "MPI_Allgather 32 11500", ""},
		"half a µs": {good + row("AllGather", "2", "0", "0.5", "0"), 0, "",
			"MPI_Allgather 32 11500, MPI_Allgather 1 500", ""},
		"a time of nothing": {good + row("AllGather", "128", "0", "0", "0"), 1, "", "MPI_Allgather 32 11500", ""},
		"wrong data":        {good + row("AllGather", "128", "0", "9", "1"), 1, "", "MPI_Allgather 32 11500", ""},
		"another header": {good + head + row("AllGather", "128", "0", "9", "0"), 0, "",
			"MPI_Allgather 32 11500, MPI_Allgather 64 9000", ""},
		"a row that is cut":  {good + "0, AllGather\n", 0, "", "MPI_Allgather 32 11500", ""},
		"another collective": {good + row("SendRecv", "64", "0", "9", "0"), 0, "SendRecv", "MPI_Allgather 32 11500", ""},
		"no time":            {good + row("AllGather", "64", "0", "x", "0"), 0, "", "", "both are numbers"},
		"no size":            {good + row("AllGather", "x", "0", "9", "0"), 0, "", "", "both are numbers"},
		"in place alone":     {row("AllGather", "64", "1", "9", "0"), 0, "", "", errInPlace.Error()},
		"in place, and a loss": {row("AllGather", "64", "1", "9", "0") + row("AllGather", "64", "0", "0", "0"), 0, "", "",
			"had no positive time"},
	} {
		all, err := text(t, "rccl", "x", head+c.rows, Given{})
		if c.fail != "" {
			should.Fail(t, err, c.fail, name)
			continue
		}
		must.Do(t, err)
		should.Hold(t, len(all) == 1 && shown(all[0]) == c.want && len(all[0].lost) == c.lost &&
			strings.Join(all[0].unused, " ") == c.unused, "%s: %+v", name, all)
	}
	_, err := text(t, "rccl", "x", good, Given{})
	should.Hold(t, err != nil && err.Error() == "x: "+noTimesAtAll, "rows without a header: %v", err)
	m := one(t, "rccl", "x", head+good)
	should.Hold(t, m.average && m.Root == 0 && m.Library == "rccl" && m.statistic == results.Mean, "%+v", m)
	alone := one(t, "rccl", "x", head+"0, AllReduce, 1, 1, 1, 1, 1, int8, sum, 0, 9, 1.0, 1.0, 0\n")
	should.Hold(t, !alone.average && shown(alone) == "MPI_Allreduce 1 9000", "%+v", alone)
	large := one(t, "rccl", "x", `[{"numCycle":0,"name":"AllReduce","ranks":2,"size":4194304,"inPlace":0,"time":9e6}]`)
	should.Equal(t, shown(large), "MPI_Allreduce 4194304 9000000000", "numbers of many digits")
}
