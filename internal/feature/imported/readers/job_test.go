package readers

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgmpi/guidelines"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// ran measures functions at sizes in one mpirun. If run is "", each goes into its next one.
func ran(run string, keys ...timedKey) *measurement {
	m := &measurement{Setting: Setting{From: "osu", Shape: guidelines.Shape{NP: 2}}, run: run,
		statistic: results.Samples}
	m.path = fmt.Sprintf("%p", m) // each is a file
	for _, k := range keys {
		m.cases = append(m.cases, timed{k, []protocol.Sample{{NS: 1000}, {NS: 0, Flags: protocol.FlagLate}}})
	}
	return m
}

func TestTheStatisticOfAJobIsTheLeastThatAFileHas(t *testing.T) {
	const samples, median, mean = results.Samples, results.Median, results.Mean
	for _, c := range [][3]results.Statistic{
		{samples, samples, samples}, {samples, median, median}, {median, samples, median},
		{samples, mean, mean}, {mean, samples, mean}, {median, mean, mean}, {mean, median, mean},
	} {
		a, b := ran(""), ran("")
		a.statistic, b.statistic = c[0], c[1]
		should.Equal(t, jobs([]*measurement{a, b})[0].Statistic, c[2], "%v", c[:2])
	}
}

func TestMpirunsOfAJobAreNamedOrTheNextThatLackACase(t *testing.T) {
	x, y := timedKey{"MPI_Bcast", 8}, timedKey{"MPI_Scan", 8}
	for name, c := range map[string]struct {
		all  []*measurement
		want string // of each run
	}{
		"unnamed":                     {[]*measurement{ran("", x), ran("", x, y), ran("", y)}, "2 2"},
		"named":                       {[]*measurement{ran("a", x), ran("b", x), ran("a", y)}, "2 1"},
		"a name whose cases are late": {[]*measurement{ran("a"), ran("b", x), ran("a", y)}, "1 1"},
		"some unnamed":                {[]*measurement{ran("", x), ran("", x), ran("a", x, y)}, "1 1 2"},
		"a name without a case":       {[]*measurement{ran("a"), ran("b", x)}, "1"},
		"a case twice in a run":       {[]*measurement{ran("a", x, x)}, "1"},
	} {
		j := jobs(c.all)[0]
		var got []string
		for _, run := range j.runs {
			got = append(got, fmt.Sprint(len(run)))
		}
		should.Hold(t, strings.Join(got, " ") == c.want && j.Files == len(c.all), "%s: %v of %d files", name, got,
			j.Files)
	}
	a := ran("", x)
	a.unused = []string{"PingPong", "Foo", "PingPong"}
	should.Equal(t, jobs([]*measurement{a})[0].unused, []string{"PingPong", "Foo"})
	_, err := planOf(t, "osu", osuSizes(mostSizes+1))
	should.Fail(t, err, "more than 200 sizes")
}

func TestAJobIsNamedByWhatItSaysOfItself(t *testing.T) {
	j := &Job{Setting: Setting{Machine: "cray", Job: "T 1/2", Version: "Open MPI 4", Shape: guidelines.Shape{NP: 2}}}
	should.Equal(t, j.Name(), "cray-T_1_2-Open_MPI_4-p2")
	j.Datatype = "int"
	should.Equal(t, j.Name(), "cray-T_1_2-Open_MPI_4-p2-int")
	j.Machine = strings.Repeat("x", 200)
	should.Equal(t, j.Name(), strings.Repeat("x", 150))
}

func TestWhatIsLeftOutIsNamedUpToANumber(t *testing.T) {
	list := func(n int) (out []string) {
		for i := range n {
			out = append(out, fmt.Sprint("t", i))
		}
		return out
	}
	twenty := strings.Join(list(20), ", ")
	const about = "; no guideline is about "
	for n, want := range map[int]string{0: "", 1: about + "t0", 21: about + twenty} {
		should.Equal(t, (&NoTest{"x", list(n), errors.New("none")}).Error(), "x: none"+want)
	}
	for n, want := range map[int][]string{0: nil, 1: {"Left out, because no guideline is about them: t0."},
		21: {"Left out, because no guideline is about them: " + twenty + "."}} {
		should.Equal(t, (&Job{unused: list(n)}).remarks(), want, "%d tests", n)
	}
	for n, want := range map[int]string{20: "t19.", 21: "1 more notes of this kind.",
		23: "3 more notes of this kind."} {
		notes := (&Job{notes: list(n)}).remarks()
		should.Hold(t, len(notes) == min(n, 21) && notes[len(notes)-1] == want, "%d notes: %q", n, notes[len(notes)-1])
	}
}

