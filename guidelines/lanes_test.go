package guidelines

import (
	"slices"
	"strings"
	"testing"

	"pgmpi/mockups"
	"pgmpi/testkit/should"
)

func TestLanesAreAskedOfSeveralNodesWithSeveralProcesses(t *testing.T) {
	s := settings("lanes", "GL28")
	s.Shapes = []Shape{{NP: 4}, {NP: 4, Nodes: 1, PPN: 4}, {NP: 4, Nodes: 4, PPN: 1}, {NP: 4, Nodes: 2, PPN: 2}}
	p := build(t, s)
	mockupsOf := map[Shape]map[string]bool{}
	for _, x := range p.Tests {
		if mockupsOf[x.Shape] == nil {
			mockupsOf[x.Shape] = map[string]bool{}
		}
		mockupsOf[x.Shape][x.Mockup] = true
	}
	for i, shape := range s.Shapes {
		want := []int{1, 1, 1, 1 + 10 + 9}[i]
		should.Hold(t, len(mockupsOf[shape]) == want && slices.Contains(p.Shapes, shape),
			"%s: %d mock-ups %v, want %d", shape, len(mockupsOf[shape]), mockupsOf[shape], want)
	}
	notes := strings.Join(p.Notes, "\n")
	should.Contain(t, notes, "GL30 is not tested on p4: it divides the work among nodes", "GL31 is not tested on 1x4: all its processes are on one node",
		"GL31 is not tested on 4x1: each node has one process")
	should.Equal(t, len(p.Notes), 6, "notes, want two for each of three shapes: %s", notes)
}

func TestShapeWithoutATestIsNotMeasured(t *testing.T) {
	s := settings("lanes")
	s.Shapes = []Shape{{NP: 2, Nodes: 1, PPN: 2}, {NP: 4, Nodes: 2, PPN: 2}}
	should.Equal(t, build(t, s).Shapes, s.Shapes[1:], "shapes")
	s.Shapes = s.Shapes[:1]
	_, err := Build(s)
	should.Hold(t, err != nil && err.Error() == "nothing to check: GL30 is not tested on 1x2: all its processes are on one node, and there is nothing to divide among nodes",
		"%v", err)
}

func TestLanesAreSelectedByTheirNames(t *testing.T) {
	for _, test := range []struct {
		check Config
		want  string
	}{
		{Config{Guidelines: []string{"lanes"}, Functions: []string{"MPI_Bcast", "MPI_Alltoall"}}, "alltoall_as_lane bcast_as_lane bcast_as_hier"},
		{Config{Guidelines: []string{"GL31:MPI_Scan"}}, "scan_as_hier"},
		{Config{Guidelines: []string{"lanes"}, Exclude: []string{"GL30"}, Functions: []string{"MPI_Scan"}}, "scan_as_hier"},
		{Config{Guidelines: []string{"extended"}, Functions: []string{"MPI_Bcast"}}, "bcast_as_allgatherv bcast_as_allreduce"},
	} {
		var got []string
		for _, g := range test.check.resolve(nil) {
			got = append(got, g.Mockup)
		}
		errs := test.check.Validate(nil)
		should.Hold(t, errs == nil && strings.Join(got, " ") == test.want, "%v: %v, %v; want %s", test.check, got, errs, test.want)
	}
	errs := Config{Guidelines: []string{"GL29..GL31"}}.Validate(nil)
	should.Hold(t, len(errs) == 1 && strings.Contains(errs[0].Error(), `GL31 is in the group "lanes"`), "%v", errs)
}

func TestFormulaSaysHowTheWorkIsDivided(t *testing.T) {
	for _, test := range []struct{ mockup, want string }{
		{"bcast_as_lane", "Bcast(n) ≤ Scatterv(n) + Bcast(n) + Allgatherv(n) on lanes"},
		{"bcast_as_hier", "Bcast(n) ≤ Bcast(n) + Bcast(n) by leaders"},
	} {
		f, _ := mockups.Get(test.mockup)
		should.Equal(t, (Guideline{Type: Pattern, Function: f.Of, Mockup: f.ID}).Formula(), test.want)
	}
}
