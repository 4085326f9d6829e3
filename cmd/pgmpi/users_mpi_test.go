package main

import (
	"fmt"
	"strings"
	"testing"

	"pgmpi/mockups"
	"pgmpi/testkit/should"
)

// everyUserGuideline writes guidelines of a user's own. Each mock-up that one node suffices for has a pattern; each
// collective that has a size has a monotony and a split.
func everyUserGuideline() (text string, ids []string) {
	var b strings.Builder
	add := func(id, promise, sizes string) {
		ids = append(ids, id)
		fmt.Fprintf(&b, "[[guideline]]\nid = %q\n%s\n%s\n", id, promise, sizes)
	}
	for i, f := range mockups.All() {
		sizes := `msizes = ["8", "24"]`
		if f.ID == "MPI_Barrier" || f.Of == "MPI_Barrier" {
			sizes = ""
		}
		switch {
		case f.Over != "": // needs nodes
		case f.IsMockup():
			add(fmt.Sprintf("my-pattern-%d", i), fmt.Sprintf("pattern = { function = %q, mockup = %q }", f.Of, f.ID), sizes)
		case sizes != "":
			add("my-monotony-"+strings.TrimPrefix(f.ID, "MPI_"), fmt.Sprintf("monotony = %q", f.ID), sizes)
			add("my-split-"+strings.TrimPrefix(f.ID, "MPI_"), fmt.Sprintf("split = %q", f.ID), sizes)
		}
	}
	return b.String(), ids
}

const onlyUsers = `
[check]
guidelines = []
[job]
np = [2]
mpiruns = 3
msizes = ["1Ki"]
[nrep]
fixed = 10
[analyze]
method = "paper"
`

func TestEveryUserGuidelineIsListedMeasuredAndReported(t *testing.T) {
	text, ids := everyUserGuideline()
	eitherAtOnce(t, func(t *testing.T, b *fixture) {
		file := b.TOML(fewer(onlyUsers, 1) + text)
		listed := b.Pgmpi("list", "--guidelines", file).Exits(t, 0).Stdout
		b.Check("--guidelines", file, "--format", "csv").Exits(t, 0, 1)
		found := map[string][]int64{}
		for _, v := range b.Report().Verdicts {
			found[v.Guideline] = append(found[v.Guideline], v.Msize)
			should.Hold(t, v.MedianS != nil && *v.MedianS > 0 && v.OtherMedianS != nil, "%s at %d bytes was not measured: %+v", v.Guideline, v.Msize, v)
		}
		csv := b.Read("report.csv")
		for _, id := range ids {
			want := []int64{8, 24}
			switch {
			case strings.Contains(id, "monotony"):
				want = []int64{8} // compared with 24
			case strings.Contains(id, "split"):
				want = []int64{24} // compared with 3 calls of 8
			case barrierPattern(id):
				want = []int64{0}
			}
			should.Equal(t, found[id], want, "%s has verdicts at", id)
			should.Hold(t, strings.Contains(listed, "\n"+id+" ") && strings.Contains(csv, id), "%s is missing in list or in report.csv", id)
		}
	})
}

// barrierPattern tells whether an id of everyUserGuideline is about MPI_Barrier.
func barrierPattern(id string) bool {
	var i int
	_, err := fmt.Sscanf(id, "my-pattern-%d", &i)
	return err == nil && mockups.All()[i].Of == "MPI_Barrier"
}
