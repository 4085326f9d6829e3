package readers

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgmpi/guidelines"
	"pgmpi/internal/feature/imported/source"
	"pgmpi/internal/osu"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/mockups"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

const osuText = `
# OSU MPI Broadcast Latency Test v7.4
# Datatype: MPI_CHAR.
# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations
1                       1.47              0.95              2.01        1000
8                       1.50              0.95              2.01        1000

# OSU MPI All-to-All Personalized Exchange Latency Test v7.4
# Size       Avg Latency(us)   P50 Tail Lat(us)   P90 Tail Lat(us)
4                       9.00              8.25              9.5
# OSU MPI Reduce_scatter Latency Test v5.6.3
# Size       Avg Latency(us)
4                       1.00
8                       2.00
16                      3.00
# OSU MPI Non-blocking Broadcast Latency Test v7.4
# Size           Overall(us)       Compute(us)    Pure Comm.(us)        Overlap(%)
1                       2.00              1.00              1.50              9.00
`

const imbText = `#----------------------------------------------------------------
#    Intel(R) MPI Benchmarks 2021.3, MPI-1 part
#----------------------------------------------------------------
# Date                  : Thu May 14 09:30:40 2026
#----------------------------------------------------------------
#----------------------------------------------------------------
# Benchmarking PingPong
# #processes = 2
#----------------------------------------------------------------
       #bytes #repetitions      t[usec]   Mbytes/sec
            0         1000         0.20         0.00
#----------------------------------------------------------------
# Benchmarking Reduce_scatter
# #processes = 2
# ( 2 additional processes waiting in MPI_Barrier)
#----------------------------------------------------------------
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
            0         1000         0.03         0.04         0.03
            8         1000         0.20         0.40         0.30
#----------------------------------------------------------------
# Benchmarking Reduce_scatter
# #processes = 4
#----------------------------------------------------------------
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
            8         1000         0.30         0.50         0.40


# All processes entering MPI_Finalize
`

const ncclText = `{"version":1,"start_time":"2026-05-06 07:08:09","args":["./build/all_gather_perf","-J","x.json"],"nccl_version":22703,
"config":{"nthreads":1,"ngpus":2,"devices":[{"rank":0,"hostname":"a"},{"rank":2,"hostname":"b"}]},
"results":[{"size":64,"count":4,"type":"float","redop":"none","root":"    -1",
"out_of_place":{"time":20.5,"alg_bw":1,"bus_bw":1,"nwrong":0.0},"in_place":{"time":19.5},
"out_of_place_per_iter":{"times_us":[20.0,21.0]},"actual_iterations":2,"experiment_name":""},
{"size":128,"type":"float","redop":"none","out_of_place":{"time":30.0,"nwrong":2.0}}]}
`

// text reads a text as the file of a format.
func text(t *testing.T, format, path, text string, given Given) ([]*measurement, error) {
	t.Helper()
	i := slices.IndexFunc(readers, func(r reader) bool { return r.name == format })
	f := file{path: path, reader: readers[i]}
	return f.parse(&input{Given: given, tables: &sync.Map{}}, strings.NewReader(text), source.MostLine)
}

func one(t *testing.T, format, path, its string) *measurement {
	t.Helper()
	all := must.Get(text(t, format, path, its, Given{}))(t)
	must.Hold(t, len(all) == 1, "%d measurements", len(all))
	return all[0]
}

func jobsOf(paths ...string) (all []*Job, err error) {
	all, _, err = Each(paths, Given{}, func(j *Job, _ bool) (*Job, error) { return j, nil })
	return all, err
}

func us(list ...float64) (out []protocol.Sample) {
	for _, x := range list {
		out = append(out, protocol.Sample{NS: int64(x * 1000)})
	}
	return out
}

// shown lists cases: "MPI_Bcast 8 1500".
func shown(m *measurement) string {
	var out []string
	for _, c := range m.cases {
		for _, s := range c.samples {
			out = append(out, fmt.Sprintf("%s %d %d", c.function, c.msize, s.NS))
		}
	}
	return strings.Join(out, ", ")
}

