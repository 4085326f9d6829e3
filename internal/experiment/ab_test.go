package experiment_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/series"
	"pgmpi/internal/experiment"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/fail"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/testkit/bed"
	"pgmpi/testkit/must"
	"pgmpi/testkit/pages"
	"pgmpi/testkit/should"
)

func ab(b *bed.Bed, toml string) *experiment.AB {
	b.T.Helper()
	x := &experiment.AB{Out: b.Out, Names: [experiment.MaxSides]string{"A.toml", "B.toml"}}
	for i, name := range []string{"a", "b"} {
		x.Sides = append(x.Sides, b.Prepared(filepath.Join(b.Out, name), toml))
		must.Do(b.T, x.Sides[i].Open())
		b.T.Cleanup(func() { x.Sides[i].Close() })
	}
	return x
}

func close(x *experiment.AB) {
	x.Sides[0].Close()
	x.Sides[1].Close()
}

func TestSidesOfOneConfigurationAreRepeatedAlike(t *testing.T) {
	for config, alike := range map[string]bool{bed.Quick: true, bed.Quick + "# another nrep.max": false} {
		bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
			x := ab(b, config)
			x.Sides[1].Manifest.NRep = map[int]results.NRep{0: {N: 77, Converged: true}}
			if !alike {
				x.Sides[1].Config.NREP.Max++
			}
			must.Do(t, x.Measure(t.Context()))
			should.Hold(t, x.Sides[1].Manifest.NRep[0].N >= 77 && (x.Sides[0].Manifest.NRep[0].N >= 77) == alike, "%+v and %+v", x.Sides[0].Manifest.NRep[0], x.Sides[1].Manifest.NRep[0])
			long := 0
			for _, job := range b.Fake.Jobs() {
				if slices.ContainsFunc(job.Cases, func(c protocol.JobCase) bool { return c.NRep >= 77 }) {
					long++
				}
			}
			should.Hold(t, long == 3 && !alike || long == 6 && alike, "%d mpiruns of 77 repetitions", long)
			close(x)
		})
	}
}

// code has the ranks of a side run its file in a folder, and a common one elsewhere, and tells for each launch whether the former
// was in memory.
func code(t *testing.T, b *bed.Bed) (folder string, there map[string][]bool) {
	folder, there = t.TempDir(), map[string][]bool{}
	file := func(side string) string { return filepath.Join(folder, side) }
	common := filepath.Join(t.TempDir(), "common")
	for _, path := range []string{file("a"), file("b"), common} {
		must.Do(t, os.WriteFile(path, []byte(path), 0o666))
	}
	b.Fake.Code = func(env []string) []string {
		side := "a"
		if slices.Contains(env, "SIDE=b") {
			side = "b"
		}
		there[side] = append(there[side], pages.InMemory(t, file(side)))
		must.Get(os.ReadFile(file(side)))(t)
		should.Hold(t, pages.InMemory(t, common), "what all run was read anew")
		return []string{file(side), common}
	}
	return folder, there
}

func TestSidesReadCodeAnewThatOneOfThemHasAlone(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		_, there := code(t, b)
		x := &experiment.AB{Out: b.Out}
		for _, name := range []string{"a", "b"} {
			x.Sides = append(x.Sides, b.Prepared(filepath.Join(b.Out, name), bed.Quick+"[mpi]\nenv = { SIDE = \""+name+"\" }\n"))
			must.Do(t, x.Sides[len(x.Sides)-1].Open())
		}
		must.Do(t, x.Measure(t.Context()))
		close(x)
		for side, there := range there {
			should.Hold(t, len(there) > 4 && there[0] && !slices.Contains(there[2:], true), "%s: %v", side, there)
		}
	})
}

func TestALibraryNamedByItsFolderIsReadAnew(t *testing.T) {
	for _, anew := range []bool{false, true} {
		bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
			folder, there := code(t, b)
			c := b.Campaign(bed.Quick)
			if anew {
				c.Config.MPI.Library = filepath.Join(t.TempDir(), "link")
				must.Do(t, os.Symlink(folder, c.Config.MPI.Library))
			}
			must.Get(bed.Done(t.Context(), c))(t)
			should.Hold(t, len(there["a"]) > 4 && !slices.Contains(there["a"][2:], anew), "%v: %v", anew, there)
		})
	}
}

