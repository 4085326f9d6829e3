package readers

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"pgmpi/guidelines"
	"pgmpi/measure/results"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// What other people's files look like: each text here has a form that was seen in published ones, with made-up times.

const twoTables = `# OSU MPI Allreduce Latency Test v5.9
# Size       Avg Latency(us)
4                         3.10
1048576                 900.00

# OSU MPI Reduce Latency Test v5.9
# Size       Avg Latency(us)
4                         2.00
1048576                1800.00
`

const ofTwoTables = "MPI_Allreduce 4 3100, MPI_Allreduce 1048576 900000, MPI_Reduce 4 2000, MPI_Reduce 1048576 1800000"

// at reads a text of four processes, with the reader that recognises it.
func at(t *testing.T, its string) ([]*measurement, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x")
	must.Do(t, os.WriteFile(path, []byte(its), 0o666))
	f := file{path: path, named: true}
	if err := f.recognise(""); err != nil {
		return nil, err
	}
	return f.measurements(Given{Shape: guidelines.Shape{NP: 4}}, nil)
}

func allShown(all []*measurement) string {
	var out []string
	for _, m := range all {
		if len(m.cases) > 0 {
			out = append(out, shown(m))
		}
	}
	return strings.Join(out, ", ")
}

// before puts a label before each line; %d is the number of the line.
func before(label, its string) string {
	var out strings.Builder
	for i, line := range strings.SplitAfter(its, "\n") {
		if line != "" {
			out.WriteString(strings.ReplaceAll(label, "%d", fmt.Sprint(10+i)) + line)
		}
	}
	return out.String()
}

func TestWhatIsPutAroundLinesIsTakenAway(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	must.Get(w.Write([]byte(twoTables)))(t)
	must.Do(t, w.Close())
	wide := func(high int) string {
		out := []byte{}
		for _, u := range utf16.Encode([]rune("\ufeff" + twoTables)) {
			pair := []byte{byte(u), byte(u >> 8)}
			out = append(out, pair[high^1], pair[high])
		}
		return string(out)
	}
	half := strings.Index(twoTables, "\n\n") + 1
	first, rest := twoTables[:half], twoTables[half:]
	for name, its := range map[string]string{
		"nothing":               twoTables,
		"a byte order mark":     "\ufeff" + twoTables,
		"carriage returns":      strings.ReplaceAll(twoTables, "\n", "\r\n"),
		"a progress bar":        strings.Replace(twoTables, "# OSU", "10 %\r20 %\r# OSU", 1),
		"colours":               before("\x1b[32m", strings.ReplaceAll(twoTables, "\n", "\x1b[0m\n")),
		"a title of a window":   "\x1b]0;run\x07" + twoTables,
		"a tag of Open MPI 4":   before("[1,0]<stdout>:", twoTables),
		"a tag of Open MPI 5":   before("[prterun-n1-17@1,0]<stdout>: ", twoTables),
		"srun -l":               before("0: ", twoTables),
		"a rank of Hydra":       before("[0] ", twoTables),
		"a time of day":         before("00:55:%d ", twoTables),
		"a time stamp":          before("2024-03-05T10:11:%d.123456Z ", twoTables),
		"a date":                before("[Tue Mar %d 10:11:12 2024] n1: ", twoTables),
		"numbers of lines":      before("  %d\t", twoTables),
		"aligned numbers":       "      9\tstart\n" + before("     %d\t", first) + before("    1%d\t", rest),
		"a mail":                before("> ", twoTables),
		"indentation":           before("    ", twoTables),
		"escaped marks":         strings.ReplaceAll(twoTables, "# ", `\# `),
		"hard spaces":           strings.ReplaceAll(twoTables, "  ", "\u00a0 "),
		"gzip":                  packed.String(),
		"UTF-16, low first":     wide(1),
		"UTF-16, high first":    wide(0),
		"UTF-16 without a mark": wide(1)[2:],
		"the same, high first":  wide(0)[2:],
		"a logger's places":     before("[2024-03-05 10:11:%d,123] {osu_reduce.py:1%d} INFO - ", first) + before("[2024-03-05 10:11:%d,123] {log_%d.py:7} INFO - ", rest),
		"marks of mpirun --xml": strings.ReplaceAll(before("<stdout rank=\"0\">", twoTables), "\n", "&#010;</stdout>\n"),
		"ends of lines in HTML": strings.ReplaceAll(strings.ReplaceAll(twoTables, "\n", "<br>\n"), "  ", "&nbsp;&nbsp;"),
		"a command before":      "$ mpirun osu_allreduce | tee log # OSU \n" + twoTables,
		"much before":           strings.Repeat("UCX WARN something is not as it should be\n", 2000) + twoTables,
	} {
		all, err := at(t, its)
		should.Hold(t, err == nil && allShown(all) == ofTwoTables, "%s: %s, %v", name, allShown(all), err)
	}
	var bomb bytes.Buffer
	w = gzip.NewWriter(&bomb)
	must.Get(w.Write([]byte(twoTables)))(t)
	for range 65 {
		must.Get(w.Write(bytes.Repeat([]byte(" "), 1<<20)))(t)
	}
	must.Do(t, w.Close())
	_, err := at(t, bomb.String())
	should.Fail(t, err, "more than 64 MiB when unpacked")
	_, err = at(t, packed.String()[:packed.Len()-20])
	should.Fail(t, err, "x: the compressed file is damaged or cut off")
}