func TestOSUIsReadByItsTitlesAndColumns(t *testing.T) {
	_, err := text(t, "osu", "x.txt", osuText, Given{})
	should.Fail(t, err, "x.txt:5: the file does not say how many processes there were: give --np or --shape")
	all := must.Get(text(t, "osu", "x.txt", osuText, Given{Shape: guidelines.Shape{NP: 2}}))(t)
	must.Hold(t, len(all) == 4, "%d measurements", len(all))
	should.Hold(t, shown(all[0]) == "MPI_Bcast 1 2010, MPI_Bcast 8 2010" && !all[0].average && all[0].statistic == results.Mean && all[0].Datatype == "MPI_CHAR", "%s %+v", shown(all[0]), all[0])
	should.Hold(t, shown(all[1]) == "MPI_Alltoall 4 8250" && all[1].statistic == results.Median, "%s %+v", shown(all[1]), all[1])
	should.Hold(t, shown(all[2]) == "MPI_Reduce_scatter 4 2000, MPI_Reduce_scatter 8 3000" && shown(all[3]) == "MPI_Ibcast 1 1500" && all[3].average, "%s %s %+v", shown(all[2]), shown(all[3]), all[3])
}

func TestIMBHasTablesOfSeveralNumbersOfProcesses(t *testing.T) {
	all := must.Get(text(t, "imb", "x.txt", imbText, Given{}))(t)
	must.Hold(t, len(all) == 2 && all[0].Shape.NP == 2 && all[1].Shape.NP == 4, "%+v", all)
	should.Equal(t, shown(all[0])+"; "+shown(all[1]), "MPI_Reduce_scatter 8 400; MPI_Reduce_scatter 8 500")
	old := must.Get(text(t, "imb", "x.txt", strings.Replace(imbText, "2021.3", "2018 Update 1", 1), Given{}))(t)
	should.Equal(t, shown(old[0])+"; "+shown(old[1]), "MPI_Reduce_scatter 4 400; ", "of 2018: 8 B of all are a float for each of two, and too little for four")
}

func TestNCCLHasTheTimeOfEachIteration(t *testing.T) {
	m := one(t, "nccl", "x.json", ncclText)
	should.Equal(t, shown(m), "MPI_Allgather 16 20000, MPI_Allgather 16 21000")
	should.Hold(t, m.Shape.String() == "2x2" && m.statistic == results.Samples && slices.Equal(m.lost, []loss{{"MPI_Allgather", 128, wrongData}}),
		"%s, %s, %v", m.Shape, m.statistic, m.lost)
	mean := one(t, "nccl", "x.json", strings.Replace(ncclText, "[20.0,21.0]", "[]", 1))
	should.Equal(t, shown(mean), "MPI_Allgather 16 20500")
}

// picoFolder makes a results folder of PICO's form: Bcast, Scatter and Allgather of 4 and 8 elements on two nodes,
// where Bcast takes twice as long as both together, and one of its algorithms half.
func picoFolder(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(root, name)
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o777))
		must.Do(t, os.WriteFile(path, []byte(text), 0o666))
	}
	head := "timestamp,test_id,nnodes,tasks_per_node,collective_type,mpi_lib,mpi_lib_version,gpu_awareness,MPI_Op,notes\n"
	rows := ""
	for id, of := range []string{"BCAST", "SCATTER", "ALLGATHER"} {
		rows += fmt.Sprintf("2026_01_02___03_04_05,%d,2,1,%s,OMPI,4.1.6,no,null,null\n", id, of)
		for _, count := range []int{4, 8} {
			for algorithm, ns := range map[string]int{"default_ompi": 1000 * []int{4, 1, 1}[id], "binomial_ompi": 2000, "bine_lat_over": 3000} {
				if id == 0 || algorithm == "default_ompi" {
					write(fmt.Sprintf("cray/2026_01_02___03_04_05/%d/%d_%s_int32.csv", id, count, algorithm), "highest\n"+strings.Repeat(fmt.Sprintf("%d\n", ns+count), 30))
				}
			}
		}
	}
	write("cray_metadata.csv", head+rows)
	write("cray/2026_01_02___03_04_05/alloc.csv", "node\n")
	return root
}

