package app

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/feature/app/profile"
	"pgmpi/internal/phrase"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

const profileOfFour = `{"schema":"pgmpi-profile/1","program":"app","processes":4,"ranks":4,"finished":true,"wall_ns":1000000000,"calls":[
{"function":"MPI_Allreduce","bytes":4,"processes":2,"communicator":"part","datatype":"MPI_INT","op":"MPI_MAX","calls":10,"ranks":4,"sum_ns":400000000,"least_rank_ns":1,"most_rank_ns":200000000},
{"function":"MPI_Bcast","bytes":65536,"processes":4,"communicator":"world","datatype":"MPI_BYTE","calls":10,"ranks":4,"sum_ns":200000000,"least_rank_ns":1,"most_rank_ns":100000000},
{"function":"MPI_Barrier","bytes":0,"processes":4,"communicator":"world","calls":10,"ranks":4,"sum_ns":100000000,"least_rank_ns":1,"most_rank_ns":50000000},
{"function":"MPI_Bcast","bytes":0,"processes":4,"communicator":"world","datatype":"MPI_BYTE","calls":10,"ranks":4,"sum_ns":100000000,"least_rank_ns":1,"most_rank_ns":50000000},
{"function":"MPI_Alltoallv","bytes":1024,"processes":4,"communicator":"world","datatype":"MPI_BYTE","uneven":true,"calls":10,"ranks":4,"sum_ns":200000000,"least_rank_ns":1,"most_rank_ns":100000000},
{"function":"MPI_Scan","bytes":8,"processes":4,"communicator":"world","datatype":"MPI_DOUBLE","op":"MPI_SUM","calls":4,"ranks":4,"sum_ns":1000,"least_rank_ns":1,"most_rank_ns":900}]}`

// Uneven calls, and calls of less than .1 % of the run-time, are left out.
func TestACheckIsPlannedFromWhatAProgramCalls(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.prof")
	must.Do(t, os.WriteFile(path, []byte(profileOfFour), 0o666))
	f := glfile.Default()
	note := must.Get(callsOf(path, &f))(t)
	should.Hold(t, slices.Equal(f.Job.NP, []int{2, 4}) && f.Job.Datatype == "auto" && f.Job.Op == "auto", "%+v", f.Job)
	should.Hold(t, f.Job.Shapes != nil, "a results folder cannot be read with null for shapes")
	p := must.Get(f.Plan(f.Job.NP))(t)
	for _, test := range p.Tests {
		should.Hold(t, test.Function == "MPI_Allreduce" && test.Msize == 4 && test.Shape.NP == 2 ||
			test.Shape.NP == 4 && (test.Function == "MPI_Bcast" && test.Msize == 65536 || test.Function == "MPI_Barrier"), "%+v", test)
	}
	should.Hold(t, len(p.Tests) >= 3, "%d tests", len(p.Tests))
	should.Hold(t, slices.Equal(f.Check.Calls, []string{"MPI_Allreduce:4:2:int/max", "MPI_Bcast:65536:4", "MPI_Barrier::4"}), "%v", f.Check.Calls)
	should.Contain(t, note, "70.0 %")
}

// mixed has the kinds of calls that real programs mix: of Fortran and C, by several operators, and with counts.
const mixed = `{"schema":"pgmpi-profile/1","program":"app","processes":2,"ranks":2,"finished":true,"wall_ns":1000000000,"calls":[%s]}`

func mix(function string, bytes int, datatype, op string, ms int) string {
	return fmt.Sprintf(`{"function":%q,"bytes":%d,"processes":2,"communicator":"world","datatype":%q,"op":%q,"calls":10,"ranks":2,`+
		`"sum_ns":%d,"least_rank_ns":1,"most_rank_ns":%[5]d}`, function, bytes, datatype, op, ms*1000000)
}

