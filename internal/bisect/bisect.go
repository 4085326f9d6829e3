package bisect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"pgmpi/analyze/series"
	"pgmpi/internal/clean"
	"pgmpi/internal/conf"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/fail"
	"pgmpi/internal/regular"
	"pgmpi/measure"
	"pgmpi/measure/launch"
	"pgmpi/measure/results"
)

// File is where a Result is kept in the folder of a bisection.
const File = "bisect.json"

const schema = "pgmpi-bisect/1"

// Bisection asks which commit between two has made a difference between them.
type Bisection struct {
	Repo, Good, Bad string
	Build           string // the command that builds a commit, split at spaces
	Out             string
	Keep            bool // what was built
	Config          *glfile.File
	Version         string
	Tell            func(run.Event)
	Start           measure.Starter // by default measure.Exec
	Rounds          []int           // by default Rounds

	result *Result
	tree   tree
	ends   *results.Manifest // of GOOD, beside BAD
	cells  []int             // of the Plan of ends: those that differ
}

// Result is bisect.json.
type Result struct {
	Schema  string `json:"schema"`
	Good    string `json:"good"` // hashes
	Bad     string `json:"bad"`
	Build   string `json:"build"`
	Commits int    `json:"commits"` // after Good, up to Bad
	// Compared is how many calls GOOD and BAD have in common. CouldHaveSeen is the change that half of
	// them or more could have shown. Cells are the calls that differ.
	Compared      int                 `json:"compared"`
	CouldHaveSeen *float64            `json:"could_have_seen"`
	Cells         []series.CaseChange `json:"cells"`
	Steps         []Step              `json:"steps"`
	FirstBad      []string            `json:"first_bad"` // one commit, or several that cannot be told apart since others were skipped
}

type Step struct {
	Commit string `json:"commit"` // hash and subject
	Mark   Mark   `json:"mark"`
	Why    string `json:"why"`
}

type Mark string

// What git bisect is told of a commit.
const (
	Good Mark = "good"
	Bad  Mark = "bad"
	Skip Mark = "skip"
)

func (r *Result) String() string {
	var out strings.Builder
	add := func(format string, args ...any) { fmt.Fprintf(&out, format+"\n", args...) }
	switch {
	case len(r.Cells) == 0 && r.CouldHaveSeen == nil:
		add("no difference between GOOD and BAD in %s, which could have shown none", conf.Plural(r.Compared, "call"))
	case len(r.Cells) == 0:
		add("no difference between GOOD and BAD in %s; half of them could have shown a change by a factor of %.2f", conf.Plural(r.Compared, "call"), *r.CouldHaveSeen)
	case len(r.FirstBad) == 1:
		add("first bad commit: %s", r.FirstBad[0])
	default:
		add("the first bad commit is one of %d, since commits were skipped:\n  %s", len(r.FirstBad), strings.Join(r.FirstBad, "\n  "))
	}
	for _, k := range r.Cells {
		how := " by the lower quartiles of mpiruns"
		if k.RatioLo != nil && k.RatioHi != nil {
			how = fmt.Sprintf(" (95 %% interval %.2f to %.2f)", *k.RatioLo, *k.RatioHi)
		}
		add("  %s at %s on %s takes %.2f times as long in BAD as in GOOD%s", k.Function, conf.HumanSize(k.Msize), k.Shape, *k.Ratio, how)
	}
	if len(r.Cells) > 0 {
		add("%s after GOOD, %d tried:", conf.Plural(r.Commits, "commit"), len(r.Steps))
	}
	for _, s := range r.Steps {
		add("  %.12s %-4s %s", s.Commit, s.Mark, s.Why)
	}
	return clean.Text(out.String())
}

// Do bisects. With resume it goes on with what the folder has of the same question.
func (x *Bisection) Do(ctx context.Context, resume bool) (*Result, error) {
	if err := x.begin(ctx, resume); err != nil {
		return nil, err
	}
	for _, end := range []string{x.result.Good, x.result.Bad} {
		if why, err := x.build(ctx, end); err != nil {
			return nil, err
		} else if why != "" {
			return nil, fail.Setupf("%.12s, an end of the bisection, %s", end, why)
		}
	}
	err := x.compareEnds(ctx)
	if err == nil && len(x.cells) > 0 {
		err = x.confirm(ctx)
	}
	if err == nil && len(x.cells) > 0 {
		err = x.search(ctx)
	}
	if err != nil {
		return nil, err
	}
	if !x.Keep {
		_ = os.RemoveAll(filepath.Join(x.Out, "prefix"))
	}
	return x.result, x.tree.remove(ctx)
}