func TestPICOsFilesOfAJobAreOneMpirunWithSums(t *testing.T) {
	root := picoFolder(t)
	all := must.Get(jobsOf(root))(t)
	must.Hold(t, len(all) == 1 && all[0].Machine == "cray" && all[0].Shape.String() == "2x1" && all[0].Version == "OMPI 4.1.6" && all[0].Statistic == results.Samples, "%+v", all)
	m := must.Get(all[0].Manifest(guidelines.Config{Guidelines: []string{"GL7", "GL10"}}, nil))(t)
	var tests []string
	for _, x := range m.Plan.Tests {
		other := m.Plan.Cases[x.Others[0]]
		tests = append(tests, fmt.Sprintf("%s %s %d %s %s", x.Guideline, x.Function, x.Msize, other.Function, other.Variant))
	}
	should.Equal(t, strings.Join(tests, "\n"), `GL7 MPI_Scatter 8 scatter_as_bcast sum
GL7 MPI_Scatter 16 scatter_as_bcast sum
GL10 MPI_Bcast 16 bcast_as_scatter+allgather sum
GL10 MPI_Bcast 32 bcast_as_scatter+allgather sum
own-Bcast-binomial MPI_Bcast 16 MPI_Bcast@binomial @binomial
own-Bcast-binomial MPI_Bcast 32 MPI_Bcast@binomial @binomial`)
	for i, parts := range m.Sums {
		var calls []string
		for _, p := range parts {
			calls = append(calls, fmt.Sprint(m.Plan.Cases[p].Function, m.Plan.Cases[p].Msize))
		}
		if k := m.Plan.Cases[i]; k.Function == "bcast_as_scatter+allgather" && k.Msize == 32 {
			should.Equal(t, strings.Join(calls, " "), "MPI_Scatter16 MPI_Allgather16")
		}
	}
	r := all[0].Run(0, m)
	should.Hold(t, len(r.Cases) == 10 && len(r.Samples[0]) == 30, "%d cases of ten files, sums have none", len(r.Cases))
}

func TestCreatedIsTheTimeOfTheData(t *testing.T) {
	two := Given{Shape: guidelines.Shape{NP: 2}}
	for format, c := range map[string][2]string{"imb": {imbText, "2026-05-14T09:30:40Z"}, "nccl": {ncclText, "2026-05-06T07:08:09Z"}, "osu": {osuText, "2026-01-02T03:04:05Z"}} {
		path := filepath.Join(t.TempDir(), "x")
		must.Do(t, os.WriteFile(path, []byte(c[0]), 0o666))
		file := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		must.Do(t, os.Chtimes(path, file, file))
		given := two
		if format != "osu" {
			given = Given{}
		}
		all, _, err := Each([]string{path}, given, func(j *Job, _ bool) (*Job, error) { return j, nil })
		must.Do(t, err)
		should.Hold(t, all[0].when.UTC().Format(time.RFC3339) == c[1] && (all[0].dated == byFile) == (format == "osu"), "%s: %s, %v", format, all[0].when, all[0].dated)
		should.Hold(t, strings.Contains(strings.Join(all[0].remarks(), " "), "do not say when") == (format == "osu"), "%s", format)
	}
	all := must.Get(jobsOf(picoFolder(t)))(t)
	should.Equal(t, all[0].when.UTC().Format(time.RFC3339), "2026-01-02T03:04:05Z")
}

