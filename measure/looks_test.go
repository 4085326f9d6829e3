package measure

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

func TestScheduleIsFixedByTheSettings(t *testing.T) {
	for _, c := range []struct {
		name    string
		job     JobConfig
		r       int
		looks   []int
		weights []float64
	}{
		{"no looks", JobConfig{MPIRuns: 12}, 12, nil, nil},
		{"no looks, limited", JobConfig{MPIRuns: 12, MaxMPIRuns: 8}, 8, nil, nil},
		{"three looks", JobConfig{MPIRuns: 12, Looks: []int{10, 20, 30}}, 30, []int{10, 20, 30}, []float64{.2, .3, .5}},
		{"two looks", JobConfig{Looks: []int{10, 20}}, 20, []int{10, 20}, []float64{.5, .5}},
		{"own weights", JobConfig{Looks: []int{10, 20}, LookWeights: []float64{.1, .4}}, 20, []int{10, 20}, []float64{.1, .4}},
		{"limit between looks", JobConfig{Looks: []int{10, 20, 30}, MaxMPIRuns: 15}, 15, []int{10, 15}, []float64{.2, .8}},
		{"limit at a look", JobConfig{Looks: []int{10, 20, 30}, MaxMPIRuns: 20}, 20, []int{10, 20}, []float64{.2, .8}},
		{"limit beyond", JobConfig{Looks: []int{10, 20, 30}, MaxMPIRuns: 99}, 30, []int{10, 20, 30}, []float64{.2, .3, .5}},
	} {
		r, looks, weights := c.job.Schedule()
		near := slices.EqualFunc(weights, c.weights, func(a, b float64) bool { return math.Abs(a-b) < 1e-12 })
		if r != c.r || !slices.Equal(looks, c.looks) || !near {
			t.Errorf("%s: R %d, looks %v, weights %v", c.name, r, looks, weights)
		}
	}
}

func TestLooksThatSpendTooMuchOrRunBackwardsAreErrors(t *testing.T) {
	for key, spoil := range map[string]func(*JobConfig){
		"looks":        func(c *JobConfig) { c.Looks = []int{20, 10} },
		"look_weights": func(c *JobConfig) { c.Looks, c.LookWeights = []int{10, 20}, []float64{.6, .6} },
		"max_mpiruns":  func(c *JobConfig) { c.MaxMPIRuns = -1 },
		"max_time":     func(c *JobConfig) { c.MaxTime = conf.Duration(-time.Second) },
	} {
		c := DefaultJob()
		if errs := c.Validate(); len(errs) != 0 {
			t.Fatalf("the default: %v", errs)
		}
		spoil(&c)
		if errs := c.Validate(); len(errs) != 1 || errs[0].Key != key {
			t.Errorf("%s: %v", key, errs)
		}
	}
}

// inFolder is a session of four mpiruns of one second, of which some are done.
func inFolder(t *testing.T, done int) *Session {
	t.Helper()
	s := session(somePlan())
	s.Manifest.R = 4
	folder, err := results.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { folder.Close() })
	s.Folder = folder
	for run := 1; run <= done; run++ {
		for _, shape := range s.Manifest.Plan.Shapes {
			r := &results.Run{Header: results.Header{Mode: protocol.ModeMeasure, Shape: shape, Run: run, WallNS: 1e9}}
			if err := folder.WriteRun(r); err != nil {
				t.Fatal(err)
			}
			s.clocked(r)
		}
	}
	return s
}

func TestNoMpirunIsBegunThatWouldEndTooLate(t *testing.T) {
	s := inFolder(t, 2)
	s.MaxTime = 6 * time.Second // four are spent, both shapes need two more
	if ok, err := s.goesOn(protocol.ModeMeasure, 3); !ok || err != nil {
		t.Errorf("the third round fits: %v, %v", ok, err)
	}
	s.MaxTime = 5999 * time.Millisecond
	for range 2 { // the second time it is on disk
		if ok, err := s.goesOn(protocol.ModeMeasure, 3); ok || err != nil {
			t.Errorf("the third round does not fit: %v, %v", ok, err)
		}
		s.MaxTime = time.Hour
	}
	if m, err := s.Folder.Manifest(); err != nil || m.Runs(protocol.ModeMeasure) != 2 {
		t.Errorf("the manifest has %v, %v", m.Stopped, err)
	}
	if ok, _ := s.goesOn(protocol.ModeMeasure, 2); !ok {
		t.Error("the mpiruns before the end belong to the stage")
	}
}

