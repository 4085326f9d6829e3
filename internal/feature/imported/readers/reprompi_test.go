package readers

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgmpi/guidelines"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/mockups"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// reproHead imitates the lines that mpibenchmark prints before its columns (print_benchmark_common_settings_to_file
// in output_management/bench_info_output.c).
const reproHead = `#Command-line arguments:  ./bin/mpibenchmark --msizes-list=8 --calls-list=MPI_Reduce,GL_Reduce_as_Allreduce --nrep=2
#MPI calls:
#	MPI_Reduce
#	GL_Reduce_as_Allreduce
#Message sizes:
#	8
#@operation=MPI_SUM
#@datatype=MPI_INT
#@datatype_extent_bytes=4
#@datatype_size_bytes=4
#@root_proc=0
#@reproMPIcommitSHA1=00325471f9a39c5ffc35796f360fb02838cbef84
#@nprocs=2
#@clocktype=local
#@clock=MPI_Wtime
#@sync=MPI_Barrier
`

const reproTail = `# Benchmark started at Mon Oct 12 22:14:38 2020
# Execution time: 0s
`

// reproBarrier synchronises by a barrier: print_runtimes.
const reproBarrier = reproHead +
	"                                              test       nrep        count    runtime_sec \n" +
	"                                        MPI_Reduce          0            2   0.0000109819\n" +
	"                                        MPI_Reduce          1            2   0.0000030911\n" +
	"                            GL_Reduce_as_Allreduce          0            2   0.0000029809\n" +
	"                            GL_Reduce_as_Allreduce          1            2   0.0000027870\n" + reproTail

// reproWindow synchronises by windows; here one repetition was late.
const reproWindow = reproHead +
	"                                              test       nrep  msize_bytes  errorcode    runtime_sec \n" +
	"                                        MPI_Reduce          0            8          0   0.0000109815\n" +
	"                                        MPI_Reduce          1            8          2  -0.0000000001\n" + reproTail

// reproEach imitates mpibenchmark -v: rows of each process, without and with a global clock.
const reproEach = reproHead +
	"process                                               test       nrep        count loc_tstart_sec   loc_tend_sec \n" +
	"      0                                         MPI_Reduce          0            2 1602533678.1000000000 1602533678.1000012345\n" +
	"      0                                         MPI_Reduce          1            2 1602533678.2000000000 1602533678.2000010000\n" +
	"      1                                         MPI_Reduce          0            2 77.0000000000 77.0000020000\n" +
	"      1                                         MPI_Reduce          1            2 77.1000000000 77.1000005000\n" + reproTail

const reproGlobal = reproHead +
	"process test nrep count errorcode  loc_tstart_sec loc_tend_sec gl_tstart_sec gl_tend_sec\n" +
	"0 MPI_Reduce 0 2 0 5.0000000000 5.0000010000 9.0000000000 9.0000010000\n" +
	"1 MPI_Reduce 0 2 0 7.0000000000 7.0000010000 9.0000005000 9.0000015000\n" + reproTail

func TestReproMPISamplesAreReadInNanosecondsAndBytes(t *testing.T) {
	for _, c := range []struct {
		name, text string
		cases      int
		want       []protocol.Sample // of the first case
	}{
		{"barrier", reproBarrier, 2, []protocol.Sample{{NS: 10982}, {NS: 3091}}},
		{"window", reproWindow, 1, []protocol.Sample{{NS: 10982}, {NS: 0, Flags: protocol.FlagLate}}},
		{"each process, longest", reproEach, 1, []protocol.Sample{{NS: 2000}, {NS: 1000}}},
		{"global clock, latest end minus earliest start", reproGlobal, 1, []protocol.Sample{{NS: 1500}}},
	} {
		r := one(t, "reprompi", "x.dat", c.text)
		should.Hold(t, len(r.cases) == c.cases && r.cases[0].timedKey == timedKey{"MPI_Reduce", 8} && slices.Equal(r.cases[0].samples, c.want),
			"%s: %+v, want %v", c.name, r.cases, c.want)
		should.Hold(t, len(r.notes) == 0 && r.Datatype == "MPI_INT" && r.Op == "MPI_SUM" && r.Shape.NP == 2, "%s: %v, %+v", c.name, r.notes, r.Setting)
	}
}