// Excerpts of threads have a command above the table, or nothing.
func TestATableWithoutATitleIsOfTheProgramAbove(t *testing.T) {
	untitled := regexp.MustCompile("# OSU MPI (\\w+) .*\n").ReplaceAllStringFunc(twoTables, func(title string) string {
		return "$ mpirun -np 4 ./osu_" + strings.ToLower(strings.Fields(title)[3]) + "\n"
	})
	should.Equal(t, allShown(must.Get(at(t, untitled))(t)), ofTwoTables)
	const rows = "# Size       Avg Latency(us)\n4  3.10\n"
	all := must.Get(at(t, "# OSU MPI Reduce Latency Test v5.9\n"+rows+"$ ./osu_bcast\n"+rows))(t)
	should.Equal(t, allShown(all), "MPI_Reduce 4 3100, MPI_Bcast 4 3100")
	all = must.Get(at(t, "# OSU MPI Reduce Latency Test v5.9\nWARNING: osu_bcast still runs\n"+rows))(t)
	should.Equal(t, allShown(all), "MPI_Reduce 4 3100", "a line below a title")
	all = must.Get(at(t, "$ ./osu_reduce\n# OSU MPI Reduce Latency Test v5.9\n"+rows+rows))(t)
	should.Equal(t, allShown(all), "MPI_Reduce 4 3100, MPI_Reduce 4 3100", "a second header below a title")
	named := must.Get(text(t, "osu", "/r/osu_bcast-4.txt", rows, Given{Shape: guidelines.Shape{NP: 4}}))(t)
	should.Equal(t, allShown(named), "MPI_Bcast 4 3100")
	const imb = "#bytes #repetitions t_min[usec] t_max[usec] t_avg[usec]\n"
	all = must.Get(at(t, "Benchmarking Reduce\n# ( #processes = 4 )\n"+imb+"4 1000 1.0 3.1 2.0\n"))(t)
	should.Equal(t, allShown(all), "MPI_Reduce 4 3100")
	const imbRow = "4 1000 1.0 3.1 2.0\n"
	for _, its := range []string{rows, imb + imbRow, "$ ./osu_latency\n" + rows,
		rows + "# OSU MPI Barrier Latency Test v5.9\n" + rows, imb + imbRow + "# Benchmarking PingPong\n" + imb + imbRow} {
		_, err := at(t, its)
		should.Fail(t, err, "there is no time of a collective")
		should.Hold(t, strings.Contains(err.Error(), "a table has no title: write its program above it") != strings.Contains(its, "osu_"), "%q: %v", its, err)
	}
}

func TestWhatHasNotTheShapeOfARowIsSkippedAndCounted(t *testing.T) {
	noise := []string{"real\t0m7.902s", "END OF JOB {\"nodes\": 2, \"ranks\": 4}", "n1.4.UCX WARN 4 2.0", "4.5 2.00", "8x 2.00", "8 2.0o",
		"8 2.00 3.00", "8", "4.1 osu_reduce"}
	its := strings.Join(noise[:4], "\n") + "\n" + strings.Replace(twoTables, "1048576                1800", strings.Join(noise[4:], "\n")+
		"\n1048576                1800", 1)
	all := must.Get(at(t, its))(t)
	should.Equal(t, allShown(all), ofTwoTables)
	j := jobs(all)[0]
	should.Hold(t, j.skipped.n == len(noise) && len(j.skipped.first) == mostShown, "%+v", j.skipped)
	should.Contain(t, strings.Join(j.Warnings(), "\n"), `9 lines are no rows of a table, and are skipped: "real\t0m7.902s",`, " and 4 more.")
	cut := must.Get(at(t, strings.TrimSuffix(twoTables, "0.00\n")))(t)
	should.Equal(t, allShown(cut), strings.TrimSuffix(ofTwoTables, ", MPI_Reduce 1048576 1800000"), "a last row that is shorter is cut off")
	whole := must.Get(at(t, strings.TrimSuffix(twoTables, "\n")))(t)
	should.Equal(t, allShown(whole), ofTwoTables, "a last row without an end may be whole")
}