func TestADamagedFileBelowAFolderIsNamedAndLeftOut(t *testing.T) {
	root := picoFolder(t)
	bad := filepath.Join(root, "cray/2026_01_02___03_04_05/0/4_default_ompi_int32.csv")
	must.Do(t, os.WriteFile(bad, []byte("highest\n12\n3x4\n"), 0o666))
	keep := func(j *Job, _ bool) (*Job, error) { return j, nil }
	_, leftOut, err := Each([]string{root}, Given{}, keep)
	must.Do(t, err)
	should.Contain(t, strings.Join(leftOut, "\n"), bad+`:3: "3x4" is no time`, "2 files that no reader knows")
	_, _, err = Each([]string{bad}, Given{}, keep)
	should.Fail(t, err, bad+":3:", "a file that was named")
	must.Do(t, os.Remove(filepath.Join(root, "cray_metadata.csv")))
	_, _, err = Each([]string{bad}, Given{}, keep)
	should.Fail(t, err, "PICO's table of tests", "cray_metadata.csv")
}

func TestErrorsNameFileAndLine(t *testing.T) {
	two := Given{Shape: guidelines.Shape{NP: 2}}
	for _, c := range []struct{ format, text, want string }{
		{"osu", "# OSU MPI Broadcast Latency Test v5\n", "x: there is no time of a collective"},
		{"osu", "# Processes: 3\n" + osuText, "x:6: it has 3 processes, and 2 were given"},
		{"nccl", ncclText[:300], "x:4: unexpected end of JSON input; the file may be cut off"},
		{"nccl", strings.Replace(ncclText, "20.0,", "0,", 1), "x: size 64: a run-time of 0 ns"},
		{"pico", "highest\n1\n", "x: the name of the file"},
	} {
		given := two
		if c.format == "nccl" { // it names its own
			given = Given{}
		}
		_, err := text(t, c.format, "x", c.text, given)
		should.Hold(t, err != nil && strings.HasPrefix(err.Error(), c.want), "%s: error %v, want %q", c.format, err, c.want)
	}
}

func TestMediansInOSUsTextAreReadBack(t *testing.T) {
	two, four := guidelines.Shape{NP: 2}, guidelines.Shape{NP: 4, Nodes: 2, PPN: 2}
	at := func(function string, msize int64, shape guidelines.Shape, run int, ns float64) osu.Time {
		return osu.Time{Function: function, Msize: msize, Shape: shape, Run: run, NS: ns}
	}
	out := osu.Text("MPICH 4.0.2\n# Size", []osu.Time{at("MPI_Bcast", 8, two, 2, 1500), at("MPI_Bcast", 8, two, 1, 1000), at("MPI_Alltoall", 4, two, 1, 77), at("MPI_Reduce_scatter", 4, four, 1, 123456),
		at("reduce_as_allreduce", 8, two, 1, 900)})
	dir := t.TempDir()
	path := filepath.Join(dir, "x.txt")
	must.Do(t, os.WriteFile(path, []byte(out), 0o666))
	all := must.Get(jobsOf(path))(t)
	must.Hold(t, len(all) == 2 && all[0].Shape == four && all[1].Shape == two && len(all[1].runs) == 2 && all[1].Statistic == results.Median, "%s\n%+v", out, all)
	should.Hold(t, slices.Equal(all[0].runs[0][timedKey{"MPI_Reduce_scatter", 4}], us(123.456)) && slices.Equal(all[1].runs[1][timedKey{"MPI_Bcast", 8}], us(1.5)) &&
		slices.Equal(all[1].runs[0][timedKey{"reduce_as_allreduce", 8}], us(.9)) && slices.Equal(all[1].runs[0][timedKey{"MPI_Alltoall", 4}], us(.077)), "%+v", all)
}

func planOf(t *testing.T, format, its string) (*results.Manifest, error) {
	t.Helper()
	all := must.Get(text(t, format, "x", its, Given{}))(t)
	return jobs(all)[0].Manifest(guidelines.Config{Guidelines: []string{"all"}}, nil)
}

func osuSizes(n int) string {
	var out strings.Builder
	fmt.Fprint(&out, "# OSU MPI Broadcast Latency Test v7\n# Processes: 2\n# Size       Avg Latency(us)\n")
	for i := range n {
		fmt.Fprintln(&out, i+1, 1.5)
	}
	return out.String()
}

