package guidelines

import (
	"cmp"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgmpi/mockups"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// resolve is the selection of a valid section.
func (c Config) resolve(users []User) []Guideline {
	s, _ := c.selection(users)
	return s.guidelines()
}

func TestEveryMockupOfTheCatalogueIsInTheTable(t *testing.T) {
	for _, e := range Catalogue() {
		for _, g := range e.Guidelines() {
			if e.Type != Pattern || OneOf(e.ID) && len(AllOf(e.ID, g.Function, 4)) > 0 {
				continue
			}
			m, ok := mockups.Get(g.Mockup)
			should.Hold(t, ok && !m.User && mockups.Collective(g.Function) == cmp.Or(m.Of, m.ID) && g.Mockup != g.Function,
				"%s: %q is no mock-up of %q", e.ID, g.Mockup, g.Function)
		}
	}
}

func TestFormulaReadsAsInThePaper(t *testing.T) {
	tests := []struct {
		g    Guideline
		want string
	}{
		{Guideline{Type: Monotony, Function: "MPI_Gather"}, "Gather(n) ≤ Gather(n+k)"},
		{Guideline{Type: Split, Function: "MPI_Gather"}, "Gather(n) ≤ k·Gather(n/k)"},
		{Guideline{Type: Pattern, Function: "MPI_Reduce", Mockup: "reduce_as_allreduce"}, "Reduce(n) ≤ Allreduce(n)"},
		{Guideline{Type: Pattern, Function: "MPI_Bcast", Mockup: "bcast_as_scatter+allgather"},
			"Bcast(n) ≤ Scatter(n) + Allgather(n)"},
		{Guideline{Type: Monotony, Function: "MPI_Igather"}, "Igather(n) ≤ Igather(n+k)"},
		{Guideline{Type: Pattern, Function: "MPI_Bcast", Mockup: "MPI_Ibcast"}, "Bcast(n) ≤ Ibcast(n) + Wait"},
		{Guideline{Type: Pattern, Function: "MPI_Ibcast", Mockup: "MPI_Bcast", Tolerant: true}, "Ibcast(n) + Wait ≤ Bcast(n) + tolerance"},
		{Guideline{Type: Pattern, Function: "MPI_Scan_init", Mockup: "MPI_Iscan"}, "Start + Wait of Scan_init(n) ≤ Iscan(n) + Wait"},
		{Guideline{Type: Pattern, Function: "MPI_Scan", Mockup: "MPI_Scan_init/1"}, "Scan(n) ≤ Scan_init(n) + Start + Wait"},
		{Guideline{Type: Pattern, Function: "MPI_Scan_init/10", Mockup: "MPI_Iscan/10"}, "Scan_init(n) + 10·(Start + Wait) ≤ 10·(Iscan(n) + Wait)"},
		{Guideline{Type: Pattern, Function: "MPI_Scan/in_place", Mockup: "MPI_Scan/copied"}, "Scan(n) in place ≤ copy + Scan(n)"},
		{Guideline{Type: Pattern, Function: "MPI_Alltoallv", Mockup: "MPI_Alltoallw"}, "Alltoallv(n) ≤ Alltoallw(n)"},
		{Guideline{Type: Pattern, Function: "MPI_Alltoallv/linear", Mockup: "MPI_Alltoallw/linear"}, "Alltoallv(n, linear) ≤ Alltoallw(n, linear)"},
		{Guideline{Type: Pattern, Function: "MPI_Allgatherv/random", Mockup: "MPI_Allgatherv/random/gatherv+bcast"},
			"Allgatherv(n, random) ≤ Gatherv(n, random) + Bcast(n)"},
		{Guideline{Type: Pattern, Function: "MPI_Gatherv/linear", Mockup: "MPI_Gatherv/linear/bcast+allgatherv"},
			"Gatherv(n, linear) ≤ Bcast(counts) + Allgatherv(n, linear)"},
		{Guideline{Type: Pattern, Function: "MPI_Scatterv", Mockup: "MPI_Scatterv/padded"}, "Scatterv(n) ≤ Allreduce(1) + Scatter(max, n)"},
		{Guideline{Type: Pattern, Function: "MPI_Alltoall", Mockup: "MPI_Alltoall/isend+irecv"}, "Alltoall(n) ≤ Isend(n) + Irecv(n) to all + Waitall"},
		{Guideline{Type: Pattern, Function: "MPI_Exscan", Mockup: "exscan_as_scan+sendrecv"}, "Exscan(n) ≤ Scan(n) + Sendrecv(n)"},
		{Guideline{Type: Pattern, Function: "MPI_Barrier", Mockup: "MPI_Ibarrier"}, "Barrier ≤ Ibarrier + Wait"},
		{Guideline{Type: Pattern, Function: "MPI_Bcast/vector", Mockup: "MPI_Bcast/vector/packed"}, "Bcast(n, vector) ≤ Pack + Bcast(n) + Unpack"},
		{Guideline{Type: Pattern, Function: "MPI_Neighbor_alltoall", Mockup: "MPI_Neighbor_alltoall/isend+irecv"},
			"Neighbor_alltoall(n) ≤ 2·Isend(n) + 2·Irecv(n) + Waitall"},
		{Guideline{Type: Pattern, Function: "MPI_Bcast", Mockup: "MPI_Bcast_c"}, "Bcast(n) ≤ Bcast_c(n)"},
	}
	for _, test := range tests {
		should.Equal(t, test.g.Formula(), test.want)
	}
}

func TestListsOfSizes(t *testing.T) {
	tests := []struct {
		list []string
		want []int64
		err  string
	}{
		{list: []string{"100", "1Ki"}, want: []int64{100, 1024}},
		{list: []string{"1..16"}, want: []int64{1, 2, 4, 8, 16}},
		{list: []string{"1..17*4", "4"}, want: []int64{1, 4, 16}},
		{list: []string{"1Mi..4Mi", "64Ki"}, want: []int64{64 << 10, 1 << 20, 2 << 20, 4 << 20}},
		{list: []string{"8..8"}, want: []int64{8}},
		{list: []string{" 16 B", "1 KiB .. 4kib * 4"}, want: []int64{16, 1024, 4096}},
		{list: []string{"1Gi..9223372036854775807*1000000"}, want: []int64{1 << 30, 1 << 30 * 1000000}},
		{list: nil, err: "no sizes"},
		{list: []string{"0"}, err: `size "0" is below 1 byte`},
		{list: []string{"-4"}, err: `size "-4" is below 1 byte`},
		{list: []string{"1KB"}, err: `"1KB" is no size in bytes (did you mean 1Ki? Ki is 1024, Mi is 1024 Ki)`},
		{list: []string{""}, err: `"" is no size in bytes (valid: 100, 1Ki, 16Mi, 1Gi)`},
		{list: []string{"8589934592Gi"}, err: `size "8589934592Gi" is too large`},
		{list: []string{"99999999999999999999"}, err: `size "99999999999999999999" is too large`},
		{list: []string{"1.."}, err: `range "1..": "" is no size in bytes (valid: 100, 1Ki, 16Mi, 1Gi)`},
		{list: []string{"4..1"}, err: `range "4..1" is empty: it starts above its end`},
		{list: []string{"1..4*1"}, err: `range "1..4*1": the factor "1" is no integer of at least 2`},
	}
	for _, test := range tests {
		got, _, err := FitMsizes(test.list, 1)
		should.Hold(t, slices.Equal(got, test.want) && errText(err) == test.err, "%q: got %v, %v; want %v, %s", test.list, got, err, test.want, test.err)
	}
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestRangesLeaveOutWhatIsNoMultiple(t *testing.T) {
	sizes, leftOut, err := FitMsizes([]string{"1..16", "24"}, 8)
	should.Hold(t, err == nil && slices.Equal(sizes, []int64{8, 16, 24}) && slices.Equal(leftOut, []int64{1, 2, 4}), "got %v, %v, %v", sizes, leftOut, err)
	_, _, err = FitMsizes([]string{"1..4"}, 8)
	should.Hold(t, err != nil, "a list that leaves nothing is accepted")
	_, _, err = FitMsizes([]string{"12"}, 8)
	should.Hold(t, err != nil, "a listed size that is no multiple is accepted")
}

func TestSelectorsResolve(t *testing.T) {
	users := []User{{ID: "mine", Split: "MPI_Scan"}}
	tests := []struct {
		name  string
		check Config
		want  string // "id:function", without the user's
	}{
		{"one", Config{Guidelines: []string{"GL8"}}, "GL8:Reduce"},
		{"of one collective", Config{Guidelines: []string{"GL1:MPI_Gather"}}, "GL1:Gather"},
		{"range", Config{Guidelines: []string{"GL7..GL9"}}, "GL7:Scatter GL8:Reduce GL9:Reduce_scatter"},
		{"twice is once", Config{Guidelines: []string{"GL8", "GL7..GL8"}}, "GL7:Scatter GL8:Reduce"},
		{"exclude", Config{Guidelines: []string{"GL7..GL9"}, Exclude: []string{"GL8"}}, "GL7:Scatter GL9:Reduce_scatter"},
		{"exclude of one collective", Config{Guidelines: []string{"GL1:MPI_Gather", "GL1:MPI_Scan"}, Exclude: []string{"GL1:MPI_Scan"}}, "GL1:Gather"},
		{"functions", Config{Guidelines: []string{"all"}, Functions: []string{"MPI_Alltoall", "MPI_Scan"}},
			"GL1:Alltoall GL1:Scan GL2:Alltoall GL2:Scan GL16:Scan GL21:Alltoall"},
		{"none of the catalogue", Config{}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			errs := test.check.Validate(users)
			must.Hold(t, errs == nil, "%v", errs)
			var got []string
			for _, g := range test.check.resolve(users) {
				if g.ID != "mine" {
					got = append(got, g.ID+":"+strings.TrimPrefix(g.Function, "MPI_"))
				}
			}
			should.Equal(t, strings.Join(got, " "), test.want)
		})
	}
}

func TestUserGuidelinesAreCheckedUnlessExcluded(t *testing.T) {
	users := []User{{ID: "a", Split: "MPI_Scan"}, {ID: "b", Monotony: "MPI_Bcast"}}
	got := Config{Guidelines: []string{"GL8"}, Exclude: []string{"a"}}.resolve(users)
	should.Hold(t, len(got) == 2 && got[1].ID == "b", "got %v", got)
}

func TestAllIsTheRangeAndTheExtended(t *testing.T) {
	count := func(s ...string) int { return len(Config{Guidelines: s}.resolve(nil)) }
	should.Hold(t, count("all") == count("GL1..GL17", "extended") && count("extended") != 0 && count("GL1..GL17") == 11+11+15,
		"all %d, extended %d, GL1..GL17 %d", count("all"), count("extended"), count("GL1..GL17"))
}

func TestWrongSelectorsAreErrors(t *testing.T) {
	for _, s := range []string{"", "GL0", "GL1..", "GL3..GL1", "GL1..mine", "GL1:MPI_Ssend", "GL3:MPI_Scan", "GL1:MPI_Barrier", "GL2:MPI_Gatherv", "mine:", "nobody"} {
		should.Hold(t, (Config{Guidelines: []string{s}}).Validate([]User{{ID: "mine", Split: "MPI_Scan"}}) != nil, "%q is accepted", s)
	}
}

func TestSelectionThatLeavesNothingIsAnError(t *testing.T) {
	c := Config{Guidelines: []string{"GL8"}, Exclude: []string{"GL8"}}
	errs := c.CheckSelects(nil)
	should.Hold(t, len(c.Validate(nil)) == 0 && len(errs) == 1 && errs[0].Key == "guidelines", "got %v", errs)
}

func TestResolveOp(t *testing.T) {
	for _, test := range []struct{ datatype, op, want string }{
		{"byte", "auto", "bor"}, {"double", "auto", "sum"}, {"int", "lxor", "lxor"},
		{"byte", "sum", ""}, {"float", "bor", ""}, {"char", "auto", ""}, {"int", "summ", ""},
	} {
		got, errs := ResolveOp(test.datatype, test.op)
		should.Hold(t, got == test.want && (errs == nil) == (test.want != ""), "%s on %s: got %q, %v; want %q", test.op, test.datatype, got, errs, test.want)
	}
}

func settings(selectors ...string) Settings {
	return Settings{Check: Config{Guidelines: selectors}, Msizes: []string{"1..4"},
		Datatype: "byte", Op: "auto", Shapes: []Shape{{NP: 2}}}
}

func build(t *testing.T, s Settings) *Plan {
	t.Helper()
	p := must.Get(Build(s))(t)
	return p
}

func TestPlanMeasuresEachCaseOnce(t *testing.T) {
	s := settings("GL8", "GL1:MPI_Reduce", "GL2:MPI_Reduce")
	s.Shapes = []Shape{{NP: 4}, {NP: 2}}
	p := build(t, s)
	var want []Case
	for _, shape := range s.Shapes {
		for _, f := range []string{"MPI_Reduce", "reduce_as_allreduce"} {
			for _, m := range []int64{1, 2, 4} {
				want = append(want, Case{Function: f, Msize: m, Shape: shape})
			}
		}
	}
	should.Equal(t, p.Cases, want)
}

// sizes returns the tests as "msize: sizes of the others".
func sizes(p *Plan) map[int64][]int64 {
	out := map[int64][]int64{}
	for _, test := range p.Tests {
		for _, o := range test.Others {
			out[test.Msize] = append(out[test.Msize], p.Cases[o].Msize)
		}
	}
	return out
}

func TestTestsOfEachType(t *testing.T) {
	tests := []struct {
		name, selector string
		msizes         []string
		want           map[int64][]int64
	}{
		{"monotony compares neighbours", "GL1:MPI_Bcast", []string{"1..4"}, map[int64][]int64{1: {2}, 2: {4}}},
		{"split compares with all smaller", "GL2:MPI_Bcast", []string{"1..4"}, map[int64][]int64{2: {1}, 4: {1, 2}}},
		{"split up to MaxSplit calls", "GL2:MPI_Bcast", []string{"1", "2", "1024", "1025"},
			map[int64][]int64{2: {1}, 1024: {1, 2}, 1025: {2, 1024}}},
		{"split compares with one part for each power of two", "GL2:MPI_Bcast", []string{"4", "5", "6", "7", "8"},
			map[int64][]int64{5: {4}, 6: {4}, 7: {4}, 8: {4}}},
		{"split compares with parts that no power divides", "GL2:MPI_Bcast", []string{"100", "200", "300", "1000"},
			map[int64][]int64{200: {100}, 300: {100, 200}, 1000: {100, 200, 300}}},
		{"pattern compares at each size", "GL10", []string{"1..4"}, map[int64][]int64{1: {1}, 2: {2}, 4: {4}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := settings(test.selector)
			s.Msizes = test.msizes
			p := build(t, s)
			should.Equal(t, sizes(p), test.want)
			for _, x := range p.Tests {
				c := p.Cases[x.Case]
				should.Hold(t, c.Function == x.Function && c.Msize == x.Msize && c.Shape == x.Shape, "test %v points at case %v", x, c)
				other := p.Cases[x.Others[0]].Function
				should.Hold(t, (x.Type != Pattern || other == x.Mockup) && (x.Type == Pattern || other == x.Function), "test %v compares with %s", x, other)
			}
		})
	}
}

// All pairs of 2,000 sizes up to a ratio of 1024 would be 1.5 million comparisons.
func TestAPlanGrowsWithTheNumberOfSizes(t *testing.T) {
	compared := func(n int) (all int) {
		s := settings("GL1:MPI_Bcast", "GL2:MPI_Bcast")
		s.Msizes = nil
		for i := range n {
			s.Msizes = append(s.Msizes, fmt.Sprint(i+1))
		}
		for _, x := range build(t, s).Tests {
			all += len(x.Others)
		}
		return all
	}
	should.Hold(t, compared(200) <= 200*11 && compared(2000) <= 2000*11, "%d comparisons of 200 sizes, %d of 2000", compared(200), compared(2000))
	defaults := settings("GL2:MPI_Bcast")
	defaults.Msizes = []string{"1..1Mi"}
	want := 0
	for i := range 21 {
		want += min(i, 10)
	}
	got := 0
	for _, x := range build(t, defaults).Tests {
		got += len(x.Others)
	}
	should.Equal(t, got, want, "each pair of powers of two up to a ratio of 1024")
}

func TestUserGuidelineHasItsOwnSizes(t *testing.T) {
	s := settings("GL1:MPI_Bcast")
	s.Users = []User{{ID: "mine", Msizes: MsizeList{"8"}, Pattern: &UserPattern{"MPI_Reduce", "reduce_as_allreduce"}}}
	p := build(t, s)
	should.Equal(t, p.Guidelines[1].Msizes, []int64{8})
	last := p.Tests[len(p.Tests)-1]
	should.Hold(t, last.Guideline == "mine" && last.Msize == 8, "got %v", last)
}

func TestPlanSaysWhatItLeavesOut(t *testing.T) {
	s := settings("GL8")
	s.Msizes, s.Datatype = []string{"1..16"}, "double"
	want := []string{"left out sizes that are no multiple of the 8 bytes of double: 1, 2, 4."}
	p := build(t, s)
	should.Hold(t, slices.Equal(p.Notes, want) && p.Op == "sum", "got %q and op %s, want %q", p.Notes, p.Op, want)
	s = settings("GL1", "GL8")
	s.Msizes = []string{"4"}
	want = []string{"GL1 is not tested: its sizes allow no monotony test."}
	should.Equal(t, build(t, s).Notes, want)
}

func TestBuildRefusesWhatCannotBeChecked(t *testing.T) {
	for name, change := range map[string]func(*Settings){
		"root":       func(s *Settings) { s.Root = 2 },
		"no shape":   func(s *Settings) { s.Shapes = nil },
		"same shape": func(s *Settings) { s.Shapes = []Shape{{NP: 2}, {NP: 2}} },
		"np":         func(s *Settings) { s.Shapes = []Shape{{NP: 0}} },
		"op":         func(s *Settings) { s.Op = "sum" },
		"msizes":     func(s *Settings) { s.Msizes = nil },
		"one size":   func(s *Settings) { s.Msizes = []string{"8"} },
		"selector":   func(s *Settings) { s.Check.Guidelines = []string{"GL0"} },
	} {
		s := settings("GL1")
		_, err := Build(s)
		must.Do(t, err)
		change(&s)
		_, err = Build(s)
		should.Hold(t, err != nil, "%s: accepted", name)
	}
}

func TestCatalogueIsNumberedWithoutGaps(t *testing.T) {
	for i, e := range Catalogue() {
		if e.Group != "" {
			continue // behind the others
		}
		want := fmt.Sprintf("GL%d", i+1)
		should.Hold(t, e.ID == want && e.Extended == (i >= 17), "row %d is %s, extended %v; want %s, extended from GL18 on", i, e.ID, e.Extended, want)
	}
}

func TestRegularCollectivesAreThoseOfThePaper(t *testing.T) {
	left := mockups.Collectives()
	for _, r := range mockups.Identities() {
		should.Hold(t, slices.Contains(left, r), "%s is not in the table", r)
		left = slices.DeleteFunc(left, func(c string) bool { return c == r })
	}
	want := []string{"MPI_Allgatherv", "MPI_Alltoallv", "MPI_Barrier", "MPI_Gatherv", "MPI_Scatterv"}
	should.Equal(t, left, want, "GL1 and GL2 leave out")
}

func TestUserGuidelinesMayNameAnySizedCollective(t *testing.T) {
	for _, c := range mockups.Collectives() {
		wrong := ValidateUsers([]User{{ID: "m", Monotony: c}, {ID: "s", Split: c}}, 1)
		should.Equal(t, wrong == nil, c != "MPI_Barrier", "%s: %v", c, wrong)
		for _, m := range mockups.Mockups(c) {
			wrong := ValidateUsers([]User{{ID: "p", Pattern: &UserPattern{c, m}}}, 1)
			should.Hold(t, wrong == nil, "%s with %s: %v", c, m, wrong)
		}
	}
}

func TestBarrierIsTestedOnceAtSizeZero(t *testing.T) {
	s := settings("GL29")
	s.Users = []User{{ID: "mine", Pattern: &UserPattern{"MPI_Barrier", "barrier_as_allreduce"}}}
	p := build(t, s)
	want := []Case{{Function: "MPI_Barrier", Shape: Shape{NP: 2}}, {Function: "barrier_as_allreduce", Shape: Shape{NP: 2}}}
	should.Hold(t, len(p.Tests) == 2 && reflect.DeepEqual(p.Cases, want), "%d tests of %v, want 2 of %v", len(p.Tests), p.Cases, want)
	s.Users[0].Msizes = MsizeList{"8"}
	_, err := Build(s)
	should.Hold(t, err != nil, "a Barrier with sizes is accepted")
}

func TestCasesOfOwnMockupsHaveOneOrderBehindAllOthers(t *testing.T) {
	s := settings("GL1:MPI_Scan")
	for _, name := range []string{"b", "c", "a", "d"} {
		s.Users = append(s.Users, User{ID: name, Pattern: &UserPattern{Function: "MPI_Scan", Mockup: "scan_as_" + name}})
	}
	for range 20 { // a map has the cases
		p := must.Get(Build(s))(t)
		var order []string
		for _, c := range p.Cases[len(p.Cases)-4*3:] { // at three sizes
			order = append(order, c.Function)
		}
		want := []string{"scan_as_a", "scan_as_b", "scan_as_c", "scan_as_d"}
		must.Hold(t, slices.IsSorted(order) && slices.Equal(slices.Compact(order), want), "the last cases are of %v, want %v", order, want)
	}
}

func TestGroupsAreOffUntilTheyAreNamed(t *testing.T) {
	selected := func(c Config) (out []string) {
		for _, g := range c.resolve(nil) {
			out = append(out, g.ID+":"+strings.TrimPrefix(g.Function, "MPI_"))
		}
		return out
	}
	for _, test := range []struct {
		check Config
		want  string
	}{
		{Config{Guidelines: []string{"GL1"}, Functions: []string{"MPI_Scan"}}, "GL1:Scan"},
		{Config{Guidelines: []string{"all"}, Functions: []string{"MPI_Scan"}}, "GL1:Scan GL2:Scan GL16:Scan"},
		{Config{Guidelines: []string{"nonblocking"}, Functions: []string{"MPI_Scan"}}, "GL1:Iscan GL2:Iscan NB1:Scan NB2:Iscan"},
		{Config{Guidelines: []string{"persistent"}, Functions: []string{"MPI_Scan"}}, "GL1:Scan_init GL2:Scan_init NB3:Scan_init NB3:Scan NB4:Scan_init/10"},
		{Config{Guidelines: []string{"in_place"}, Functions: []string{"MPI_Scan", "MPI_Bcast"}}, "GL1:Scan/in_place GL2:Scan/in_place IP1:Scan/in_place"},
		{Config{Guidelines: []string{"in_place", "GL1"}, Exclude: []string{"GL2", "GL1:MPI_Scan"}, Functions: []string{"MPI_Scan"}}, "GL1:Scan/in_place IP1:Scan/in_place"},
		{Config{Guidelines: []string{"GL1:MPI_Iscan", "NB2"}, Functions: []string{"MPI_Scan"}}, "GL1:Iscan NB2:Iscan"},
		{Config{Guidelines: []string{"everything"}, Exclude: []string{"GL1", "GL2", "persistent", "in_place"}, Functions: []string{"MPI_Scan"}}, "GL16:Scan GL30:Scan GL31:Scan NB1:Scan NB2:Iscan LC1:Scan_c LC1:Scan LC2:Scan_c TB1:Scan"},
		{Config{Guidelines: []string{"irregular"}, Exclude: []string{"GL2", "V3", "V8"}, Functions: []string{"MPI_Gather", "MPI_Gatherv"}},
			"GL1:Gatherv/linear GL1:Gatherv/one_large GL1:Gatherv/one_empty GL1:Gatherv/random GL1:Gatherv/sparse GL1:Gatherv/lopsided GL18:Gather"},
		{Config{Guidelines: []string{"irregular"}, Exclude: []string{"GL1", "V1", "V8", "V9"}, Functions: []string{"MPI_Alltoallv"}},
			"GL2:Alltoallv/linear GL2:Alltoallv/one_large GL2:Alltoallv/one_empty GL2:Alltoallv/random GL2:Alltoallv/sparse GL2:Alltoallv/lopsided GL2:Alltoallw/linear GL2:Alltoallw/one_large GL2:Alltoallw/one_empty GL2:Alltoallw/random GL2:Alltoallw/sparse GL2:Alltoallw/lopsided"},
		{Config{Guidelines: []string{"V1", "V2:MPI_Allgatherv/linear"}},
			"V1:Alltoallv V1:Alltoallv/linear V1:Alltoallv/one_large V1:Alltoallv/one_empty V1:Alltoallv/random V1:Alltoallv/sparse V1:Alltoallv/lopsided V2:Allgatherv/linear"},
		{Config{Guidelines: []string{"datatypes"}, Exclude: []string{"GL2"}, Functions: []string{"MPI_Bcast", "MPI_Reduce"}},
			"GL1:Bcast/vector GL1:Bcast/indexed DT1:Bcast/vector DT1:Bcast/indexed DT2:Bcast/contiguous DT2:Bcast"},
		{Config{Guidelines: []string{"neighborhood"}, Functions: []string{"MPI_Alltoall"}}, "GL1:Neighbor_alltoall GL2:Neighbor_alltoall NB6:Neighbor_alltoall"},
		{Config{Guidelines: []string{"nonblocking", "persistent", "in_place"}, Functions: []string{"MPI_Gatherv"}},
			"NB1:Gatherv NB2:Igatherv NB3:Gatherv_init NB3:Gatherv NB4:Gatherv_init/10 IP1:Gatherv/in_place"},
		{Config{Guidelines: []string{"nonblocking"}, Functions: []string{"MPI_Barrier"}}, "NB1:Barrier NB2:Ibarrier"},
		{Config{Guidelines: []string{"GL32"}, Functions: []string{"MPI_Exscan"}}, "GL32:Exscan"},
		{Config{Guidelines: []string{"V5", "V6", "V7"}, Exclude: []string{"V5:MPI_Scatterv/random"}, Functions: []string{"MPI_Scatterv"}},
			"V5:Scatterv V5:Scatterv/linear V5:Scatterv/one_large V5:Scatterv/one_empty V5:Scatterv/sparse V5:Scatterv/lopsided"},
		{Config{Guidelines: []string{"V6", "V7"}},
			"V6:Reduce_scatter/linear V6:Reduce_scatter/one_large V6:Reduce_scatter/one_empty V6:Reduce_scatter/random V6:Reduce_scatter/sparse V6:Reduce_scatter/lopsided " +
				"V7:Reduce_scatter/linear V7:Reduce_scatter/one_large V7:Reduce_scatter/one_empty V7:Reduce_scatter/random V7:Reduce_scatter/sparse V7:Reduce_scatter/lopsided"},
		{Config{Guidelines: []string{"V8"}, Functions: []string{"MPI_Gatherv", "MPI_Allgatherv"}},
			"V8:Allgatherv V8:Allgatherv/linear V8:Allgatherv/one_empty V8:Allgatherv/lopsided V8:Gatherv V8:Gatherv/linear V8:Gatherv/one_empty V8:Gatherv/lopsided"},
		{Config{Guidelines: []string{"V4", "V9"}, Functions: []string{"MPI_Alltoall", "MPI_Allgather"}}, "V9:Alltoall"},
		{Config{Guidelines: []string{"V4"}}, "V4:Allgatherv V4:Allgatherv/linear V4:Allgatherv/one_large V4:Allgatherv/one_empty V4:Allgatherv/random V4:Allgatherv/sparse V4:Allgatherv/lopsided"},
		{Config{Guidelines: []string{"large_counts"}, Functions: []string{"MPI_Scan", "MPI_Gatherv"}}, "GL1:Scan_c GL2:Scan_c LC1:Gatherv_c LC1:Gatherv LC1:Scan_c LC1:Scan LC2:Scan_c"},
		{Config{Guidelines: []string{"messages"}}, "GL1:Send GL1:Sendrecv GL2:Send GL2:Sendrecv M1:Send M2:Sendrecv M3:Isend M4:Send_init M5:Send/stream"},
		{Config{Guidelines: []string{"messages"}, Functions: []string{"MPI_Sendrecv"}}, "GL1:Sendrecv GL2:Sendrecv M2:Sendrecv"},
		{Config{Guidelines: []string{"GL1:MPI_Send", "M1"}}, "GL1:Send M1:Send"},
	} {
		errs := test.check.Validate(nil)
		should.Hold(t, errs == nil, "%v: %v", test.check, errs)
		should.Equal(t, strings.Join(selected(test.check), " "), test.want, "%v", test.check)
	}
}

func TestIDsAndGroupsOfTheCatalogueAreNotTheUsers(t *testing.T) {
	names := []string{"all", "extended", everything}
	for _, e := range Catalogue() {
		names = append(names, e.ID, strings.ToLower(e.ID), string(e.Group))
	}
	for _, name := range names {
		errs := ValidateUsers([]User{{ID: name, Monotony: "MPI_Bcast"}}, 1)
		should.Hold(t, name == "" || len(errs) == 1 && strings.Contains(errs[0].Error(), "belongs to the catalogue"), "%s: %v", name, errs)
	}
}

// A request that was made before has something for nothing: no user can replace the call by it.
func TestNoCallIsHeldAgainstARequestMadeBefore(t *testing.T) {
	for _, g := range (Config{Guidelines: []string{everything}}).resolve(nil) {
		f, _ := mockups.Get(g.Function)
		m, _ := mockups.Get(g.Mockup)
		should.Hold(t, m.Call != mockups.Persistent || f.Call == mockups.Persistent, "%s holds %s against %s", g.ID, g.Function, g.Mockup)
	}
}

func TestVariantOfACaseIsHowItIsCalled(t *testing.T) {
	s := settings("NB2", "IP1:MPI_Scan/in_place", "NB4:MPI_Scan_init/10", "V1", "V2:MPI_Allgatherv/linear")
	s.Users = []User{{ID: "mine", Pattern: &UserPattern{"MPI_Ireduce", "reduce_as_allreduce"}}}
	got := map[string]string{}
	for _, c := range build(t, s).Cases {
		got[c.Function] = c.Variant
	}
	for id, want := range map[string]string{"MPI_Scan": "", "MPI_Iscan": "nonblocking", "MPI_Scan/in_place": "in_place", "MPI_Scan/copied": "copied",
		"MPI_Alltoallw": "w", "MPI_Alltoallw/linear": "w/linear", "MPI_Allgatherv/linear/gatherv+bcast": "linear/gatherv+bcast",
		"MPI_Scan_init/10": "persistent_x10", "MPI_Iscan/10": "nonblocking_x10", "MPI_Scan_init/1": "persistent_x1", "reduce_as_allreduce": ""} {
		v, ok := got[id]
		should.Hold(t, ok && v == want, "%s: %q, %v; want %q", id, v, ok, want)
	}
}

func TestSplitFactorRoundsUp(t *testing.T) {
	for _, c := range [][3]int64{{64, 8, 8}, {65, 8, 9}, {8, 8, 1}, {1 << 20, 1 << 10, 1024}} {
		should.Equal(t, SplitFactor(c[0], c[1]), c[2], "⌈%d/%d⌉", c[0], c[1])
	}
}

// Byte for byte, a reduction of 4 bytes and one of 8 would be compared.
func TestAutoGivesBothSidesOfEveryTestOneDatatype(t *testing.T) {
	s := settings("everything")
	s.Msizes, s.Datatype, s.Shapes = []string{"1..32"}, mockups.Auto, []Shape{{NP: 4, Nodes: 2, PPN: 2}}
	s.Users = []User{{ID: "small", Monotony: "MPI_Scan", Msizes: MsizeList{"4..16"}}}
	p := build(t, s)
	least := map[string]int64{}
	for _, test := range p.Tests {
		for _, i := range append([]int{test.Case}, test.Others...) {
			f, _ := mockups.Get(p.Cases[i].Function)
			d, op := f.Elements(p.Datatype, p.Op)
			of, _ := mockups.Get(test.Function)
			if want, its := of.Elements(p.Datatype, p.Op); d.Name != want.Name || op != its || p.Cases[i].Msize%d.Bytes != 0 {
				t.Errorf("%s: %s at %d bytes has %s and %s, %s has %s and %s", test.Guideline, f.ID, p.Cases[i].Msize, d.Name, op, of.ID, want.Name, its)
			}
		}
		if n, ok := least[test.Function]; !ok || test.Msize < n {
			least[test.Function] = test.Msize
		}
	}
	if least["MPI_Bcast"] != 1 || least["MPI_Allreduce"] != 8 || least["MPI_Ireduce"] != 8 {
		t.Errorf("Bcast from %d bytes on, Allreduce from %d, Ireduce from %d; want 1, 8 and 8", least["MPI_Bcast"], least["MPI_Allreduce"], least["MPI_Ireduce"])
	}
	for _, want := range []string{"left out sizes of reductions that are no multiple of the 8 bytes of double: 1, 2, 4.",
		"Guideline small: left out sizes of reductions that are no multiple of the 8 bytes of double: 4."} {
		if !slices.Contains(p.Notes, want) {
			t.Errorf("no note %q in %q", want, p.Notes)
		}
	}
	s.Users = []User{{ID: "crossed", Pattern: &UserPattern{"MPI_Bcast/vector", "MPI_Bcast"}}}
	if _, err := Build(s); err == nil || !strings.Contains(err.Error(), "guideline crossed: datatype \"auto\" is double for MPI_Bcast/vector and byte for MPI_Bcast") {
		t.Errorf("doubles with gaps against bytes without: %v", err)
	}
	s.Check.Guidelines, s.Msizes, s.Users = []string{"GL8"}, []string{"4"}, nil
	if _, err := Build(s); err == nil || err.Error() != "nothing to check: left out sizes of reductions that are no multiple of the 8 bytes of double: 4" {
		t.Errorf("only 4 bytes: %v", err)
	}
	if p, err := CasesOnly(s, []string{"MPI_Bcast", "MPI_Scan"}, []int64{4, 8}); err != nil || len(p.Cases) != 3 {
		t.Errorf("%v, %v", p, err)
	}
	if _, err := CasesOnly(s, []string{"MPI_Scan"}, []int64{4}); err == nil {
		t.Error("a plan of no cases")
	}
}

// Texts that name the extended guidelines would stay as they are when the catalogue grows.
func TestTheDocsNameTheGuidelinesOfASelector(t *testing.T) {
	page := string(must.Get(os.ReadFile("../docs/guidelines.md"))(t))
	for selector, ids := range map[string]string{"extended": Extended(), "all": inWords(func(e Entry) bool { return e.Group == "" })} {
		should.Contain(t, page, fmt.Sprintf("| `%q` | %s |", selector, ids), selector)
	}
	should.Contain(t, page, "The *extended* ones ("+Extended()+")")
	should.Equal(t, inWords(func(Entry) bool { return false }), "")
	should.Equal(t, inWords(func(e Entry) bool { return e.ID == "GL3" || e.ID == "GL5" || e.ID == "GL6" }), "GL3, GL5 to GL6")
}

func TestTheDocsHaveARowOrAHeadingForEveryGuideline(t *testing.T) {
	lines := strings.Split(string(must.Get(os.ReadFile("../docs/guidelines.md"))(t)), "\n")
	for _, e := range Catalogue() {
		id := regexp.MustCompile(`\b` + e.ID + `\b`)
		there := slices.ContainsFunc(lines, func(line string) bool {
			row, ok := strings.CutPrefix(line, "| ")
			first, _, _ := strings.Cut(row, "|")
			return (ok && id.MatchString(first) || strings.HasPrefix(line, "#") && id.MatchString(line)) && strings.Contains(line, e.Mockup)
		})
		should.Hold(t, there, "docs/guidelines.md has no row of %s %s", e.ID, e.Mockup)
	}
}

// Calls of a program have its roots. Each is compared with calls of the same root.
func TestCallsHaveARootOfTheirOwn(t *testing.T) {
	check := Config{Guidelines: []string{"all"}, Calls: []string{"MPI_Bcast:4:2:root=1", "MPI_Bcast:8:2:root=1", "MPI_Bcast:8:2:root=0", "MPI_Reduce:8:2:int/max:root=1",
		"MPI_Reduce:6:2:root=1"}}
	p := must.Get(Build(Settings{Check: check, Msizes: []string{"8"}, Datatype: "auto", Op: "auto", Shapes: []Shape{{NP: 2}}}))(t)
	has := map[string]bool{}
	for _, test := range p.Tests {
		k := p.Cases[test.Case]
		has[fmt.Sprint(k.Function, " ", k.Msize, " ", k.Elements, " ", p.RootOf(k))] = true
		for _, other := range test.Others {
			should.Equal(t, p.RootOf(p.Cases[other]), p.RootOf(k), "%+v", test)
		}
	}
	should.Equal(t, has, map[string]bool{"MPI_Bcast 4 root=1 1": true, "MPI_Bcast 8 root=1 1": true, "MPI_Bcast 8  0": true, "MPI_Reduce 8 int/max:root=1 1": true})
	should.Contain(t, strings.Join(p.Notes, " "), "which their rows name: int/max:root=1, root=1.", "no multiple of the 8 bytes of double: 6")
	for call, why := range map[string]string{"MPI_Bcast:8:2:root=2": "wants processes", "MPI_Bcast:8::root=1": "wants processes", "MPI_Allreduce:8:2:root=1": "has no root",
		"MPI_Bcast:8:2:root=-1": "reduces nothing", "MPI_Bcast:8:2:int/max:root=1": "reduces nothing"} {
		_, err := Build(Settings{Check: Config{Guidelines: []string{"all"}, Calls: []string{call}}, Msizes: []string{"8"}, Datatype: "auto", Op: "auto", Shapes: []Shape{{NP: 2}}})
		should.Fail(t, err, why, call)
	}
}

// Calls of a program have its datatypes and operators. Each kind is compared with itself alone.
func TestCallsHaveElementsOfTheirOwn(t *testing.T) {
	check := Config{Guidelines: []string{"all"}, Calls: []string{"MPI_Allreduce:8:2:int/max", "MPI_Allreduce:4:2:int/max", "MPI_Allreduce:8:2:double/sum", "MPI_Allreduce:8:2",
		"MPI_Allreduce:16::int64/sum", "MPI_Allreduce:4:2", "MPI_Bcast:4:2"}}
	p := must.Get(Build(Settings{Check: check, Msizes: []string{"8"}, Datatype: "auto", Op: "auto", Shapes: []Shape{{NP: 2}}}))(t)
	has := map[string]bool{}
	for _, test := range p.Tests {
		k := p.Cases[test.Case]
		has[fmt.Sprint(k.Function, " ", k.Msize, " ", k.Elements)] = true
		for _, other := range test.Others {
			should.Equal(t, p.Cases[other].Elements, test.Elements, "%+v", test)
		}
		if test.Type == Monotony && test.Function == "MPI_Allreduce" {
			should.Equal(t, test.Elements, "int/max", "%+v", test)
		}
		datatype, op := p.ElementsOf(k)
		should.Hold(t, test.Function == "MPI_Bcast" && datatype == "byte" || k.Elements == "" && datatype+"/"+op == "double/sum" || datatype+"/"+op == k.Elements, "%+v", k)
	}
	for _, want := range []string{"MPI_Allreduce 8 int/max", "MPI_Allreduce 4 int/max", "MPI_Allreduce 8 ", "MPI_Allreduce 16 int64/sum", "MPI_Bcast 4 "} {
		should.Hold(t, has[want], "%s: %v", want, has)
	}
	should.Contain(t, strings.Join(p.Notes, " "), "which their rows name: int/max, int64/sum.", "sizes of reductions that are no multiple of the 8 bytes of double: 4")
	should.Hold(t, !has["MPI_Allreduce 4 "] && len(has) == 5, "%v", has)

	for call, why := range map[string]string{"MPI_Bcast:8:2:int/max": "reduces nothing", "MPI_Allreduce:8:2:int": "int/max", "MPI_Allreduce:8:2:": "int/max",
		"MPI_Allreduce:8:2:byte/sum": "int/max", "MPI_Allreduce:6:2:int/sum": "no multiple", "MPI_Allreduce:8:x:int/sum": "perhaps processes"} {
		_, err := Build(Settings{Check: Config{Guidelines: []string{"all"}, Calls: []string{call}}, Msizes: []string{"8"}, Datatype: "auto", Op: "auto", Shapes: []Shape{{NP: 2}}})
		should.Fail(t, err, why, call)
	}
}