func TestATitleEndsTheTableBeforeIt(t *testing.T) {
	for title, name := range map[string]string{
		"# OSU MPI Latency Test v7.4\n# Size       Avg Latency(us)\n":                   "Latency Test",
		"# OSU MPI Bandwidth Test v7.4\n# Size      Bandwidth (MB/s)\n":                 "Bandwidth Test",
		"# OSU MPI-CUDA Latency Test v5.8\n# Size          Latency (us)\n":              "Latency Test",
		"# OSU MPI Barrier Latency Test v5.8\n# Avg Latency(us)\n":                      "Barrier",
		"# OSU MPI Non-blocking Barrier Latency Test v7.4\n# Size  Overall(us)\n":       "Non-blocking Barrier",
		"# OSU MPI_Put Latency Test v5.8\n# Size          Latency (us)\n":               "Latency Test",
		"# OMB Python MPI Bandwidth Test\n# Size (B)      Bandwidth (MB/s)\n":           "Bandwidth Test",
		"# OSU MPI Reduce Bandwidth Test v9\n# Size       Avg Latency(us)\n":            "Reduce Bandwidth Test",
		"# OSU OpenSHMEM Reduce Latency Test v5.8\n# Size       Avg Latency(us)\n":      "OpenSHMEM Reduce",
		"# OSU UPC Reduce Latency Test v5.8\n# Size       Avg Latency(us)\n":            "UPC Reduce",
		"# OSU MPI Something Else Benchmark\n# Size       Avg Latency(us)\n":            "OSU MPI Something Else Benchmark",
		"# OSU MPI Multi-threaded Latency Test v5\n# Number of Sender threads: 1 \n#\n": "Multi-threaded",
	} {
		all := must.Get(at(t, twoTables+title+"4 0.26\n1048576 120.10\n"))(t)
		should.Equal(t, allShown(all), ofTwoTables, "%s", title)
		should.Equal(t, jobs(all)[0].unused, []string{name}, "%s", title)
	}
}

func TestTheSlowestRankCountsWhereAHeaderHasIt(t *testing.T) {
	for header, want := range map[string]string{
		"Avg Latency(us)": "2 mean average", "Latency (us)": "2 mean average", "Latency(us)": "2 mean average",
		"Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations":                                                          "4 mean",
		"Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations   Validation":                                             "4 mean",
		"Avg Latency(us)   P50 Tail Lat(us)   P90 Tail Lat(us)   P99 Tail Lat(us)":                                                 "3 median average",
		"Avg Latency(us)  Min Latency(us)  Max Latency(us)  Iterations  P50 Tail Lat(us)  P99 Tail Lat(us)":                        "4 mean",
		"Avg Latency(us)  Validation  P50 Tail Lat(us)":                                                                            "4 median average",
		"Avg Latency(us)      Transmit Size":                                                                                       "2 mean average",
		"Overall(us)  Compute(us)  Pure Comm.(us)  Overlap(%)":                                                                     "4 mean average",
		"Avg Latency(us) Min Latency(us) Max Latency(us) Iterations Validation P50 Tail Lat(us) P90 Tail Lat(us) P99 Tail Lat(us)": "4 mean",
	} {
		c := osuColumns("Size " + header)
		cells := []string{"8"}
		for i := range c.n - 1 {
			cells = append(cells, fmt.Sprint(i+2))
		}
		got := cells[c.time] + " " + string(c.statistic) + map[bool]string{true: " average"}[c.average]
		should.Equal(t, got, want, "%s", header)
	}
	should.Hold(t, osuColumns("Size (B)      Bandwidth (MB/s)") == nil, "a bandwidth")
	all := must.Get(at(t, twoTables))(t)
	should.Equal(t, jobs(all)[0].averages, []string{"MPI_Reduce"}, "an Allreduce ends everywhere at once")
}

func TestTimesOfWrongDataAndOfNothingDoNotCount(t *testing.T) {
	const osuHead = "# OSU MPI Reduce Latency Test v7.4\n# Size  Avg Latency(us)  Validation\n"
	const imbHead = "# Benchmarking Reduce\n# #processes = 4\n#bytes #repetitions t_min[usec] t_max[usec] t_avg[usec] defects\n"
	for name, c := range map[string][2]string{
		"OSU":        {osuHead + "4 2.00 Pass\n8 3.00 Fail\n16 4.00 N/A\n", "Reduce at 8 B gave wrong data, and is left out."},
		"IMB":        {imbHead + "4 9 1.0 2.0 1.5 0.00\n8 9 1.0 3.0 1.5 1.00\n16 9 1.0 4.0 1.5 0.00\n", "Reduce at 8 B gave wrong data, and is left out."},
		"a time-out": {imbHead + "4 9 1.0 2.0 1.5 0.00\n8 time-out.; Time limit (secs_per_sample * msg_sizes_list_len) is over\n16 9 1.0 4.0 1.5 0.00\n", "Reduce at 8 B timed out, and is left out."},
		"no memory":  {imbHead + "4 9 1.0 2.0 1.5 0.00\n8 out-of-mem.; needed X=   2.001 GB; use flag\n16 9 1.0 4.0 1.5 0.00\n", "Reduce at 8 B had too little memory, and is left out."},
		"overflow":   {imbHead + "4 9 1.0 2.0 1.5 0.00\n8 int-overflow.; The production rank*size\n16 9 1.0 4.0 1.5 0.00\n", "Reduce at 8 B overflowed a number of elements, and is left out."},
		"bandwidths": {osuHead + "4 2.00 Pass\n16 4.00 Pass\n# OSU MPI Bandwidth Test v7.4\n# Size  Bandwidth (MB/s)\n4 9\n", "Left out, because no guideline is about them: Bandwidth Test."},
		"no time":    {osuHead + "4 2.00 Pass\n8 0.00 Pass\n16 4.00 Pass\n", "Reduce at 8 B had no positive time, and is left out."},
		"NaN":        {osuHead + "4 2.00 Pass\n8 nan Pass\n16 4.00 Pass\n", "Reduce at 8 B had no positive time, and is left out."},
	} {
		all := must.Get(at(t, c[0]))(t)
		should.Equal(t, allShown(all), "MPI_Reduce 4 2000, MPI_Reduce 16 4000", "%s", name)
		should.Contain(t, strings.Join(jobs(all)[0].Warnings(), "\n"), c[1])
	}
}

