package measure

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
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
		{"nothing given", JobConfig{}, 24, []int{8, 16, 24}, []float64{.5, .25, .25}},
		{"nothing given but a limit", JobConfig{MaxMPIRuns: 20}, 20, []int{8, 16, 20}, []float64{.5, .25, .25}},
		{"no looks, limited", JobConfig{MPIRuns: 12, MaxMPIRuns: 8}, 8, nil, nil},
		{"three looks", JobConfig{MPIRuns: 12, Looks: []int{10, 20, 30}}, 30, []int{10, 20, 30}, []float64{.2, .3, .5}},
		{"two looks", JobConfig{Looks: []int{10, 20}}, 20, []int{10, 20}, []float64{.5, .5}},
		{"own weights", JobConfig{Looks: []int{10, 20}, LookWeights: []float64{.1, .4}}, 20, []int{10, 20}, []float64{.1, .4}},
		{"limit between looks", JobConfig{Looks: []int{10, 20, 30}, MaxMPIRuns: 15}, 15, []int{10, 15}, []float64{.2, .8}},
		{"limit at a look", JobConfig{Looks: []int{10, 20, 30}, MaxMPIRuns: 20}, 20, []int{10, 20}, []float64{.2, .8}},
		{"limit beyond", JobConfig{Looks: []int{10, 20, 30}, MaxMPIRuns: 99}, 30, []int{10, 20, 30}, []float64{.2, .3, .5}},
	} {
		r, looks, weights := c.job.Schedule([]int{8, 16, 24}, []float64{.5, .25, .25})
		near := slices.EqualFunc(weights, c.weights, func(a, b float64) bool { return math.Abs(a-b) < 1e-12 })
		should.Hold(t, r == c.r && slices.Equal(looks, c.looks) && near, "%s: R %d, looks %v, weights %v", c.name, r, looks, weights)
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
		errs := c.Validate()
		must.Hold(t, len(errs) == 0, "the default: %v", errs)
		spoil(&c)
		errs = c.Validate()
		should.Hold(t, len(errs) == 1 && errs[0].Key == key, "%s: %v", key, errs)
	}
}

func TestFollowUpsAreMeasuredOnceEachAsOftenAsTheWholeCall(t *testing.T) {
	s := session(somePlan())
	m := s.Manifest
	m.NRep = map[int]results.NRep{0: {N: 500}, 4: {N: 40}, 5: {N: 20}, 10: {N: 7}}
	m.Planned(protocol.ModeSplit, &results.FollowUps{R: 10, Comparisons: []results.Comparison{
		{Case: 4, Part: 0, Calls: 16}, {Case: 5, Part: 0, Calls: 32}, {Case: 5, Part: 4, Calls: 2},
		{Case: 4, Part: 3, Calls: 3}, {Case: 5, Part: 3, Calls: 3}, {Case: 10, Part: 6, Calls: 16}}})
	want := []Sampled{{0, 16, 40, 0}, {4, 0, 40, 0}, {0, 32, 20, 0}, {5, 0, 20, 0}, {4, 2, 20, 0}, {3, 3, 40, 0}}
	should.Equal(t, Cases(m, protocol.ModeSplit, guidelines.Shape{NP: 2}), want, "p2")
	j, _, err := s.job(s.task(protocol.ModeSplit, guidelines.Shape{NP: 4}, 1))
	should.Hold(t, err == nil && len(j.Cases) == 2 && j.Cases[0].Calls == 16 && j.Cases[0].NRep == 7 && j.Cases[1].Calls == 0, "p4: %+v, %v", j, err)
}