func TestManySizesAreRefusedBeforeThereIsAPlan(t *testing.T) {
	m := must.Get(planOf(t, "osu", osuSizes(mostSizes)))(t)
	others := 0
	for _, test := range m.Plan.Tests {
		others += len(test.Others)
	}
	should.Hold(t, others <= 11*mostSizes, "%d comparisons of %d sizes", others, mostSizes)
	_, err := planOf(t, "osu", osuSizes(100_000))
	should.Fail(t, err, "x: with it MPI_Bcast has more than 200 sizes", "leave out")
	var repro strings.Builder
	fmt.Fprint(&repro, "#@nprocs=2\ntest nrep msize runtime_sec\n")
	for i := range 1000 {
		fmt.Fprintln(&repro, "MPI_Bcast", 0, i+1, "0.000001")
	}
	_, err = planOf(t, "reprompi", repro.String())
	should.Fail(t, err, "more than 200 sizes")
	var runs []*measurement
	for range results.MaxMPIRuns + 1 {
		runs = append(runs, ran("", timedKey{"MPI_Bcast", 1}))
	}
	should.Fail(t, jobs(runs)[0].tooMany, "more than 10000 mpiruns")
	path := filepath.Join(t.TempDir(), "x.txt")
	must.Do(t, os.WriteFile(path, []byte(osuSizes(1000)), 0o666))
	_, leftOut, err := Each([]string{path}, Given{}, func(j *Job, _ bool) (*results.Manifest, error) {
		return j.Manifest(guidelines.Config{Guidelines: []string{"all"}}, nil)
	})
	should.Hold(t, err == nil && len(leftOut) == 1 && strings.Contains(leftOut[0], path), "%v, %q", err, leftOut)
}

func TestNumbersThatDoNotFitAreRefused(t *testing.T) {
	const big = "99999999999999999999"
	devices := func(text string) string { return strings.Replace(ncclText, `"nthreads":1`, `"nthreads":`+text, 1) }
	for _, c := range []struct{ format, text, want string }{
		{"osu", "# Processes: " + big + "\n" + osuText, `x:1: "` + big + `" is no number of processes`},
		{"osu", "# Processes: 10000001\n" + osuText, "x:1:"},
		{"osu", "# Processes: two\n" + osuText, "x:1:"},
		{"osu", "# Shape: 2x\n" + osuText, "x:1:"},
		{"imb", strings.Replace(imbText, "#processes = 2", "#processes = "+big, 1), `x:8: "` + big + `" is no number of processes`},
		{"imb", strings.Replace(imbText, "#processes = 2", "#processes = 0", 1), "x:8:"},
		{"nccl", devices("1025"), "x: 2 devices, nthreads = 1025"},
		{"nccl", devices(big), "x:"},
		{"reprompi", strings.Replace(reproBarrier, "nprocs=2", "nprocs="+big, 1), "#@nprocs"},
		{"reprompi", strings.Replace(reproBarrier, "nprocs=2", "nprocs=10000001", 1), "#@nprocs"},
		{"reprompi", strings.Replace(reproBarrier, "root_proc=0", "root_proc="+big, 1), "is no rank of 2"},
		{"reprompi", strings.Replace(reproBarrier, "root_proc=0", "root_proc=0x", 1), "is no rank of 2"},
	} {
		all, err := text(t, c.format, "x", c.text, Given{})
		should.Hold(t, err != nil && strings.Contains(err.Error(), c.want), "%s: error %v, want %q; %d measurements", c.format, err, c.want, len(all))
	}
}

func TestAFileWithoutATimeThatCountsIsLeftOutWithAReason(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.json")
	hosts := strings.Repeat(`{"hostname":"h"},`, 400_000) + `{"hostname":"h"}`
	for name, its := range map[string]string{
		"no byte for each process": strings.Replace(ncclText, `{"rank":0,"hostname":"a"},{"rank":2,"hostname":"b"}`, hosts, 1),
		"no collective":            strings.Replace(ncclText, "all_gather_perf", "sendrecv_perf", 1),
	} {
		must.Do(t, os.WriteFile(path, []byte(its), 0o666))
		all, leftOut, err := Each([]string{path}, Given{}, func(j *Job, _ bool) (*Job, error) { return j, nil })
		text := fmt.Sprint(leftOut, err)
		should.Hold(t, len(all) == 0 && strings.Contains(text, "no time of a collective"), "%s: %v, %q", name, err, leftOut)
	}
}