func TestVersionsOfIMBAreNumbers(t *testing.T) {
	for version, want := range map[string]string{"Intel (R) MPI Benchmark Suite V3.2": "MPI_Reduce_scatter 16", "Intel (R) MPI Benchmark Suite V3.2.4": "MPI_Reduce_scatter 16",
		"Intel (R) MPI Benchmarks 4.0 Update 1": "MPI_Reduce_scatter 16", "Intel (R) MPI Benchmarks 4.1": "MPI_Reduce_scatter 16",
		"Intel(R) MPI Benchmarks 2017": "MPI_Reduce_scatter 16", "Intel(R) MPI Benchmarks 2018 Update 1": "MPI_Reduce_scatter 16",
		"Intel(R) MPI Benchmarks 2019": "MPI_Reduce_scatter 16", "Intel(R) MPI Benchmarks 2019 Update 1": "MPI_Reduce_scatter 64",
		"Intel(R) MPI Benchmarks 2019 Update 6": "MPI_Reduce_scatter 64", "Intel(R) MPI Benchmarks 2021.3 Technical Preview": "MPI_Reduce_scatter 64",
		"Intel(R) MPI Benchmarks 2021.11": "MPI_Reduce_scatter 64", "": "MPI_Reduce_scatter_block 64"} {
		head := "#    " + version + ", MPI-1 part\n"
		table := func(name string) string {
			return "# Benchmarking " + name + "\n# #processes = 4\n#bytes #repetitions t_min[usec] t_max[usec] t_avg[usec]\n64 9 1 2 1\n"
		}
		if version == "" { // an excerpt
			head = table("Reduce_scatter_block")
		}
		all := must.Get(at(t, head+table("Reduce_scatter")))(t)
		should.Equal(t, allShown(all), want+" 2000", "%s", version)
	}
}

func TestIMBsOtherColumnsAndPartsAreKnown(t *testing.T) {
	const columns = "#bytes #repetitions t_min[usec] t_max[usec] t_avg[usec]\n"
	np := "# #processes = 4\n"
	for its, want := range map[string]string{
		"# Benchmarking Ibcast_pure\n" + np + columns + "8 9 1 2 1\n":                                                                                 "MPI_Ibcast 8 2000",
		"# Benchmarking Bcast_persist_pure\n" + np + columns + "8 9 1 2 1\n":                                                                          "MPI_Bcast_init 8 2000",
		"# Benchmarking Reduce \n" + np + columns + "8 9 1 2 1\n\n\n# All processes entering MPI_Finalize\n\nApplication 4711 resources: utime ~7s\n": "MPI_Reduce 8 2000",
		"# Benchmarking Reduce\n" + np + "#Benchmarking #procs " + columns + "Reduce 4 8 9 1 2 1\n":                                                   "MPI_Reduce 8 2000",
	} {
		all, err := at(t, its)
		should.Hold(t, err == nil && allShown(all) == want, "%q: %s, %v", its, allShown(all), err)
	}
	for _, its := range []string{
		"# Benchmarking Ibcast\n" + np + "#bytes #repetitions t_ovrl[usec] t_pure[usec] t_CPU[usec] overlap[%]\n8 9 4 2 2 0\n",
		"# Benchmarking Multi-Bcast\n# ( 2 groups of 2 processes each running simultaneous )\nGroup " + columns + "0 8 9 1 2 1\n",
	} {
		_, err := at(t, its)
		should.Fail(t, err, "no time of a collective; no guideline is about")
	}
}

