package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"pgmpi/bench/documents"
	"pgmpi/bench/table"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
	"pgmpi/internal/stats"
	"pgmpi/internal/tuning"
	"pgmpi/measure/protocol"
)

const (
	remedyGain  = 1.4 // least factor by malloc's variables
	remedyAim   = 300 // seconds of a remedy with its proofs
	remedyPairs = 15  // of mpiruns without and with an exported setting
	repeatAim   = .8  // share of the remedies whose factors all repeat
	notSlower   = 1.1 // times between the measured sizes
)

// slowByMalloc names calls that pages from the kernel make slow, and guidelines that show it.
var slowByMalloc = map[string]struct{ function, guidelines string }{
	"openmpi": {"MPI_Reduce_scatter_block", `"GL15", "GL22"`},
	"mpich":   {"MPI_Reduce", `"GL8", "GL14"`},
}

// remedyBench mends what is known: what malloc makes slow, an algorithm that is planted, and
// whatever a check of all patterns finds. Then a plain C program shows its gain from each of the
// settings.
func remedyBench(ctx context.Context, e *env) {
	known := slowByMalloc[e.library]
	e.exits = []int{4} // nothing is mended
	var all []documents.Remedied
	for i := range e.times {
		r, took := e.remedy(ctx, known.guidelines, `"256Ki", "1Mi"`, `kinds = ["environment"]`, i+1)
		gain := math.NaN() // it was not violated
		for _, c := range r.Cells {
			if c.Function == known.function && c.Msize == 1<<20 {
				gain = value(c.Gain, gain)
			}
		}
		e.aim(fmt.Sprintf("%s of 1 MiB, %.0f s", known.function, took), gain, "%.2f times faster", remedyGain, 0)
		all = append(all, r)
	}
	if e.library == "mpich" {
		e.plantedAlgorithm(ctx)
	}
	r, took := e.remedy(ctx, `"GL3..GL17"`, `"8", "1Ki", "64Ki", "1Mi"`, "", 2000)
	mended := lists.Count(r.Cells, func(c documents.Mendable) bool { return c.State == documents.CellMended })
	fmt.Printf("   %d of %d violated cells mended, %d proofs\n", mended, len(r.Cells), len(r.Proofs))
	e.aim("remedy of GL3-GL17 at four sizes", took, "%.0f s", 0, remedyAim)
	e.inPrograms(ctx, append(all, r))
}

// inPrograms alternates mpiruns of a plain C program without and with each setting.
func (e *env) inPrograms(ctx context.Context, all []documents.Remedied) {
	rng := rand.New(rand.NewPCG(e.seed, 0))
	var remedies, between count
	for i := range all {
		cells := proved(&all[i])
		if len(cells) == 0 {
			continue
		}
		t := table.New(fmt.Sprintf("setting %d", i+1), "bytes", "remedy", "95 %", "program", "95 %", "")
		repeat := true
		for _, function := range slices.Sorted(maps.Keys(cells)) {
			for _, c := range e.alternated(ctx, &all[i], function, cells[function], rng) {
				gain, lo, hi, said := math.NaN(), 0., math.Inf(1), ""
				if c.cell == nil {
					slower := c.Ratio*notSlower <= 1 && c.Hi95 < 1
					between.add(slower)
					said = phrase.When(slower, "SLOWER")
				} else {
					gain, lo, hi = value(c.cell.Gain, gain), value(c.cell.GainLo, lo), value(c.cell.GainHi, hi)
					again := c.Lo95 <= hi && c.Hi95 >= lo
					repeat = repeat && again
					said = phrase.When(!again, "DOES NOT REPEAT")
				}
				t.Row(function, c.size, number("%.2f", gain), fmt.Sprintf("%.2f–%.2f", lo, hi), number("%.2f", c.Ratio), fmt.Sprintf("%.2f–%.2f", c.Lo95, c.Hi95), said)
			}
		}
		t.Flush()
		remedies.add(repeat)
	}
	e.aim(fmt.Sprintf("settings all of whose factors a plain C program repeats, of %g", remedies.of), remedies.n/remedies.of, "%.2f", repeatAim, 0)
	e.outcome("cells between the measured sizes that are 10 % slower in it", fmt.Sprintf("%g of %g", between.n, between.of), "none", between.n == 0)
}

// inProgram holds how many times faster a setting makes a plain C program's call.
type inProgram struct {
	size int64
	cell *documents.Mendable // nil between the measured sizes
	stats.Effect
}