func TestNCCLsDatatypesAndOperatorsAreNotMixed(t *testing.T) {
	row := func(typ, op string, us float64) string {
		return fmt.Sprintf(`{"size":64,"type":%q,"redop":%q,"out_of_place":{"time":%g,"nwrong":0}}`, typ, op, us)
	}
	its := ncclText[:strings.Index(ncclText, `"results"`)] + `"results":[` +
		strings.Join([]string{row("int8", "sum", 5), row("double", "sum", 50), row("int8", "prod", 7), row("int8", "sum", 6)}, ",") + "]}"
	all := jobs(must.Get(text(t, "nccl", "x", strings.Replace(its, "all_gather", "all_reduce", 1), Given{}))(t))
	var found []string
	for _, j := range all {
		for _, run := range j.runs {
			found = append(found, fmt.Sprint(j.Datatype, " ", j.Op, " ", run[timedKey{"MPI_Allreduce", 64}]))
		}
	}
	should.Equal(t, strings.Join(found, ", "), "int8 sum [{5000 0} {6000 0}], double sum [{50000 0}], int8 prod [{7000 0}]")
}

func TestASumTakesCallsOfAtMostOnePercentMore(t *testing.T) {
	for sizes, want := range map[[2]int64]int64{{1000, 1010}: 1000, {1010, 2000}: 1010, {1011, 2000}: 0, {999, 1100}: 0} {
		should.Equal(t, nearest(sizes[:], 1000), want, "of %v", sizes)
	}
}

func TestPICOsColumnIsCalledHighestOrMax(t *testing.T) {
	for head, want := range map[string]int{"highest": 0, "rank0,highest,rank1": 1, "max": 0, "min,max": 1, "mean": -1} {
		should.Equal(t, picoColumn(head), want, "%s", head)
	}
	root := picoFolder(t)
	path := filepath.Join(root, "cray/2026_01_02___03_04_05/0/4_default_ompi_int32.csv")
	must.Do(t, os.WriteFile(path, []byte("min,max\n5,6\nAverage runtime: 3\n"), 0o666))
	all := must.Get(jobsOf(path))(t)
	should.Equal(t, all[0].runs[0][timedKey{"MPI_Bcast", 16}], []protocol.Sample{{NS: 6}})
}

func TestCreatedIsTheTimeOfTheOldestFile(t *testing.T) {
	old := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}} {
		var paths []string
		dir := t.TempDir()
		for _, days := range order {
			path := filepath.Join(dir, fmt.Sprint("x", days))
			must.Do(t, os.WriteFile(path, []byte(osuSizes(2)), 0o666))
			file := old.AddDate(0, 0, days)
			must.Do(t, os.Chtimes(path, file, file))
			paths = append(paths, path)
		}
		all := must.Get(jobsOf(paths...))(t)
		should.Hold(t, len(all) == 1 && all[0].when.Equal(old) && all[0].dated == byFile, "files of days %v: %s", order, all[0].when)
	}
}

func TestAFileOfNobodyIsNamed(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.txt")
	must.Do(t, os.WriteFile(path, []byte("hello\n"), 0o666))
	for want, paths := range map[string][]string{"its text does not tell": {path}, "no file of osu": {dir}, "there is no file or folder": {filepath.Join(dir, "y")}} {
		_, err := jobsOf(paths...)
		should.Fail(t, err, want)
	}
	_, _, err := Each[*Job]([]string{path}, Given{From: "isu"}, nil)
	should.Fail(t, err, "did you mean osu?")
}