func TestNCCLsTextIsReadByItsHeader(t *testing.T) {
	rank := func(n, group int, host string) string {
		return fmt.Sprintf("#  Rank  %d Group  %d Pid    798 on %10s device  %d [0000:0f:00] GPU\n", n, group, host, n)
	}
	ranks := rank(0, 0, "a") + rank(1, 0, "a") + rank(2, 0, "b") + rank(3, 0, "b")
	const over = "#                                          out-of-place                       in-place          \n"
	const header = "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n" +
		"#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)\n"
	const row = "1024 256 float sum -1 20.00 0.05 0.09 0 22.00 0.05 0.09 N/A\n"
	start := "# Collective test starting: all_reduce_perf\n# nThread 1 nGpus 4 minBytes 8\n# Using devices\n"
	for name, c := range map[string][2]string{
		"as it is":         {start + ranks + over + header + row, "2x2 float sum 0 MPI_Allreduce 1024 20000"},
		"a warning inside": {start + ranks + over + header + "n1:79:79 [0] NCCL INFO Connected\n" + row, "2x2 float sum 0 MPI_Allreduce 1024 20000"},
		"by a command":     {"$ mpirun ./build/all_reduce_perf -b 8 -g 4\n# nThread 1 nGpus 4\n# Using devices\n" + strings.ReplaceAll(ranks, " Group  0", "") + over + header + row, "2x2 float sum 0 MPI_Allreduce 1024 20000"},
		"without operator": {strings.Replace(start, "all_reduce", "all_gather", 1) + ranks + over + strings.Replace(header, "redop    root", "redop", 1) + "1024 64 float 20.00 0.05 0.09 0 22.00 0.05 0.09 0\n", "2x2 float  0 MPI_Allgather 256 20000"},
		"two groups":       {start + strings.ReplaceAll(rank(0, 0, "a")+rank(1, 1, "a")+rank(2, 0, "b")+rank(3, 1, "b"), "", "") + over + header + row, "2x1 float sum 0 MPI_Allreduce 1024 20000"},
		"a root":           {strings.Replace(start, "all_reduce", "broadcast", 1) + ranks + over + header + "1024 256 float none 3 20.00 0.05 0.09 0 22.00 0.05 0.09 0\n", "2x2 float  3 MPI_Bcast 1024 20000"},
		"each iteration":   {start + ranks + over + strings.ReplaceAll(header, "#wrong", "#wrong i_min i_max i_p99 i_cv%") + "1024 256 float sum -1 20.00 0.05 0.09 0 1 2 3 4 22.00 0.05 0.09 0 1 2 3 4\n", "2x2 float sum 0 MPI_Allreduce 1024 20000"},
		"a stray stamp":    {start + ranks + over + header + strings.TrimSpace(row) + " 2025-03-05 10:11:12\n", "2x2 float sum 0 MPI_Allreduce 1024 20000"},
		"a time stamp":     {start + ranks + over + strings.Replace(header, "#wrong\n", "#wrong timestamp\n", 1) + strings.TrimSpace(row) + " 2025-03-05 10:11:12\n", "2x2 float sum 0 MPI_Allreduce 1024 20000"},
		"of rccl":          {"# nThread 1 nGpus 4\nrccl-tests: Version HEAD:1\n# Using devices\n#   Rank  0 Pid    798 on          a device  0 [0000:0f:00] GPU\n# all_reduce_perf\n" + over + strings.ReplaceAll(header, " #wrong", "  #wrong") + row, "1x1 float sum 0 MPI_Allreduce 1024 20000"},
	} {
		all, err := text(t, "nccl-text", "x", c[0], Given{})
		must.Hold(t, err == nil && len(all) == 1, "%s: %v", name, err)
		should.Equal(t, fmt.Sprint(all[0].Shape, " ", all[0].Datatype, " ", all[0].Op, " ", all[0].Root, " ", shown(all[0])), c[1], "%s", name)
	}
	path := filepath.Join(t.TempDir(), "log")
	must.Do(t, os.WriteFile(path, []byte(start+ranks+over+header+row), 0o666))
	for _, from := range []string{"", "nccl", "rccl", "nccl-text"} {
		f := file{path: path, named: true}
		must.Do(t, f.recognise(from))
		should.Equal(t, f.name, "nccl-text", "--from %s", from)
	}
	processes := strings.Replace(ranks, "Rank  1 Group  0 Pid    798", "Rank  1 Group  0 Pid    799", 1)
	for name, c := range map[string]struct {
		its     string
		average bool
	}{
		"one process": {start + strings.ReplaceAll(ranks, " on          b", " on          a"), false}, "several": {start + processes, true}, "several hosts": {start + ranks, true},
		"the slowest": {"$ mpirun ./all_reduce_perf -g 1 -a 3\n" + start + processes, false}, "threads": {strings.Replace(start, "nThread 1", "nThread 4", 1) + rank(0, 0, "a") + rank(1, 0, "a"), true},
		"rank 0": {"$ mpirun ./all_reduce_perf -g 1 -a 0\n" + start + processes, true},
	} {
		all := must.Get(text(t, "nccl-text", "x", c.its+over+header+row, Given{}))(t)
		should.Equal(t, all[0].average, c.average, "%s", name)
	}
	bare := strings.TrimPrefix(header, "#")
	should.Equal(t, allShown(must.Get(at(t, start+ranks+over+bare+row))(t)), "MPI_Allreduce 1024 20000", "a header without its mark")
	wrong := must.Get(text(t, "nccl-text", "x", start+ranks+over+header+row+strings.Replace(row, " 0 22", " 3 22", 1), Given{}))(t)
	should.Hold(t, shown(wrong[0]) == "MPI_Allreduce 1024 20000" && slices.Equal(wrong[0].lost, []loss{{"MPI_Allreduce", 1024, wrongData}}), "%s %v", shown(wrong[0]), wrong[0].lost)
	for want, its := range map[string]string{
		"does not say which collective": "# nThread 1 nGpus 4\n" + ranks + over + header + row,
		"only in-place times":           start + ranks + "#       in-place\n" + header + row,
		"CPU times (-C 1)":              start + ranks + over + strings.ReplaceAll(header, "    time ", " cputime ") + row,
		"each by itself: build":         start + "# Using devices\n" + strings.Repeat(rank(0, 0, "a"), 2) + over + strings.Repeat(header, 2) + strings.Repeat(row, 2),
		"how many processes":            start + over + header + row,
		"no row tells which":            start + ranks + over + strings.ReplaceAll(header, "#wrong", "error") + row + "# Out of bounds values : 4 FAILED\n",
		"of 1 and of 2 ranks":           start + rank(0, 0, "a") + rank(1, 1, "a") + rank(2, 1, "a") + over + header + row,
	} {
		_, err := text(t, "nccl-text", "x", its, Given{})
		should.Hold(t, err != nil, "%s: no error", want)
		if err != nil && !strings.HasPrefix(want, "of 1") {
			should.Fail(t, err, want)
		}
	}
}