// proved returns what to time under a setting, by function: the cells that it makes faster, and
// sizes between the measured ones that it reaches. These are both ends and the middle of a rule, or
// the middle of neighbours.
func proved(r *documents.Remedied) map[string][]inProgram {
	out := map[string][]inProgram{}
	for i, c := range r.Cells {
		if c.Msize > 0 && (c.State == documents.CellMended || c.State == documents.CellFaster) {
			out[c.Function] = append(out[c.Function], inProgram{size: c.Msize, cell: &r.Cells[i]})
		}
	}
	const unit = 8 // bytes of a double
	for function, cases := range out {
		for _, f := range r.Effects {
			choice := f.Entry.Choice
			var sizes []int64
			if choice.Function == function {
				sizes, _ = f.Entry.Probes(unit)
			}
			for k := 1; k < len(choice.Measured) && choice.Function == ""; k++ {
				sizes = append(sizes, int64(math.Sqrt(float64(choice.Measured[k-1])*float64(choice.Measured[k])))/unit*unit)
			}
			for _, size := range sizes {
				if size > 0 && !slices.Contains(choice.Measured, size) {
					cases = append(cases, inProgram{size: size})
				}
			}
		}
		slices.SortFunc(cases, func(a, b inProgram) int { return cmp.Compare(a.size, b.size) })
		out[function] = slices.CompactFunc(cases, func(a, b inProgram) bool { return a.size == b.size })
	}
	return out
}

// alternated times the cases of one function. Each mpirun has only these, the small ones first: what a
// larger call has freed would change how malloc serves the next one.
func (e *env) alternated(ctx context.Context, r *documents.Remedied, function string, cases []inProgram, rng *rand.Rand) []inProgram {
	args := lists.Map(cases, func(c inProgram) string { return fmt.Sprintf("%s:%d", function, c.size) })
	asUsersDo := []string{"sh", "-c", `. "$0"; exec "$@"`, filepath.Join(r.Folder, tuning.EnvFile)}
	times := [2][][]float64{make([][]float64, len(cases)), make([][]float64, len(cases))}
	for range cmp.Or(e.mpiruns, remedyPairs) {
		for _, side := range rng.Perm(2) {
			lines := strings.Fields(e.plainAfter(ctx, [][]string{nil, asUsersDo}[side], np, "collectives", args))
			if len(lines) != 2*len(args) {
				must(fmt.Errorf("collectives wrote %d words for %d cases", len(lines), len(args)))
			}
			for i := range cases {
				times[side][i] = append(times[side][i], get(strconv.ParseFloat(lines[2*i+1], 64)))
			}
		}
	}
	for i := range cases {
		cases[i].Effect = get(stats.HodgesLehmannSignedRank(times[0][i], times[1][i]))
	}
	return cases
}

func (e *env) remedy(ctx context.Context, guidelines, msizes, kinds string, seed int) (r documents.Remedied, seconds float64) {
	text := fmt.Sprintf("[check]\nguidelines = [%s]\n[job]\nnp = [%d]\nmsizes = [%s]\n[remedy]\n%s\n", guidelines, np, msizes, kinds)
	out := e.check(ctx, "the check", text, seed).out
	start := time.Now()
	e.pgmpi(ctx, "remedy", out, "--quiet")
	seconds = time.Since(start).Seconds()
	read(filepath.Join(out, "remedy", "remedy.json"), &r)
	return r, seconds
}

// plantedAlgorithm lets MPICH's selection tree choose a slow Alltoall. The check must find it, and
// the remedy replace it. Open MPI's rules precede forced algorithms, so that nothing could be
// explored under them.
func (e *env) plantedAlgorithm(ctx context.Context) {
	asked := get(protocol.ListAlgorithms.Ask(protocol.AlgorithmsJob{}))
	end := e.do(ctx, "pgmpi-rank", &protocol.Job{NP: np, StallNS: stall, Work: asked}).End
	tree := get(tuning.FindTree(get(protocol.ListAlgorithms.Found(end.Answer)).LibraryFile))
	sizes := []int64{256 << 10}
	settings, refused, err := tuning.Write(tuning.Target{Library: tuning.LibraryOf("mpich", e.info.LibVersion), Folder: e.dir, Tree: tree},
		[]tuning.Choice{{Function: "MPI_Alltoall", NP: np, Sizes: sizes, Measured: sizes, Kind: tuning.OwnAlgorithm, Algorithm: "brucks"}})
	must(err)
	if len(refused) > 0 {
		must(fmt.Errorf("refused: %+v", refused))
	}
	const variable = "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE"
	file := filepath.Join(e.dir, tuning.TreeFile)
	must(os.WriteFile(file, settings[0].Files[0].Content, 0o666))
	must(os.Setenv(variable, file))
	defer os.Unsetenv(variable)
	r, took := e.remedy(ctx, `"GL21"`, `"256Ki"`, `kinds = ["algorithm"]`, 1000)
	state := "not found"
	if len(r.Cells) == 1 {
		state = string(r.Cells[0].State) + " by " + strings.Join(r.Cells[0].By, " ")
	}
	e.outcome("planted: MPI_Alltoall of 256 KiB by brucks", fmt.Sprintf("%s; %.0f s", state, took), "mended", strings.HasPrefix(state, "mended"))
}