func TestReproMPIErrorsNameFileAndLine(t *testing.T) {
	swap := func(old, now string) string {
		must.Hold(t, strings.Contains(reproBarrier, old), "no %q to replace", old)
		return strings.Replace(reproBarrier, old, now, 1)
	}
	const rows = "GL_Reduce_as_Allreduce          1            2   0.0000027870\n"
	for _, c := range []struct{ name, text, want string }{
		{"no file of ReproMPI", "hello world\n", "x.dat: it holds no measurement"},
		{"empty", "", "x.dat: it holds no measurement"},
		{"columns only", reproHead + "test nrep count runtime_sec\n", "x.dat: it holds no measurement"},
		{"summary", reproHead + "test count total_nrep valid_nrep mean_sec\n", "x.dat:17: this is a summary"},
		{"unknown column", swap("runtime_sec", "runtime_us"), `x.dat:17: column "runtime_us"`},
		{"no column of sizes", swap(" count ", " "), "x.dat:17: the columns"},
		{"no np", swap("#@nprocs=2\n", ""), "x.dat:16: no line #@nprocs=N"},
		{"no extent", swap("#@datatype_extent_bytes=4\n", ""), "x.dat:16: the sizes are counts"},
		{"cut off in a row", reproBarrier[:strings.Index(reproBarrier, "   0.0000027870")], "x.dat:21: 3 columns, the head has 4"},
		{"no number", swap("0.0000027870", "0.00000x7870"), "x.dat:21: runtime_sec"},
		{"exponent", swap("0.0000027870", "2.787e-6"), "x.dat:21: runtime_sec"},
		{"not a time", swap("0.0000027870", "0.0000000000"), "x.dat:21: repetition 1 of GL_Reduce_as_Allreduce took 0 ns"},
		{"NaN", swap("0.0000027870", "nan"), "x.dat:21: runtime_sec"},
		{"a row twice", swap(rows, rows+"                            "+rows), "x.dat:22: repetition 1 of GL_Reduce_as_Allreduce at 2 (process 0) is out of order"},
		{"a row missing", swap("MPI_Reduce          0", "MPI_Reduce          1"), "x.dat:18: repetition 1"},
		{"negative size", swap("            2   0.0000109819", "           -2   0.0000109819"), "x.dat:18: -2 is no size"},
		{"two mpiruns", reproBarrier + reproBarrier, "x.dat:40: a second line with columns"},
		{"a process missing", strings.Replace(reproGlobal, "1 MPI_Reduce 0 2 0 7.0000000000 7.0000010000 9.0000005000 9.0000015000\n", "", 1),
			"x.dat: repetition 0 of MPI_Reduce at 8 B has the rows of 1 of 2 processes"},
	} {
		_, err := text(t, "reprompi", "x.dat", c.text, Given{})
		should.Hold(t, err != nil && strings.HasPrefix(err.Error(), c.want), "%s: error %v, want %q", c.name, err, c.want)
	}
}

func TestReproMPIFilesAreMpirunsOfOneJob(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		must.Do(t, os.WriteFile(path, []byte(text), 0o666))
		return path
	}
	a, b := write("run0.dat", reproBarrier), write("run1.dat", strings.Replace(reproBarrier, reproTail, "", 1))
	all := must.Get(jobsOf(a, b))(t)
	must.Hold(t, len(all) == 1, "%d jobs", len(all))
	m := must.Get(all[0].Manifest(guidelines.Config{Guidelines: []string{"all"}}, nil))(t)
	should.Hold(t, m.R == 2 && m.Kind == results.Imported && m.Plan.Datatype == "MPI_INT" && m.Plan.Op == "MPI_SUM", "R %d, plan %+v", m.R, m.Plan)
	must.Hold(t, len(m.Plan.Tests) == 1 && m.Plan.Tests[0].Guideline == "GL8" && m.Plan.Tests[0].Msize == 8 && m.Plan.Shapes[0].NP == 2 && len(m.Sums) == 0,
		"tests %+v, sums %v: GL8 alone has both sides, and they were measured", m.Plan.Tests, m.Sums)
	r := all[0].Run(1, m)
	should.Hold(t, len(r.Cases) == 2 && r.Cases[0].Function == "MPI_Reduce" && r.Cases[1].Function == "reduce_as_allreduce" && len(r.Samples[1]) == 2, "%+v", r.Cases)
	note := strings.Join(m.Plan.Notes, " ")
	should.Hold(t, strings.Contains(note, "run1.dat lacks the line") && !strings.Contains(note, "run0.dat"), "notes %q", note)
	_, err := jobsOf(a, a)
	should.Fail(t, err, "given twice")
	for _, other := range []string{strings.Replace(reproBarrier, "#@nprocs=2", "#@nprocs=4", 1), strings.Replace(reproBarrier, "MPI_INT", "MPI_FLOAT", 1)} {
		all := must.Get(jobsOf(a, write("other.dat", other)))(t)
		should.Hold(t, len(all) == 2, "%d jobs of two settings", len(all))
	}
	nothing := write("nothing.dat", strings.ReplaceAll(strings.ReplaceAll(reproBarrier, "GL_Reduce_as_Allreduce", "BBarrier"), "MPI_Reduce", "Send_Recv"))
	should.Equal(t, len(must.Get(jobsOf(nothing))(t)), 0, "jobs without a call of ours")
}

func TestEveryMockupOfReproMPIHasOneOfOurs(t *testing.T) {
	for _, theirs := range strings.Fields(`GL_Allgather_as_Allreduce GL_Allgather_as_Alltoall GL_Allgather_as_GatherBcast GL_Allreduce_as_ReduceBcast
		GL_Allreduce_as_ReducescatterAllgatherv GL_Allreduce_as_ReducescatterblockAllgather GL_Bcast_as_ScatterAllgather GL_Gather_as_Allgather
		GL_Gather_as_Reduce GL_Reduce_as_Allreduce GL_Reduce_as_ReducescatterGatherv GL_Reduce_as_ReducescatterblockGather
		GL_Reduce_scatter_as_Allreduce GL_Reduce_scatter_as_ReduceScatterv GL_Reduce_scatter_block_as_ReduceScatter GL_Scan_as_ExscanReducelocal GL_Scatter_as_Bcast`) {
		f, ok := mockups.Get(reproMockup(theirs))
		should.Hold(t, ok && f.IsMockup() && strings.HasPrefix(theirs, "GL_"+strings.TrimPrefix(f.Of, "MPI_")+"_as_"), "%s is mapped to %s, which emulates %q", theirs, f.ID, f.Of)
	}
	should.Equal(t, reproMockup("BBarrier"), "")
}