func TestRCCLsRecordsAreRead(t *testing.T) {
	record := func(inPlace int, us, more string) string {
		return `{"numCycle":0, "name":"AllGather", "nodes":2, "ranks":4, "ranksPerNode":2, "gpusPerRank":1, "size":64, "type":"float", "redop":"none", "inPlace":` +
			fmt.Sprint(inPlace) + `, "time":` + us + `, "algBw":1.0, "busBw":0.75, "wrong":"0"` + more + `}`
	}
	list := "[\n" + record(0, "11.5", "") + ",\n" + record(1, "9.5", "") + "\n]\n"
	lines := record(0, "11.5", "") + "\n" + record(1, "9.5", "") + "\n"
	table := "numCycle, name, nodes, ranks, ranksPerNode, gpusPerRank, size, type, redop, inPlace, time, algBw, busBw, wrong\n" +
		"0, AllGather, 2, 4, 2, 1, 64, float, none, 0, 11.5, 1.0, 0.75, 0\n0, AllGather, 2, 4, 2, 1, 64, float, none, 1, 9.5, 1.0, 0.75, 0\n"
	several := strings.Replace(strings.Replace(list, `"gpusPerRank":1`, `"gpusPerRank":2`, 1), `"ranks":4`, `"ranks":2`, 1)
	for name, its := range map[string]string{"a list": list, "a record a line": lines, "a table": table, "GPUs of ranks": several} {
		all := must.Get(text(t, "rccl", "x", its, Given{}))(t)
		should.Hold(t, len(all) == 1 && shown(all[0]) == "MPI_Allgather 16 11500" && all[0].Shape.String() == "2x2" && all[0].statistic == results.Mean, "%s: %s %+v", name, allShown(all), all)
	}
	for want, its := range map[string]string{"only in-place": strings.ReplaceAll(list, `"inPlace":0`, `"inPlace":1`), "may be cut off": list[:90],
		"gave wrong data": strings.Replace(list, `"wrong":"0"`, `"wrong":"7"`, 1), "no guideline is about SendRecv": strings.ReplaceAll(list, "AllGather", "SendRecv")} {
		_, err := text(t, "rccl", "x", its, Given{})
		should.Fail(t, err, want)
	}
}

func TestSKaMPIsLoopsAreTakenFromItsRows(t *testing.T) {
	const head = "# SKaMPI Version 5.0.4 rev. 355\n# Started at Thu May 20 15:03:54 2010\n#> datatype = MPI_DOUBLE\n"
	its := head + "# begin result \"MPI_Allreduce-length\"\ncount= 1        8      10.0       0.1       16       9.0      10.0      ---   \n# end result \"MPI_Allreduce-length\"\n" +
		"stray 1 2 3 4\ncount= 2 16 1.0 0.1 16\n" +
		"   begin result \"Allreduce_using_Reduce_Bcast-length\"\n   count= 1        8      12.0       0.1       16\n   end result \"x\"\n" +
		"# begin result \"MPI_Bcast-procs\"\nprocs= 2     64      18.9       0.0       16      18.9      18.1\nprocs= 3     64      55.4       0.5       16\n# end result \"MPI_Bcast-procs\"\n"
	all := must.Get(at(t, its))(t)
	var out []string
	for _, m := range all {
		out = append(out, fmt.Sprint(m.Shape, " ", m.Datatype, " ", shown(m)))
	}
	should.Equal(t, strings.Join(out, "; "), "p4 MPI_DOUBLE MPI_Allreduce 8 10000; p4 MPI_DOUBLE allreduce_as_reduce+bcast 8 12000; "+
		"p2 MPI_DOUBLE MPI_Bcast 64 18900; p3 MPI_DOUBLE MPI_Bcast 64 55400")
	none := strings.ReplaceAll(its, "using_Reduce_Bcast", "using_Send_Recv")
	should.Equal(t, must.Get(at(t, none))(t)[0].unused, []string{"Allreduce_using_Send_Recv"})
	should.Hold(t, all[0].when.Year() == 2010 && jobs(all)[0].skipped.n == 2, "%v, %+v", all[0].when, jobs(all)[0].skipped)
	python := must.Get(at(t, "# OMB Python MPI Allreduce Test\n# Size (B)      Latency (us)\n8 2.5\n"))(t)
	should.Equal(t, allShown(python), "MPI_Allreduce 8 2500")
	const latency = "\n# Size       Avg Latency(us)\n4 2.5\n"
	for text, want := range map[string]string{
		"# OSU MPI Allreduce Persistent Latency Test v7.4" + latency:                        "MPI_Allreduce_init 4 2500",
		"# OSU MPI All-to-All Personalized Exchange Persistent Latency Test v7.4" + latency: "MPI_Alltoall_init 4 2500",
		"# OSU MPI All-to-All Personalized ExchangeLatency Test v7.6" + latency:             "MPI_Alltoall 4 2500",
		"# OSU MPI Non-blocking All-to-All Latency Test v5.6\n# Size Overall(us) Compute(us) Coll. Init(us) MPI_Test(us) " +
			"MPI_Wait(us) Pure Comm.(us) Min Comm.(us) Max Comm.(us) Overlap(%)\n4 9 8 7 6 5 4 3 4.5 99\n": "MPI_Ialltoall 4 4500",
	} {
		should.Equal(t, allShown(must.Get(at(t, text))(t)), want, "%s", text)
	}
}