func (x *Bisection) begin(ctx context.Context, resume bool) (err error) {
	if strings.TrimSpace(x.Build) == "" || strings.ContainsAny(x.Build, "$&|;<>`'\"") {
		return fail.Setupf("--build: %q is to be run without a shell: give a script, such as ./build.sh; PREFIX is in its environment", x.Build)
	}
	if x.Out, err = filepath.Abs(x.Out); err != nil {
		return fail.AsSetup(err)
	}
	if len(x.Rounds) == 0 {
		x.Rounds = Rounds
	}
	x.result = &Result{Schema: schema, Build: x.Build}
	good, bad, commits, err := ends(ctx, x.Repo, x.Good, x.Bad)
	if err != nil {
		return err
	}
	r := x.result
	path := filepath.Join(x.Out, File)
	switch text, missing := regular.Read(path, 64<<20); {
	case !resume && !results.IsFresh(x.Out):
		return fail.Setupf("the folder %s is not empty: --resume goes on with a bisection in it, another --out starts anew", x.Out)
	case missing != nil:
		r.Good, r.Bad, r.Commits = good, bad, commits
	case json.Unmarshal(text, r) != nil || r.Schema != schema || r.Good != good || r.Bad != bad || r.Build != x.Build:
		return fail.Setupf("%s is of another bisection, with other commits or another --build: take a new folder with --out", path)
	}
	if err := errors.Join(os.MkdirAll(filepath.Join(x.Out, "prefix"), 0o777), x.store()); err != nil {
		return fail.AsSetup(err)
	}
	x.tree, err = newTree(ctx, x.Repo, filepath.Join(x.Out, "tree"), bad)
	return err
}

func (x *Bisection) store() error {
	folder := results.Folder{Path: x.Out}
	return folder.WriteJSON(File, x.result)
}

// search marks commits until git bisect has come to its end. Marks that are stored are not made again.
func (x *Bisection) search(ctx context.Context) error {
	at, err := x.tree.start(ctx, x.result.Good, x.result.Bad)
	for err == nil && at.next != "" {
		var m Mark
		if m, err = x.step(ctx, at.next); err == nil {
			at, err = x.tree.mark(ctx, m)
		}
	}
	if err != nil {
		return err
	}
	x.result.FirstBad = at.left
	return x.store()
}

func (x *Bisection) step(ctx context.Context, commit string) (Mark, error) {
	for _, s := range x.result.Steps {
		if s.Commit == commit {
			return s.Mark, nil
		}
	}
	hash, _, _ := strings.Cut(commit, " ")
	mark := Skip
	why, err := x.build(ctx, hash)
	if err == nil && why == "" {
		mark, why, err = x.judge(ctx, hash)
	}
	if err != nil {
		return "", err
	}
	if !x.Keep {
		_ = os.RemoveAll(x.prefix(hash))
	}
	x.Tell(run.Event{Sentence: fmt.Sprintf("%s is %s: %s", commit[:12]+commit[len(hash):], mark, why)})
	x.result.Steps = append(x.result.Steps, Step{commit, mark, why})
	return mark, x.store()
}

// prefixWord stands for the folder of a build in its command and in the configuration.
const prefixWord = "{prefix}"

func (x *Bisection) prefix(hash string) string { return filepath.Join(x.Out, "prefix", hash[:12]) }

const stopWithin = 5 * time.Second

// build builds a commit into its folder, unless that is done. why says that it does not build.
func (x *Bisection) build(ctx context.Context, hash string) (why string, err error) {
	prefix := x.prefix(hash)
	finished := filepath.Join(prefix, ".pgmpi-built")
	if _, err := os.Stat(finished); err == nil {
		return "", nil
	}
	x.Tell(run.Event{Step: "building " + hash[:12]})
	if _, err := git(ctx, x.tree.path, "checkout", "--force", "--detach", hash); err != nil {
		return "", err
	}
	log, err := os.Create(prefix + ".log")
	if err = errors.Join(err, os.RemoveAll(prefix), os.Mkdir(prefix, 0o777)); err != nil {
		return "", err
	}
	defer log.Close()
	words := strings.Fields(strings.ReplaceAll(x.Build, prefixWord, prefix))
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = x.tree.path, append(os.Environ(), "PREFIX="+prefix), log, log
	// All that the command has started ends with it.
	cmd.SysProcAttr, cmd.WaitDelay = &syscall.SysProcAttr{Setpgid: true}, stopWithin
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	if err = cmd.Run(); err == nil {
		return "", os.WriteFile(finished, nil, 0o666)
	}
	_ = os.RemoveAll(prefix)
	if ctx.Err() != nil {
		return "", &fail.Interrupted{}
	}
	said, _ := regular.Read(log.Name(), 16<<20)
	return fmt.Sprintf("does not build: %v (%s): %s", err, log.Name(), launch.LastLines(string(said), 1)), nil
}