// seeds has texts of each reader's format, with which fuzzing begins.
var seeds = map[string][]string{
	"osu": {osuText, twoTables, "\ufeff" + twoTables, before("[1,0]<stdout>:", twoTables)}, "imb": {imbText}, "pico": {"highest\n1\n2\n"}, "nccl": {ncclText},
	"nccl-text": {"# all_reduce_perf\n#  Rank  0 Group  0 Pid 7 on a device  0 [0] G\n# size count type redop root time algbw busbw #wrong\n8 2 float sum -1 1.0 1 1 0\n"},
	"rccl":      {`[{"numCycle":0,"name":"AllReduce","ranks":2,"size":8,"inPlace":0,"time":1,"busBw":1}]`, "numCycle,name,ranks,size,inPlace,time,busBw\n0,AllReduce,2,8,0,1,1\n"},
	"reprompi": {reproBarrier, reproWindow, reproEach, reproGlobal,
		"#@nprocs=1\ntest nrep msize runtime_sec\nMPI_Bcast 0 9223372036854775807 4294967296.99999999999\n",
		"#@nprocs=9999999999\nprocess test nrep msize errorcode loc_tstart_sec loc_tend_sec\n-1 x -1 0 -1 - .\n"},
	"skampi": {"# SKaMPI Version 5.0\n# begin result \"MPI_Bcast-x\"\nprocs= 2 8 1.0 0.1 9\n"},
}

// seeded reads a seed, or what fuzzing made of it, as the reader's; np is 0 where the text has to say it.
func seeded(r reader, text io.Reader, np int) ([]*measurement, error) {
	var tables sync.Map
	tables.Store("/m_metadata.csv", picoTable{{"T", "0"}: {"machine": "m", "nnodes": "2", "tasks_per_node": "1", "collective_type": "BCAST"}})
	f := file{path: "/m/T/0/8_default_ompi_int32.csv", reader: r}
	return f.parse(&input{Given: Given{Shape: guidelines.Shape{NP: np}}, tables: &tables}, text, source.MostLine)
}

// A reader is a file, its line in readers, the row of totals that it names, a seed, and its row of the page.
func TestEveryReaderHasASeedThatItReadsAndARowOfThePage(t *testing.T) {
	page := string(must.Get(os.ReadFile("../../../../docs/how-to-import.md"))(t))
	for _, r := range readers {
		cases, errs := 0, []error{}
		for _, text := range seeds[r.name] {
			for _, np := range []int{0, 2} {
				all, err := seeded(r, strings.NewReader(text), np)
				errs = append(errs, err)
				for _, m := range all {
					cases += len(m.cases)
				}
			}
		}
		should.Hold(t, cases > 0, "%s: seeds has no text that it reads: %v", r.name, errs)
		row := false
		for line := range strings.Lines(page) {
			cells := strings.Split(line, "|")
			row = row || len(cells) > 2 && strings.Contains(cells[1], "`"+r.name+"`")
		}
		should.Hold(t, row, "%s: docs/how-to-import.md has no row of it", r.name)
	}
}

// FuzzReaders tries any text: no reader panics, accepted text has positive times and known functions, and an error
// names the file.
func FuzzReaders(f *testing.F) {
	for i, r := range readers {
		for _, text := range seeds[r.name] {
			f.Add(uint8(i), text)
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, text string) {
		all, err := seeded(readers[int(which)%len(readers)], io.LimitReader(strings.NewReader(text), 1<<20), 2)
		if err != nil {
			must.Hold(t, strings.HasPrefix(err.Error(), "/m/T/0/"), "%q does not name the file", err)
			return
		}
		for _, m := range all {
			for _, c := range m.cases {
				_, known := mockups.Get(c.function)
				must.Hold(t, known && c.msize > 0, "%q at %d bytes", c.function, c.msize)
				for _, s := range c.samples {
					must.Hold(t, s.NS > 0 || s.Flags != 0, "%s at %d bytes took %d ns", c.function, c.msize, s.NS)
				}
			}
		}
		for _, j := range jobs(all) {
			m, err := j.Manifest(guidelines.Config{Guidelines: []string{"all"}}, nil)
			must.Hold(t, err != nil || m.R >= 1 && m.CheckIndices() == nil, "%v", m)
		}
	})
}