// What the check says that it measures is what gain finds measured, whatever a program reduces.
func TestGainCoversWhatTheCheckSaid(t *testing.T) {
	for said, c := range map[string]struct{ left, calls string }{
		"100.0 %": {"", mix("MPI_Allreduce", 8, "MPI_REAL8", "MPI_MAX", 100) + "," + mix("MPI_Allreduce", 16, "MPI_DOUBLE_PRECISION", "MPI_MAX", 200) + "," +
			mix("MPI_Allreduce", 32, "MPI_DOUBLE_COMPLEX", "MPI_SUM", 100) + "," + mix("MPI_Reduce", 16, "MPI_C_DOUBLE_COMPLEX", "MPI_SUM", 100)},
		"65.0 %": {"Allreduce of 8 B C_BOOL/LAND (35.0 %)",
			mix("MPI_Allreduce", 8, "MPI_LONG_LONG_INT", "MPI_SUM", 100) + "," + mix("MPI_Allreduce", 8, "MPI_INT", "MPI_MAX", 20) + "," +
				mix("MPI_Allreduce", 8, "MPI_DOUBLE", "MPI_SUM", 10) + "," + mix("MPI_Allreduce", 8, "MPI_C_BOOL", "MPI_LAND", 70)},
		"50.0 %": {"Alltoallv of 250 KiB (50.0 %)", mix("MPI_Alltoallv", 256000, "MPI_BYTE", "", 100) + "," + mix("MPI_Bcast", 5, "MPI_CHARACTER", "", 100)},
		"75.0 %": {"Allreduce of 8 B derived/user (25.0 %)",
			mix("MPI_Allreduce", 8, "derived", "user", 50) + "," + mix("MPI_Reduce", 8, "MPI_DOUBLE", "MPI_SUM", 150)},
		"80.0 %": {"Allreduce of 2 B INTEGER/SUM (20.0 %)", // no whole number of elements; a Bcast has bytes
			mix("MPI_Allreduce", 2, "MPI_INTEGER", "MPI_SUM", 40) + "," + mix("MPI_Allreduce", 4, "MPI_INTEGER", "MPI_SUM", 40) + "," + mix("MPI_Bcast", 5, "MPI_BYTE", "", 120)},
	} {
		path := filepath.Join(t.TempDir(), "app.prof")
		must.Do(t, os.WriteFile(path, []byte(fmt.Sprintf(mixed, c.calls)), 0o666))
		f := glfile.Default()
		note := must.Get(callsOf(path, &f))(t)
		should.Contain(t, note, said+" of its time in collectives", c.left)

		g := Join(measured(t, &f), nil, must.Get(profile.Read(path))(t))
		should.Equal(t, phrase.Percent(g.CoveredS/g.CollectiveS), said)
	}
}

// measured returns the report of a check that has measured all of its plan.
func measured(t *testing.T, f *glfile.File) *analyze.Report {
	plan := must.Get(f.Plan(f.Job.NP))(t)
	r := &analyze.Report{Operation: analyze.OperationOf(plan)}
	for _, test := range plan.Tests {
		v := analyze.Verdict{Type: test.Type, Function: test.Function, Msize: test.Msize, NP: test.Shape.NP, MedianS: number(1e-6), Verdict: judge.Kept, Elements: test.Elements}
		v.Datatype, v.Op = plan.ElementsOf(plan.Cases[test.Case])
		r.Verdicts = append(r.Verdicts, v)
	}
	return r
}

// testdata/profiles has the collectives of Debian's programs with the inputs of bench/applications, as `pgmpi profile`
// has counted them. Sizes near measured ones are covered, too.
func TestGainCoversOfRealProgramsWhatTheCheckSaid(t *testing.T) {
	paths := must.Get(filepath.Glob("testdata/profiles/*.prof"))(t)
	should.Hold(t, len(paths) >= 4, "%d profiles", len(paths))
	for _, path := range paths {
		f := glfile.Default()
		note := must.Get(callsOf(path, &f))(t)
		said := regexp.MustCompile(`([\d.]+) % of its time in collectives`).FindStringSubmatch(note)
		must.Hold(t, said != nil, "%s: %s", path, note)
		g := Join(measured(t, &f), nil, must.Get(profile.Read(path))(t))
		share := must.Get(strconv.ParseFloat(said[1], 64))(t)
		covered := 100 * g.CoveredS / g.CollectiveS
		should.Hold(t, covered > share-.06 && share > 0, "%s: the check said %.1f %%, and gain covers %.2f %%", path, share, covered)
	}
}

