package remedy

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgmpi/analyze/medians"
	"pgmpi/analyze/series"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/feature/explore"
	"pgmpi/internal/reading"
	"pgmpi/internal/tuning"
	"pgmpi/measure/protocol"
	"pgmpi/mockups"
	"pgmpi/testkit/bed"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// by tells how an algorithm was chosen for a call: not at all, on pgmpi's own way, by rules or by a variable.
type by int

const (
	byDefault by = iota
	onItsWay
	byRules
	byVariable
)

const binomial = 6 // Open MPI's number

// tuning4 is an exploration of collectives' binomial at 8 B, 1 KiB and 64 KiB, and a mending that takes the ranks of a bed
// for Open MPI: took gives the time of a call by what the environment chooses.
func tuning4(t *testing.T, b *bed.Bed, functions []string, took func(c protocol.JobCase, how by) time.Duration) *mending {
	t.Helper()
	b.Fake.Under = func(env []string, c protocol.JobCase) time.Duration {
		how := chosenIn(t, env, c)
		c.Function = mockups.Collective(c.Function)
		return took(c, how)
	}
	f := b.Config("[job]\nnp = [2]\nmsizes = [\"8\", \"1Ki\", \"64Ki\"]\n[nrep]\npredictions = 1\n")
	f.Check.Functions = functions
	own := explore.Config{Select: 3}
	for _, function := range functions {
		own.Algorithms = append(own.Algorithms, function+"@binomial")
	}
	glfile.Put(f, explore.Section, own)
	kind := *explore.Experiment
	kind.Prepare = func(ctx context.Context, f *glfile.File, o run.Options) (*glfile.File, error) {
		o.Dry = true // the ranks of a bed have no algorithms, so those are taken that a dry run assumes
		return explore.Experiment.Prepare(ctx, f, o)
	}
	c := must.Get(b.New(&kind, f, b.Out))(t)
	must.Do(t, c.Open())
	must.Get(bed.Done(t.Context(), c))(t)
	_, m := must.Two(reading.Open(b.Out))(t)
	r := Request{Config: must.Get(reading.ConfigOf(m))(t), Check: b.Out, Version: "test", Start: b.Fake.Start}
	x := must.Get(begin(t.Context(), must.Get(Prepare(r))(t), func(e run.Event) { b.Said = append(b.Said, e.Sentence) }))(t)
	x.target = tuning.Target{Library: tuning.LibraryOf("openmpi", "4.1.4"), Folder: x.Folder}
	return x
}

// chosenIn reads what an environment chooses, as Open MPI does: rules come before variables.
func chosenIn(t *testing.T, env []string, c protocol.JobCase) by {
	t.Helper()
	if mockups.Algorithm(c.Function) == "binomial" {
		return onItsWay
	}
	how := byDefault
	for _, line := range env {
		name, value, _ := strings.Cut(line, "=")
		short := strings.ToLower(strings.TrimPrefix(c.Function, "MPI_"))
		switch name {
		case "OMPI_MCA_coll_tuned_" + short + "_algorithm":
			how = max(how, byVariable)
		case "OMPI_MCA_coll_tuned_dynamic_rules_filename":
			w, _ := tuning.Get("openmpi-rules")
			rules := must.Get(w.Read(tuning.RulesFile, must.Get(os.ReadFile(value))(t)))(t)
			if slices.ContainsFunc(rules, func(r tuning.Rule) bool {
				return r.Function == c.Function && r.MinNP <= 2 && (r.MaxNP == 0 || r.MaxNP >= 2) && r.From <= c.Msize &&
					(r.To == 0 || c.Msize < r.To) && r.Algorithm == "6"
			}) {
				return byRules
			}
		}
	}
	return how
}

func mended(t *testing.T, x *mending) (*Result, setting) {
	t.Helper()
	choices := x.choicesOf(x.explored, must.Get(x.listed(t.Context(), x.Config))(t))
	for i := range choices {
		choices[i].Value = binomial
	}
	held := must.Get(x.tryOf(t.Context(), setting{}, x.explored, choices))(t)
	must.Do(t, x.export(held))
	return x.found, held
}

const usual, fast, slow = 10 * time.Microsecond, 5 * time.Microsecond, 15 * time.Microsecond