func TestFoldersAndSettingsAreJobsAndTheirFilesMpiruns(t *testing.T) {
	for name, c := range map[string]struct {
		files  map[string]string
		oneJob bool
		want   string // each job's name: its mpiruns, and the times of Reduce at 4 B in them
	}{
		"libraries in folders":  {map[string]string{"impi/a": twoTables, "ompi/a": twoTables}, false, "impi-p4: 1 [1]; ompi-p4: 1 [1]"},
		"modules of a script":   {map[string]string{"a": "module load mpich\nosu_reduce\n" + twoTables + "module load ompi\nosu_reduce\n" + twoTables}, false, "module_load_mpich-p4: 1 [1]; module_load_ompi-p4: 1 [1]"},
		"headings of libraries": {map[string]string{"a": "=== Open MPI 4.1, run 1 ===\n" + twoTables + "=== mpich ===\n" + twoTables + "=== Open MPI 4.1, run 2 ===\n" + twoTables}, false, "Open_MPI_4.1-p4: 1 [2]; mpich-p4: 1 [1]"},
		"warnings of a library": {map[string]string{"a": twoTables + "WARNING: Open MPI is old\n" + twoTables}, false, "p4: 1 [2]"},
		"programs in folders":   {map[string]string{"a": "/opt/a/osu_reduce\n" + twoTables + "/opt/b/osu_reduce\n" + twoTables}, false, "opt_a_-p4: 1 [1]; opt_b_-p4: 1 [1]"},
		"one job":               {map[string]string{"impi/a": twoTables, "ompi/a": twoTables}, true, "p4: 2 [1 1]"},
		"files of a folder":     {map[string]string{"a": twoTables, "b": twoTables}, false, "p4: 2 [1 1]"},
		"tables of a file":      {map[string]string{"a": twoTables + twoTables}, false, "p4: 1 [2]"},
		"below equal commands":  {map[string]string{"a": "+ mpirun -np 4 ./osu_reduce\n" + twoTables + "+ mpirun -np 4 ./osu_reduce\n" + twoTables}, false, "p4: 1 [2]"},
		"counted commands":      {map[string]string{"a": "run 1: osu_reduce\n" + twoTables + "run 2: osu_reduce\n" + twoTables}, false, "p4: 1 [2]"},
		"libraries in a log":    {map[string]string{"a": "mpich@4 osu_reduce\n" + twoTables + "openmpi@5 osu_reduce\n" + twoTables}, false, "mpich_4-p4: 1 [1]; openmpi_5-p4: 1 [1]"},
		"buffers":               {map[string]string{"a": twoTables + strings.ReplaceAll(twoTables, "OSU MPI ", "OSU MPI-CUDA ")}, false, "p4: 1 [1]; CUDA-p4: 1 [1]"},
	} {
		dir := t.TempDir()
		for path, its := range c.files {
			must.Do(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, path)), 0o777))
			must.Do(t, os.WriteFile(filepath.Join(dir, path), []byte(its), 0o666))
		}
		all, _, err := Each([]string{dir}, Given{Shape: guidelines.Shape{NP: 4}, OneJob: c.oneJob}, func(j *Job, _ bool) (*Job, error) { return j, nil })
		must.Do(t, err)
		var out []string
		for _, j := range all {
			var n []int
			for _, run := range j.runs {
				n = append(n, len(run[timedKey{"MPI_Reduce", 4}]))
			}
			out = append(out, fmt.Sprintf("%s: %d %v", strings.ReplaceAll(j.Name(), "CUDA-p4", "CUDA-p4"), len(j.runs), n))
			should.Hold(t, (len(j.repeated) > 0) == slices.Contains(n, 2), "%s: %v", name, j.repeated)
		}
		should.Equal(t, strings.Join(out, "; "), c.want, "%s", name)
	}
}

func TestACommandSaysHowManyProcessesThereWere(t *testing.T) {
	const commands = "+ mpirun -np 8 ./osu_reduce\n" + twoTables + "+ srun --ntasks=16 osu_reduce -f\n" + twoTables
	for text, want := range map[string]string{
		commands: "p8 p16",
		"mpirun -n 2 a : -n 2 osu_reduce\n" + twoTables:                           "",
		"mpirun -np 8 IMB-MPI1 Bcast\n" + twoTables:                               "",
		"srun osu_reduce -n 8\n" + twoTables:                                      "",
		"mpirun -np 8 osu_reduce\n" + twoTables + "srun osu_reduce\n" + twoTables: "",
	} {
		path := filepath.Join(t.TempDir(), "log")
		must.Do(t, os.WriteFile(path, []byte(text), 0o666))
		var shapes []string
		_, _, err := Each([]string{path}, Given{}, func(j *Job, _ bool) (*Job, error) {
			shapes = append(shapes, j.Shape.String())
			return j, nil
		})
		should.Equal(t, strings.Join(shapes, " "), want, "%s", text)
		should.Hold(t, (err != nil) == (want == ""), "%s: %v", text, err)
		_, _, err = Each([]string{path}, Given{Shape: guidelines.Shape{NP: 4}}, func(j *Job, _ bool) (*Job, error) { return j, nil })
		should.Hold(t, (err != nil) == regexp.MustCompile("-np 8 .*osu").MatchString(text), "%s: %v", text, err)
	}
}