func TestTheSidesAlternateInTheOrderOfTheFolder(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute+time.Second)
		defer cancel()
		b.Fake.Takes = time.Minute
		x := ab(b, bed.Quick)
		must.Hold(t, x.Measure(ctx) != nil, "it was not interrupted")
		close(x)
		path := filepath.Join(b.Out, results.ABFile)
		text, _ := os.ReadFile(path)
		var rec struct {
			Predict []string `json:"predict_order"`
			Measure []string `json:"measure_order"`
		}
		err := json.Unmarshal(text, &rec)
		must.Hold(t, err == nil && len(rec.Predict) == 2 && len(rec.Measure) == 3, "%+v, %v", rec, err)
		// Whatever the order of the rest was, it is kept.
		swapped := strings.NewReplacer("ab", "ba", "ba", "ab").Replace(string(text[strings.Index(string(text), "predict_order"):]))
		must.Do(t, os.WriteFile(path, append(text[:strings.Index(string(text), "predict_order")], swapped...), 0o666))
		x = ab(b, bed.Quick)
		must.Do(t, x.Measure(t.Context()))
		close(x)
		should.Equal(t, len(b.Fake.Jobs()), 21, "jobs")
		last := b.Seen[len(b.Seen)-1]
		should.Hold(t, last.Run == 12 && last.All == 20 && last.Before == 19, "%+v", last)
		now, _ := os.ReadFile(path)
		should.Hold(t, strings.HasSuffix(string(now), swapped), "another order:\n%s", now)
		var setup *fail.Setup
		other := ab(b, bed.Quick)
		other.Sides[0].Manifest.Seed = 7
		err = other.Measure(t.Context())
		should.Hold(t, errors.As(err, &setup) && strings.Contains(err.Error(), "another seed"), "%v", err)
	})
}

func TestSidesThatCannotBeComparedAreRefused(t *testing.T) {
	b := bed.New(t)
	a := b.Prepared(filepath.Join(b.Out, "a"), bed.Quick)
	for _, c := range []struct{ old, new, says string }{
		{"mpiruns = 3", "mpiruns = 4", "A asks for 3 mpiruns and B for 4"},
		{"np = [2, 3]", "np = [2]", "different numbers of processes"},
		{`"8"`, `"16"`, "no case"},
	} {
		x := &experiment.AB{Sides: []*run.Campaign{a, b.Prepared(filepath.Join(b.Out, "b"), strings.Replace(bed.Quick, c.old, c.new, 1))}}
		err := x.Refuse(series.CompareConfig{Config: a.Config.Analyze, Alternative: judge.TwoSided, Paired: true})
		var setup *fail.Setup
		should.Hold(t, errors.As(err, &setup), "%s: %v", c.says, err)
	}
}

func TestABSaysWhatEachSideViolates(t *testing.T) {
	of := func(ids ...string) *analyze.Report {
		r := &analyze.Report{}
		for _, id := range ids {
			r.Verdicts = append(r.Verdicts, analyze.Verdict{Guideline: id, Verdict: judge.Violated}, analyze.Verdict{Guideline: id, Msize: 8, Verdict: judge.Kept})
		}
		return r
	}
	for want, reports := range map[string][]*analyze.Report{
		"A: 2 violated; o/a/report.txt\nB: 2 violated, the same as A; o/b/report.txt":       {of("GL8", "GL9"), of("GL8", "GL9")},
		"A: 2 violated; o/a/report.txt\nB: 2 violated, 1 of them also in A; o/b/report.txt": {of("GL8", "GL9"), of("GL8", "GL5")},
		"A: 2 violated; o/a/report.txt\nB: 0 violated, 0 of them also in A; o/b/report.txt": {of("GL8", "GL9"), of()},
		"A: 0 violated; o/a/report.txt\nB: 0 violated, the same as A; o/b/report.txt":       {of(), of()},
	} {
		x := &experiment.AB{}
		var sides []*analyze.Side
		for i, r := range reports {
			x.Sides = append(x.Sides, &run.Campaign{Options: run.Options{Path: "o/" + string(rune('a'+i))}})
			sides = append(sides, &analyze.Side{Report: r})
		}
		should.Equal(t, strings.Join(x.BySide(sides), "\n"), want)
	}
}