// The algorithm helps from 1 to 16 KiB and harms above; nothing is guessed beyond where it was seen to help.
func TestTheBordersOfARangeAreFoundByTwoMpiruns(t *testing.T) {
	t.Parallel()
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		x := tuning4(t, b, []string{"MPI_Bcast"}, func(c protocol.JobCase, how by) time.Duration {
			switch {
			case how == byDefault || c.Function != "MPI_Bcast" || c.Msize < 1<<10:
				return usual
			case c.Msize <= 16<<10:
				return fast
			}
			return slow
		})
		before := len(b.Fake.Jobs())
		r, held := mended(t, x)
		must.Hold(t, len(held.choices) == 1 && r.Cells[0].State == CellFaster && len(r.Proofs) == 1, "%+v, %+v", held.choices, r.Proofs)
		should.Equal(t, held.choices[0].Ranges, []tuning.Range{{From: 1 << 10, To: 8<<10 + 1}}) // 22.6 KiB is beyond
		should.Contain(t, answer(r)[0].Text[0].Text, "FASTER: 1 cell with a faster algorithm, by 1 algorithm of the library's own")
		borders := 0
		for _, j := range b.Fake.Jobs()[before:] {
			if slices.ContainsFunc(j.Cases, func(c protocol.JobCase) bool { return mockups.Algorithm(c.Function) != "" }) {
				borders++
			}
		}
		should.Equal(t, borders, 2, "mpiruns that look for borders")
	})
}

// By hand it helps at 8 KiB, under the rules it harms there: it is held where it was measured.
func TestHarmAtABorderMovesTheBorder(t *testing.T) {
	t.Parallel()
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		x := tuning4(t, b, []string{"MPI_Bcast"}, func(c protocol.JobCase, how by) time.Duration {
			switch {
			case how == byDefault || c.Function != "MPI_Bcast" || c.Msize < 1<<10:
				return usual
			case c.Msize == 1<<10 || how == onItsWay && c.Msize < 64<<10:
				return fast
			}
			return slow
		})
		r, held := mended(t, x)
		must.Hold(t, len(held.choices) == 1 && len(held.choices[0].Ranges) == 0 && r.Cells[0].State == CellFaster && len(r.Proofs) == 2, "%+v, %+v", held.choices, r.Proofs)
		should.Hold(t, !r.Proofs[0].Holds && r.Proofs[1].Holds && len(r.Rejected) == 1 && strings.Contains(r.Rejected[0].Reason, "it harms: MPI_Bcast at "), "%+v", r)
		should.Hold(t, len(r.Trades) == 0, "what is held in full is no trade: %+v", r.Trades)
	})
}

// A way that skips the library's selection is the better one, where it does no harm.
func TestTheBetterWayOfTwoIsHeld(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rules, variable, elsewhere time.Duration // elsewhere: by the variable, at 64 KiB
		want                       string
	}{
		"a variable skips the selection":    {usual, fast, usual, "mca"},
		"the variable harms elsewhere":      {fast, fast, slow, "openmpi-rules"},
		"both, and the variable gains more": {7 * time.Microsecond, fast, usual, "mca"},
	} {
		bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
			x := tuning4(t, b, []string{"MPI_Bcast"}, func(k protocol.JobCase, how by) time.Duration {
				switch {
				case k.Function != "MPI_Bcast" || how == byDefault || k.Msize == 8:
					return usual
				case k.Msize == 64<<10:
					return map[by]time.Duration{byVariable: c.elsewhere, byRules: usual, onItsWay: usual}[how]
				}
				return map[by]time.Duration{byVariable: c.variable, byRules: c.rules, onItsWay: fast}[how]
			})
			r, held := mended(t, x)
			must.Hold(t, len(held.choices) == 1 && r.Cells[0].State == CellFaster, "%s: %+v", name, r)
			should.Equal(t, held.choices[0].Way, c.want, name)
		})
	}
}

// Reduce_scatter's choice helps nowhere, Bcast's does: one proof tells both, and what it shows of Bcast is held.
func TestOneBadChoiceDoesNotTakeBackAGoodOne(t *testing.T) {
	t.Parallel()
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		x := tuning4(t, b, []string{"MPI_Bcast", "MPI_Alltoall"}, func(c protocol.JobCase, how by) time.Duration {
			if c.Msize == 1<<10 && (how == onItsWay || how != byDefault && c.Function == "MPI_Bcast") {
				return fast
			}
			return usual
		})
		r, held := mended(t, x)
		must.Hold(t, len(held.choices) == 1 && held.choices[0].Function == "MPI_Bcast", "%+v", held.choices)
		p := r.Proofs[0]
		should.Hold(t, p.Holds && p.Dropped == 1 && r.Mpiruns == p.Mpiruns, "%+v", r.Proofs)
		for _, c := range r.Cells {
			want := map[string]CellState{"MPI_Bcast": CellFaster, "MPI_Alltoall": CellUndecided}[c.Function]
			should.Equal(t, c.State, want, "%s", c.Function)
		}
		should.Hold(t, reading.Has(r.Folder, tuning.EnvFile) && strings.Contains(string(must.Get(os.ReadFile(filepath.Join(r.Folder, tuning.EnvFile)))(t)), "OMPI_MCA_coll_tuned"), "env.sh")
	})
}

