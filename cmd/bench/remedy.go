package main

import (
	"context"
	"encoding/json"
	"errors"
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
func remedyBench(ctx context.Context, e *env) error {
	known := slowByMalloc[e.library]
	e.title("remedies: %s of 1 MiB by malloc's variables, a planted algorithm, and a check of GL3-GL17; p = %d", known.function, np)
	var missed error
	for i := range e.times {
		text := fmt.Sprintf("[check]\nguidelines = [%s]\n[job]\nnp = [%d]\nmsizes = [\"1Mi\"]\n[remedy]\nkinds = [\"environment\"]\n", known.guidelines, np)
		r, took, err := e.remedy(ctx, text, i+1)
		if err != nil {
			return err
		}
		missed = errors.Join(missed, gained(r, known.function, took))
	}
	return errors.Join(missed, e.plantedAlgorithm(ctx), e.wholeRemedy(ctx))
}

// remedy checks and mends, and returns what the remedy took.
func (e *env) remedy(ctx context.Context, text string, seed int) (*remedied, time.Duration, error) {
	out, _, err := e.measure(ctx, "check", text, seed)
	if err != nil {
		return nil, 0, err
	}
	defer os.RemoveAll(out)
	start := time.Now()
	_, failed := e.pgmpi(ctx, "remedy", out, "--quiet") // 4: nothing is mended
	took := time.Since(start)
	data, err := os.ReadFile(filepath.Join(out, "remedy", "remedy.json"))
	if err != nil {
		return nil, 0, errors.Join(failed, err)
	}
	var r remedied
	return &r, took, json.Unmarshal(data, &r)
}

// gained tells how much faster a violated call became.
func gained(r *remedied, function string, took time.Duration) error {
	for _, c := range r.Cells {
		if c.Function == function && c.Gain != nil {
			return outcome(function, fmt.Sprintf("%.2f times faster, %s; %.0f s", *c.Gain, c.State, took.Seconds()), fmt.Sprintf("at least %g times", remedyGain), *c.Gain >= remedyGain)
		}
	}
	return outcome(function, "not violated", "violated, and mended", false)
}

// plantedAlgorithm lets MPICH's selection tree choose a slow Alltoall, which the check must
// find and the remedy replace. Open MPI's rules come before what is forced, so that nothing
// could be explored under them.
func (e *env) plantedAlgorithm(ctx context.Context) error {
	if e.library != "mpich" {
		return nil
	}
	if err := e.plantTree(); err != nil {
		return err
	}
	const variable = "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE"
	if err := os.Setenv(variable, filepath.Join(e.dir, tuning.TreeFile)); err != nil {
		return err
	}
	defer os.Unsetenv(variable)
	text := fmt.Sprintf("[check]\nguidelines = [\"GL21\"]\n[job]\nnp = [%d]\nmsizes = [\"256Ki\"]\n[remedy]\nkinds = [\"algorithm\"]\n", np)
	r, took, err := e.remedy(ctx, text, 1000)
	if err != nil {
		return err
	}
	state := "not found"
	if len(r.Cells) == 1 {
		state = strings.Join(append([]string{r.Cells[0].State, "by"}, r.Cells[0].By...), " ")
	}
	return outcome("planted: MPI_Alltoall of 256 KiB by brucks", fmt.Sprintf("%s; %.0f s", state, took.Seconds()), "mended", strings.HasPrefix(state, "mended"))
}

// plantTree writes MPICH's own tree with a slow algorithm in it.
func (e *env) plantTree() error {
	libraries, err := exec.Command("ldd", e.program("pgmpi-rank")).Output()
	if err != nil {
		return err
	}
	at := regexp.MustCompile(`libmpich\S* => (\S+)`).FindSubmatch(libraries)
	if at == nil {
		return fmt.Errorf("%s is not linked with MPICH", e.program("pgmpi-rank"))
	}
	tree, err := tuning.FindTree(string(at[1]))
	if err != nil {
		return err
	}
	sizes := []int64{256 << 10}
	settings, refused, err := tuning.Write(tuning.Target{Library: tuning.LibraryOf("mpich", e.info.LibVersion), Folder: e.dir, Tree: tree},
		[]tuning.Choice{{Function: "MPI_Alltoall", NP: np, Sizes: sizes, Measured: sizes, Kind: tuning.OwnAlgorithm, Algorithm: "brucks"}}, "mpich-json")
	if err != nil || len(refused) > 0 {
		return errors.Join(err, fmt.Errorf("refused: %+v", refused))
	}
	return os.WriteFile(filepath.Join(e.dir, tuning.TreeFile), settings[0].Files[0].Content, 0o666)
}

// wholeRemedy mends what a check of all patterns finds.
func (e *env) wholeRemedy(ctx context.Context) error {
	text := fmt.Sprintf("[check]\nguidelines = [\"GL3..GL17\"]\n[job]\nnp = [%d]\nmsizes = [\"8\", \"1Ki\", \"64Ki\", \"1Mi\"]\n", np)
	r, took, err := e.remedy(ctx, text, 2000)
	if err != nil {
		return err
	}
	mended := 0
	for _, c := range r.Cells {
		if c.State == "mended" {
			mended++
		}
	}
	fmt.Printf("   %d of %d violated cells mended, %d proofs\n", mended, len(r.Cells), len(r.Proofs))
	return outcome("remedy of GL3-GL17 at four sizes", fmt.Sprintf("%.0f s", took.Seconds()), fmt.Sprintf("at most %.0f s", remedyAim.Seconds()), took <= remedyAim)
}