func TestAnEndByTimeLeavesNothingOnDiskBehindIt(t *testing.T) {
	s := inFolder(t, 4)
	p2, p4 := s.Manifest.Plan.Shapes[0], s.Manifest.Plan.Shapes[1]
	if err := os.Remove(filepath.Join(s.Folder.Path, "raw", results.RawName(protocol.ModeMeasure, p4, 2))); err != nil {
		t.Fatal(err)
	}
	s.MaxTime = time.Second // spent long ago
	for run := 1; run <= 4; run++ {
		if ok, err := s.goesOn(protocol.ModeMeasure, run); !ok || err != nil {
			t.Errorf("mpirun %d of %s is there: %v, %v", run, p2, ok, err)
		}
	}
	if ok, _ := s.goesOn(protocol.ModeMeasure, 5); ok || s.Manifest.Runs(protocol.ModeMeasure) != 4 {
		t.Errorf("goes on %v, %v", ok, s.Manifest.Stopped)
	}
}

func TestFinishedMpirunsAreListedByNumber(t *testing.T) {
	s := inFolder(t, 112)
	runs, err := s.Folder.Finished(protocol.ModeMeasure, guidelines.Shape{NP: 2})
	if err != nil || len(runs) != 112 || !slices.IsSorted(runs) {
		t.Errorf("%v, %v", runs, err)
	}
}

func TestACaseIsSkippedAfterAManifestWithoutAny(t *testing.T) {
	s := inFolder(t, 0)
	s.learn(&results.Run{Header: results.Header{Mode: protocol.ModeNREP, Shape: guidelines.Shape{NP: 2}, MemoryCap: 1}})
	if err := s.Folder.WriteManifest(s.Manifest); err != nil {
		t.Fatal(err)
	}
	var err error
	if s.Manifest, err = s.Folder.Manifest(); err != nil {
		t.Fatal(err)
	}
	s.learn(&results.Run{Header: results.Header{Mode: protocol.ModeNREP, Shape: guidelines.Shape{NP: 4}, MemoryCap: 1,
		Cases: []results.CaseInfo{{Plan: 7, CaseResult: protocol.CaseResult{Status: protocol.StatusNotMeasured}}}}})
	if s.Manifest.Skip[7].Status != protocol.StatusNotMeasured {
		t.Errorf("skipped: %v", s.Manifest.Skip)
	}
}

func TestALookDropsCasesAndEndsTheStage(t *testing.T) {
	s := inFolder(t, 0)
	s.Manifest.Looks = []int{1, 2, 4}
	needed := map[int]bool{0: true, 7: true}
	var asked []int
	s.AtLook = func(run int) (map[int]bool, error) {
		asked = append(asked, run)
		if run == 2 {
			return map[int]bool{}, nil
		}
		return needed, nil
	}
	p2, p4 := s.Manifest.Plan.Shapes[0], s.Manifest.Plan.Shapes[1]
	for run, want := range []struct {
		goesOn bool
		p2, p4 int
	}{{true, 6, 6}, {true, 1, 1}, {false, 0, 0}} {
		ok, err := s.goesOn(protocol.ModeMeasure, run+1)
		a, b := s.cases(protocol.ModeMeasure, p2), s.cases(protocol.ModeMeasure, p4)
		if err != nil || ok != want.goesOn || len(a) != want.p2 || len(b) != want.p4 {
			t.Errorf("before mpirun %d: goes on %v with %v and %v, %v", run+1, ok, a, b, err)
		}
	}
	if !slices.Equal(asked, []int{1, 2}) {
		t.Errorf("asked after %v", asked)
	}
}

func TestFollowUpsAreMeasuredOnceEachAsOftenAsTheWholeCall(t *testing.T) {
	s := session(somePlan())
	m := s.Manifest
	m.NRep = map[int]results.NRep{0: {N: 500}, 4: {N: 40}, 5: {N: 20}, 10: {N: 7}}
	m.Split = &results.SplitPlan{R: 10, FollowUps: []results.FollowUp{
		{Case: 4, Part: 0, Calls: 16}, {Case: 5, Part: 0, Calls: 32}, {Case: 5, Part: 4, Calls: 2},
		{Case: 4, Part: 3, Calls: 3}, {Case: 5, Part: 3, Calls: 3}, {Case: 10, Part: 6, Calls: 16}}}
	want := []sampled{{0, 16, 40}, {4, 1, 40}, {0, 32, 20}, {5, 1, 20}, {4, 2, 20}, {3, 3, 40}}
	if got := s.cases(protocol.ModeSplit, guidelines.Shape{NP: 2}); !slices.Equal(got, want) {
		t.Errorf("p2: %v, want %v", got, want)
	}
	j, _, err := s.job(protocol.ModeSplit, guidelines.Shape{NP: 4}, 1, s.cases(protocol.ModeSplit, guidelines.Shape{NP: 4}))
	if err != nil || len(j.Cases) != 2 || j.Cases[0].Calls != 16 || j.Cases[0].NRep != 7 || j.Cases[1].Calls != 0 {
		t.Errorf("p4: %+v, %v", j, err)
	}
}