// pairwise at 16 KiB cannot change 8 B: what is slower there is the control, and no harm at 16 KiB is as small.
func TestHarmIsMoreThanTheControlShows(t *testing.T) {
	choice := algorithm("MPI_Scan", 1000)
	for name, c := range map[string]struct {
		at, harm, control float64
		harms             int
	}{
		"slower where it cannot act":  {100, 1.3, 1, 0},
		"slower where it acts":        {1000, 1.3, 1, 1},
		"by no more than the control": {1000, 1.07, 1.07, 0},
		"by more than the control":    {1000, 1.08, 1.07, 1},
		"a control that is not shown": {1000, 1.07, .9, 1},
	} {
		control := changed(at("MPI_Bcast", 8), series.Slower, c.control)
		if c.control < 1.05 {
			control.Change = series.NoDifference
		}
		e := &effects{choices: []tuning.Choice{choice}, harmed: compared(changed(at("MPI_Scan", int64(c.at)), series.Slower, c.harm), control),
			before: nothing, after: nothing}
		should.Equal(t, len(e.harms()), c.harms, name)
		var p Proof
		e.exclude(e.choices, &p)
		should.Equal(t, p.Noise != nil, c.control > 1 || c.at == 100, "%s: the control", name)
	}
}

// What was measured again has the control of those mpiruns.
func TestALookAgainHasItsOwnControl(t *testing.T) {
	harm := changed(at("MPI_Scan", 1000), series.Slower, 1.1)
	e := &effects{choices: []tuning.Choice{algorithm("MPI_Scan", 1000)}, harmed: compared(harm, changed(at("MPI_Bcast", 8), series.Slower, 1.2)), before: nothing, after: nothing}
	should.Equal(t, len(e.harms()), 0, "the control of the proof")
	e.again = map[medians.Cell]bool{harm.Cell: true}
	should.Equal(t, len(e.harms()), 1, "the control when it was measured again")
	e.looked = 1.15
	should.Equal(t, len(e.harms()), 0, "which may be slower, too")
}

// What the library takes anyway needs a variable: rules would choose it on the same way.
func TestTheSameAlgorithmIsTriedByItsVariableAlone(t *testing.T) {
	to := tuning.Target{Library: tuning.LibraryOf("openmpi", "4.1.4"), Folder: "/r"}
	choice := func(function, algorithm string, size int64) tuning.Choice {
		return tuning.Choice{Kind: tuning.OwnAlgorithm, Function: function, NP: 2, Algorithm: algorithm, Value: 1, Sizes: []int64{size}, Measured: []int64{8, 1024, 65536}}
	}
	a, other, large := choice("MPI_Bcast", "binomial", 8), choice("MPI_Bcast", "chain", 1024), choice("MPI_Bcast", "chain", 65536)
	gather, none := choice("MPI_Gather", "binomial", 8), choice("MPI_Gatherv", "linear", 8)
	groups, refused := groupsOf(to, []tuning.Choice{a, other, large, gather, none}, map[string]float64{a.Key(): 1.2, other.Key(): 1.5, large.Key(): 1.5}, map[string]bool{a.Key(): true})
	var got []string
	for _, g := range groups {
		for _, way := range g.ways {
			text := g.function
			for _, c := range way {
				text += " " + c.Algorithm + " " + c.Way
			}
			got = append(got, text)
		}
	}
	should.Equal(t, got, []string{"MPI_Bcast chain openmpi-rules chain openmpi-rules", "MPI_Bcast chain mca", "MPI_Bcast binomial mca", "MPI_Gather binomial mca"})
	should.Hold(t, len(refused) == 1 && strings.Contains(refused[0].Reason, "it cannot be written: Open MPI has no rules for MPI_Gatherv"), "%+v", refused)
}
