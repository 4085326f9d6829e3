package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"pgmpi/internal/tuning"
)

const (
	remedyGain = 1.4             // times faster, at least, by malloc's variables
	remedyAim  = 5 * time.Minute // of a remedy with its proofs
)

// slowByMalloc are calls of 1 MiB that the kernel makes slow with pages, and the
// guidelines that show it.
var slowByMalloc = map[string]struct{ function, guidelines string }{
	"openmpi": {"MPI_Reduce_scatter_block", `"GL15", "GL22"`},
	"mpich":   {"MPI_Reduce", `"GL8", "GL14"`},
}

// remedied is what the bench reads of remedy.json.
type remedied struct {
	Cells []struct {
		Function string   `json:"function"`
		State    string   `json:"state"`
		By       []string `json:"by"`
		Gain     *float64 `json:"gain"`
	} `json:"cells"`
	Proofs []struct{} `json:"proofs"`
}

// remedyBench mends what is known: what malloc makes slow, an algorithm that is
// planted, and whatever a check of all patterns finds.
func remedyBench(ctx context.Context, e *env) {
	known := slowByMalloc[e.library]
	e.title("remedies: %s of 1 MiB by malloc's variables, a planted algorithm, and a check of GL3-GL17; p = %d", known.function, np)
	e.exits = []int{4} // nothing is mended
	for i := range e.times {
		r, took := e.remedy(ctx, known.guidelines, `"1Mi"`, `kinds = ["environment"]`, i+1)
		said, gain := "not violated", 0.0
		for _, c := range r.Cells {
			if c.Function == known.function && c.Gain != nil {
				gain = *c.Gain
				said = fmt.Sprintf("%.2f times faster, %s; %.0f s", gain, c.State, took.Seconds())
			}
		}
		e.outcome(known.function, said, fmt.Sprintf("at least %g times faster", remedyGain), gain >= remedyGain)
	}
	if e.library == "mpich" {
		e.plantedAlgorithm(ctx)
	}
	r, took := e.remedy(ctx, `"GL3..GL17"`, `"8", "1Ki", "64Ki", "1Mi"`, "", 2000)
	mended := 0
	for _, c := range r.Cells {
		if c.State == "mended" {
			mended++
		}
	}
	fmt.Printf("   %d of %d violated cells mended, %d proofs\n", mended, len(r.Cells), len(r.Proofs))
	e.outcome("remedy of GL3-GL17 at four sizes", fmt.Sprintf("%.0f s", took.Seconds()), fmt.Sprintf("at most %.0f s", remedyAim.Seconds()), took <= remedyAim)
}

// remedy checks and mends, and returns what the remedy took.
func (e *env) remedy(ctx context.Context, guidelines, msizes, kinds string, seed int) (r remedied, took time.Duration) {
	text := fmt.Sprintf("[check]\nguidelines = [%s]\n[job]\nnp = [%d]\nmsizes = [%s]\n[remedy]\n%s\n", guidelines, np, msizes, kinds)
	out, _ := e.measure(ctx, "check", text, seed, nil)
	start := time.Now()
	e.pgmpi(ctx, "remedy", out, "--quiet")
	took = time.Since(start)
	read(filepath.Join(out, "remedy", "remedy.json"), &r)
	return r, took
}

// plantedAlgorithm lets MPICH's selection tree choose a slow Alltoall, which the check must
// find and the remedy replace. Open MPI's rules come before what is forced, so that nothing
// could be explored under them.
func (e *env) plantedAlgorithm(ctx context.Context) {
	libraries, err := exec.Command("ldd", e.program("pgmpi-rank")).Output()
	must(err)
	at := regexp.MustCompile(`libmpich\S* => (\S+)`).FindSubmatch(libraries)
	if at == nil {
		must(fmt.Errorf("%s is not linked with MPICH", e.program("pgmpi-rank")))
	}
	tree, err := tuning.FindTree(string(at[1]))
	must(err)
	sizes := []int64{256 << 10}
	settings, refused, err := tuning.Write(tuning.Target{Library: tuning.LibraryOf("mpich", e.info.LibVersion), Folder: e.dir, Tree: tree},
		[]tuning.Choice{{Function: "MPI_Alltoall", NP: np, Sizes: sizes, Measured: sizes, Kind: tuning.OwnAlgorithm, Algorithm: "brucks"}}, "mpich-json")
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
		state = strings.Join(append([]string{r.Cells[0].State, "by"}, r.Cells[0].By...), " ")
	}
	e.outcome("planted: MPI_Alltoall of 256 KiB by brucks", fmt.Sprintf("%s; %.0f s", state, took.Seconds()), "mended", strings.HasPrefix(state, "mended"))
}
