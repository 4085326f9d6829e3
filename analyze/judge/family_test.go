package judge

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// goldenSequence is one case of sequential.json.
type goldenSequence struct {
	ID      string
	Looks   []int
	Weights []float64
	P       [][]float64 // by test and look
	Expect  []struct {
		Look     int
		PSeq     []float64 `json:"p_seq"`
		Holm, BH []float64
		ByHolm   []int `json:"violated_holm_005"`
		ByBH     []int `json:"violated_bh_005"`
	}
}

func loadSequences(t *testing.T) []goldenSequence {
	t.Helper()
	folder := os.Getenv("PGMPI_GOLDEN")
	if folder == "" {
		folder = filepath.Join("..", "..", "testdata", "golden")
	}
	text, err := os.ReadFile(filepath.Join(folder, "sequential.json"))
	if err != nil {
		t.Fatal(err)
	}
	var g struct{ Cases []goldenSequence }
	if err := json.Unmarshal(text, &g); err != nil {
		t.Fatal(err)
	}
	if len(g.Cases) == 0 {
		t.Fatal("no cases")
	}
	return g.Cases
}

// familyOf is a Family whose p-values come from elsewhere.
func familyOf(t *testing.T, g goldenSequence, adjust Adjust) *Family {
	t.Helper()
	cfg := Default()
	cfg.Adjust, cfg.Test = adjust, TestRankSum // a test that was asked for decides at every look
	d, err := NewDesign(cfg, Schedule{g.Looks, g.Weights}, len(g.P))
	if err != nil {
		t.Fatal(err)
	}
	return d.Family(0)
}

// lookAt gives test i a p-value at look k.
func lookAt(t *testing.T, q *Family, i, k int, p float64) {
	t.Helper()
	q.Outcomes[i].Runs = q.Looks[k]
	if err := q.spend(i, k, p); err != nil {
		t.Fatal(err)
	}
}

func TestFamilySpendsAndAdjustsAsTheGoldenVectors(t *testing.T) {
	for _, g := range loadSequences(t) {
		for _, adjust := range []Adjust{AdjustHolm, AdjustBH} {
			q := familyOf(t, g, adjust)
			for k, want := range g.Expect {
				for i := range g.P {
					lookAt(t, q, i, k, g.P[i][k])
				}
				if err := q.adjust(); err != nil {
					t.Fatal(err)
				}
				adjusted, violated := want.Holm, want.ByHolm
				if adjust == AdjustBH {
					adjusted, violated = want.BH, want.ByBH
				}
				var found []int
				for i, o := range q.Outcomes {
					if math.Abs(o.P-want.PSeq[i]) > 1e-12*want.PSeq[i] || math.Abs(o.PAdjusted-adjusted[i]) > 1e-12*adjusted[i] {
						t.Errorf("%s, %s, look %d, test %d: P %v and %v adjusted, want %v and %v",
							g.ID, adjust, want.Look, i, o.P, o.PAdjusted, want.PSeq[i], adjusted[i])
					}
					if o.PAdjusted <= 0.05 {
						found = append(found, i)
					}
				}
				if !slices.Equal(found, violated) {
					t.Errorf("%s, %s, look %d: violated %v, want %v", g.ID, adjust, want.Look, found, violated)
				}
			}
		}
	}
}

// With the p-values of decided tests frozen, as in a check, the golden scenario
// has the same findings at the same looks, and none is ever taken back.
func TestFrozenTestsChangeNoGoldenFinding(t *testing.T) {
	for _, g := range loadSequences(t) {
		q := familyOf(t, g, AdjustBH)
		for k, want := range g.Expect {
			for i := range g.P {
				if !q.Outcomes[i].Decided {
					lookAt(t, q, i, k, g.P[i][k])
				}
			}
			if err := q.adjust(); err != nil {
				t.Fatal(err)
			}
			for i, o := range q.Outcomes {
				if q.Outcomes[i].Decided && o.PAdjusted > 0.05 {
					t.Errorf("%s, look %d: test %d was violated, and is no more", g.ID, want.Look, i)
				}
				q.Outcomes[i].Decided = o.PAdjusted <= 0.05
				if q.Outcomes[i].Decided != slices.Contains(want.ByBH, i) {
					t.Errorf("%s, look %d: test %d violated %v", g.ID, want.Look, i, q.Outcomes[i].Decided)
				}
			}
		}
	}
}

// The test of a look is chosen by all of alpha, and may be too weak for the
// share that the look can spend. Where a later look can pair the mpiruns, one that
// cannot do so well finds no violations.
func TestALookIsBlindByTheTestThatItUses(t *testing.T) {
	for _, c := range []struct {
		s       Schedule
		m       int
		screens []bool
		blind   []int
		r       int // that the refusal names; 0: none
	}{
		{Schedule{[]int{10, 20, 30}, []float64{.2, .3, .5}}, 7, []bool{true, false, false}, nil, 0}, // 2^-10 > .05/(8·7)
		{Schedule{[]int{10, 20, 30}, []float64{.2, .3, .5}}, 6, []bool{false, false, false}, nil, 0},
		{Schedule{[]int{10, 20, 30}, []float64{.2, .3, .5}}, 495, []bool{true, false, false}, nil, 0},
		{Schedule{[]int{5, 10}, []float64{.5, .5}}, 51, []bool{true, false}, nil, 0},
		{Schedule{[]int{5, 10}, []float64{.5, .5}}, 52, []bool{false, false}, []int{5}, 0}, // the rank-sum from here on
		{Schedule{[]int{3, 4}, []float64{.5, .5}}, 5, []bool{false, false}, []int{3, 4}, 5},
	} {
		d, err := NewDesign(Default(), c.s, c.m)
		if err != nil || !slices.Equal(d.Blind, c.blind) {
			t.Errorf("looks %v, m = %d: blind %v, %v", c.s.Looks, c.m, d.Blind, err)
		}
		for k, want := range c.screens {
			if d.Screen(k) != want {
				t.Errorf("looks %v, m = %d: look %d is a screen: %v, want %v", c.s.Looks, c.m, k, d.Screen(k), want)
			}
		}
		if c.r > 0 != (d.Refused != nil) || d.Refused != nil && d.Refused.RNeeded != c.r {
			t.Errorf("looks %v, m = %d: %+v", c.s.Looks, c.m, d.Refused)
		}
	}
}

func TestBeingKeptSpendsItsErrorToo(t *testing.T) {
	var pair Pair
	for _, d := range []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, -10} { // signed-rank: p = 43/1024
		pair.Orig, pair.Other = append(pair.Orig, 100), append(pair.Other, (100+d)/1.05)
	}
	for _, c := range []struct {
		weight float64
		want   Verdict
	}{{1, Kept}, {0.2, Undecided}} {
		d, err := NewDesign(Default(), Schedule{[]int{10}, []float64{c.weight}}, 1)
		if err != nil {
			t.Fatal(err)
		}
		if o := judged(t, d, 0, []Pair{pair})[0]; o.Verdict != c.want || math.Abs(o.PKept-43.0/1024) > 1e-12 {
			t.Errorf("weight %v: %s with p = %v of being kept, want %s", c.weight, o.Verdict, o.PKept, c.want)
		}
	}
}