func TestADatatypeIsASettingOfReductionsAndARootOfCollectivesThatHaveOne(t *testing.T) {
	of := func(function, datatype, op string, root int) *measurement {
		m := ran("", timedKey{function, 8})
		m.Datatype, m.Op, m.Root = datatype, op, root
		return m
	}
	for name, c := range map[string]struct {
		all  []*measurement
		want string
	}{
		"OSU 7.5":               {[]*measurement{of("MPI_Allreduce", "MPI_INT", "", 0), of("MPI_Bcast", "MPI_CHAR", "", 0)}, "MPI_INT  0: MPI_Allreduce MPI_Bcast"},
		"moves alone":           {[]*measurement{of("MPI_Bcast", "a", "", 0), of("MPI_Scatter", "b", "", 0)}, "a  0: MPI_Bcast; b  0: MPI_Scatter"},
		"two of one collective": {[]*measurement{of("MPI_Allreduce", "a", "sum", 0), of("MPI_Allreduce", "b", "sum", 0), of("MPI_Allgather", "c", "", 0)}, "a sum 0: MPI_Allgather MPI_Allreduce; b sum 0: MPI_Allgather MPI_Allreduce"},
		"moves of both types":   {[]*measurement{of("MPI_Allreduce", "a", "sum", 0), of("MPI_Allgather", "a", "", 0), of("MPI_Allgather", "b", "", 0)}, "a sum 0: MPI_Allgather MPI_Allreduce; b  0: MPI_Allgather"},
		"two operators":         {[]*measurement{of("MPI_Allreduce", "a", "sum", 0), of("MPI_Allreduce", "a", "prod", 0)}, "a sum 0: MPI_Allreduce; a prod 0: MPI_Allreduce"},
		"two roots":             {[]*measurement{of("MPI_Bcast", "a", "", 0), of("MPI_Bcast", "a", "", 3), of("MPI_Allgather", "a", "", 0)}, "a  0: MPI_Allgather MPI_Bcast; a  3: MPI_Allgather MPI_Bcast"},
	} {
		var out []string
		for _, j := range jobs(c.all) {
			var names []string
			for k := range j.runs[0] {
				names = append(names, k.function)
			}
			slices.Sort(names)
			out = append(out, fmt.Sprintf("%s %s %d: %s", j.Datatype, j.Op, j.Root, strings.Join(names, " ")))
			should.Equal(t, len(j.runs), 1, "%s: mpiruns", name)
		}
		should.Equal(t, strings.Join(out, "; "), c.want, "%s", name)
	}
	var many []*measurement
	for i := range mostKinds + 9 {
		many = append(many, of("MPI_Allreduce", fmt.Sprint("t", i), "", 0))
	}
	should.Equal(t, len(jobs(many)), mostKinds)
}

func TestADateInANameIsWhenTheDataWereMeasured(t *testing.T) {
	for path, want := range map[string]string{"ci/2024-05-06/osu.out": "2024-05-06", "ci/osu-20240506-1.out": "2024-05-06", "2024-05-06/osu_2024_05_07": "2024-05-07",
		"a/2026-W14/osu": "2026-03-30", "2026W01/x": "2025-12-29", "job20240506123/x": "", "2024-13-06/x": "", "osu-64-iter-2": ""} {
		when, ok := dateIn(path)
		should.Hold(t, ok == (want != "") && (!ok || when.Format(time.DateOnly) == want), "%s: %s", path, when)
	}
}

func TestFilesThatWereLeftOutAreNamedWithTheirReason(t *testing.T) {
	dir := t.TempDir()
	for name, its := range map[string]string{"a": twoTables, "b": "# Processes: 0\n# OSU MPI Bcast Latency Test v5\n", "c": "# OSU MPI Latency Test v5\n# Size  Latency (us)\n8 1.0\n",
		"d": "# OSU MPI Latency Test v5\n# Size  Latency (us)\n8 1.0\n", "e": "nothing\n"} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(its), 0o666))
	}
	all, leftOut, err := Each([]string{dir}, Given{Shape: guidelines.Shape{NP: 4}}, func(j *Job, _ bool) (*Job, error) { return j, nil })
	must.Do(t, err)
	should.Equal(t, len(leftOut), 3, "%q", leftOut)
	should.Contain(t, strings.Join(leftOut, "\n"), "1 file that no reader knows", "b:1: ", "c: there is no time of a collective; no guideline is about Latency Test; so in 1 other file")
	should.Contain(t, strings.Join(all[0].remarks(), "\n"), "Left out: 1 file; the first: ", "b:1: ")
}