func TestAManifestHasAllThatWasMeasuredAndSumsOfTheRest(t *testing.T) {
	at := func(size int64, functions ...string) (out []timedKey) {
		for _, f := range functions {
			out = append(out, timedKey{f, size})
		}
		return out
	}
	all := slices.Concat(at(64, "MPI_Bcast", "MPI_Bcast@b", "MPI_Bcast@a", "MPI_Bcast@d", "MPI_Bcast@c",
		"MPI_Alltoallv", "MPI_Scatterv", "MPI_Exscan"), at(32, "MPI_Scatter", "MPI_Allgather", "MPI_Exscan"))
	j := jobs([]*measurement{ran("", all...), ran("", all...)})[0]
	j.Machine = "cray"
	m := must.Get(j.Manifest(guidelines.Config{Guidelines: []string{"GL10"}}, nil))(t)
	var tests, cases []string
	for _, x := range m.Plan.Tests {
		tests = append(tests, x.Guideline)
	}
	for _, k := range m.Plan.Cases {
		cases = append(cases, fmt.Sprint(k.Function, " ", k.Msize))
	}
	should.Equal(t, tests, []string{"GL10", "own-Bcast-a", "own-Bcast-b", "own-Bcast-c", "own-Bcast-d"})
	must.Hold(t, len(cases) == len(all)+1, "each case once, and a sum: %q", cases)
	should.Equal(t, cases[len(cases)-6:], []string{"MPI_Allgather 32", "MPI_Alltoallv 64", "MPI_Exscan 32",
		"MPI_Exscan 64", "MPI_Scatter 32", "MPI_Scatterv 64"}, "what no test needs")
	should.Hold(t, m.R == 2 && m.Factors.Hostname == "cray" && m.Imported.Files == 2, "%+v", m.Imported)
	must.Hold(t, len(m.Sums) == 1, "%v: of what was planned alone", m.Sums)
	for i, parts := range m.Sums {
		var of []string
		for _, p := range parts {
			of = append(of, cases[p])
		}
		should.Equal(t, cases[i]+": "+strings.Join(of, ", "),
			"bcast_as_scatter+allgather 64: MPI_Scatter 32, MPI_Allgather 32")
	}
	should.Contain(t, strings.Join(m.Plan.Notes, "\n"),
		"Not measured, but the sums of the times of their calls (variant sum): bcast_as_scatter+allgather.")
	r := j.Run(1, m)
	must.Hold(t, r.Run == 2 && len(r.Cases) == len(all) && len(r.Order) == len(all), "%d cases, order %v",
		len(r.Cases), r.Order)
	should.Hold(t, r.Cases[0].Invalid == 1 && r.Cases[0].NRep == 2 && r.Order[1] == 1, "%+v", r.Cases[0])
	j = jobs([]*measurement{ran("", at(64, "MPI_Reduce", "reduce_as_allreduce")...)})[0]
	none := must.Get(j.Manifest(guidelines.Config{Guidelines: []string{"GL8"}}, nil))(t)
	should.Hold(t, !strings.Contains(strings.Join(none.Plan.Notes, "\n"), "sums"), "%q", none.Plan.Notes)
}

func TestASumIsOfCallsThatWereMeasuredOrOfWhatStandsInForThem(t *testing.T) {
	j := &Job{Setting: Setting{Shape: guidelines.Shape{NP: 2}}}
	sum := func(mockup string, measured map[string][]int64) string {
		return fmt.Sprint(j.sums(measured)[timedKey{mockup, 8}])
	}
	eight, four := []int64{8}, []int64{4}
	for name, c := range map[string]struct {
		mockup   string
		measured map[string][]int64
		want     string
	}{
		"both calls": {"bcast_as_scatter+allgather", map[string][]int64{"MPI_Bcast": eight,
			"MPI_Scatter": four, "MPI_Allgather": four}, "[{MPI_Scatter 4} {MPI_Allgather 4}]"},
		"one call": {"bcast_as_scatter+allgather", map[string][]int64{"MPI_Bcast": eight,
			"MPI_Scatter": four}, "[]"},
		"measured itself": {"bcast_as_scatter+allgather", map[string][]int64{"MPI_Bcast": eight,
			"MPI_Scatter": four, "MPI_Allgather": four, "bcast_as_scatter+allgather": eight}, "[]"},
		"one that stands in": {"allreduce_as_reduce_scatter+allgatherv",
			map[string][]int64{"MPI_Allreduce": eight, "MPI_Reduce_scatter": four, "MPI_Allgather": four},
			"[{MPI_Reduce_scatter 4} {MPI_Allgather 4}]"},
		"first what is named": {"allreduce_as_reduce_scatter+allgatherv",
			map[string][]int64{"MPI_Allreduce": eight, "MPI_Reduce_scatter": four, "MPI_Allgather": four,
				"MPI_Allgatherv": four}, "[{MPI_Reduce_scatter 4} {MPI_Allgatherv 4}]"},
		"a byte": {"allreduce_as_reduce+bcast", map[string][]int64{"MPI_Allreduce": {1, 8},
			"MPI_Reduce": eight, "MPI_Bcast": eight}, "[{MPI_Reduce 8} {MPI_Bcast 8}]"},
		"alone, none stands in": {"gather_as_gatherv", map[string][]int64{"MPI_Gather": eight}, "[]"},
		"alone, and it was timed": {"reduce_as_allreduce", map[string][]int64{"MPI_Reduce": eight,
			"MPI_Allreduce": eight}, "[{MPI_Allreduce 8}]"},
	} {
		should.Equal(t, sum(c.mockup, c.measured), c.want, name)
	}
	ones := j.sums(map[string][]int64{"MPI_Reduce": {1}, "MPI_Allreduce": {1}})
	should.Equal(t, fmt.Sprint(ones[timedKey{"reduce_as_allreduce", 1}]), "[{MPI_Allreduce 1}]")
	for _, c := range []struct {
		sizes       []int64
		least, want int64
	}{{[]int64{1010, 1000}, 1000, 1000}, {[]int64{10000}, 9900, 0}, {[]int64{9999}, 9900, 9999}} {
		should.Equal(t, nearest(c.sizes, c.least), c.want, "%v from %d on", c.sizes, c.least)
	}
}