func TestAProgramWithoutSuchCallsHasNothingToCheck(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.prof")
	must.Do(t, os.WriteFile(path, []byte(`{"schema":"pgmpi-profile/1","processes":1,"ranks":1,"wall_ns":1,"calls":[]}`), 0o666))
	_, err := callsOf(path, &glfile.File{})
	should.Fail(t, err, "nothing to gain", "no calls")
}

// What would stand in place of two calls is measured besides them.
func TestACheckMeasuresWhatTwoCallsWouldBeInOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.prof")
	one := mix("MPI_Reduce", 8, "MPI_DOUBLE", "MPI_MAX", 100)
	made := strings.Replace(mix("MPI_Allreduce", 8, "MPI_DOUBLE", "MPI_MAX", 150), "{", `{"by":"MPI_Reduce + MPI_Bcast",`, 1)
	must.Do(t, os.WriteFile(path, []byte(strings.Replace(fmt.Sprintf(mixed, one), `"calls":[`, `"made":[`+made+`],"calls":[`, 1)), 0o666))
	f := glfile.Default()
	note := must.Get(callsOf(path, &f))(t)
	should.Equal(t, f.Check.Calls, []string{"MPI_Reduce:8:2:double/max", "MPI_Allreduce:8:2:double/max"})
	should.Contain(t, note, "1 kind of calls", "100.0 %")

	must.Do(t, os.WriteFile(path, []byte(strings.Replace(fmt.Sprintf(mixed, one), `"calls":[`, `"made":[`+strings.Replace(made, "Bcast", "Scatter", 1)+`],"calls":[`, 1)), 0o666))
	_, err := callsOf(path, &f)
	should.Fail(t, err, "made[0]", "another pair")
}

// Calls with one root have that in the check, whatever the others have.
func TestEachCallIsCheckedWithItsRoot(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.prof")
	at := func(root int, call string) string {
		return strings.Replace(call, `"calls":10`, fmt.Sprintf(`"calls":10,"other_root":%d,"root":%d`, map[bool]int{true: 10}[root != 0], root), 1)
	}
	with := func(root, ms int) string { return at(root, mix("MPI_Bcast", 8, "MPI_BYTE", "", ms)) }
	for _, c := range []struct {
		root  int // job.root
		calls string
		plan  []string
		said  string
	}{
		{0, with(0, 20) + "," + with(1, 120) + "," + mix("MPI_Allreduce", 8, "MPI_DOUBLE", "MPI_SUM", 60),
			[]string{"MPI_Bcast:8:2:root=1", "MPI_Allreduce:8:2:double/sum", "MPI_Bcast:8:2"}, "100.0 % of its time in collectives."},
		{1, with(0, 20) + "," + with(1, 120), []string{"MPI_Bcast:8:2", "MPI_Bcast:8:2:root=0"}, "100.0 % of its time in collectives."},
		{0, with(0, 80) + "," + with(-1, 120), []string{"MPI_Bcast:8:2"}, "40.0 % of its time in collectives, but not Bcast of 8 B, several roots (60.0 %)"},
		{0, at(1, mix("MPI_Reduce", 8, "MPI_INT", "MPI_MAX", 100)), []string{"MPI_Reduce:8:2:int/max:root=1"}, "100.0 % of its time in collectives."},
	} {
		must.Do(t, os.WriteFile(path, []byte(fmt.Sprintf(mixed, c.calls)), 0o666))
		f := glfile.Default()
		f.Job.Root = c.root
		note := must.Get(callsOf(path, &f))(t)
		should.Equal(t, f.Check.Calls, c.plan)
		should.Contain(t, note, c.said)
		g := Join(measured(t, &f), nil, must.Get(profile.Read(path))(t))
		should.Contain(t, note, phrase.Percent(g.CoveredS/g.CollectiveS)+" of its time in collectives")
	}
}
