package bisect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"pgmpi/analyze/series"
	"pgmpi/internal/clean"
	"pgmpi/internal/conf"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/fail"
	"pgmpi/internal/regular"
	"pgmpi/measure"
	"pgmpi/measure/results"
)

// File names the file of a Result in the folder of a bisection.
const File = "bisect.json"

const schema = "pgmpi-bisect/1"

// Bisection finds which commit between two has made a difference between them.
type Bisection struct {
	Repo, Good, Bad string
	Build           string // the command that builds a commit, split at spaces
	Out             string
	Keep            bool // keep what was built
	Config          *glfile.File
	Version         string
	Tell            func(run.Event)
	Start           measure.Starter // by default measure.Exec
	Rounds          []int           // by default Rounds

	stopWithin time.Duration // a build that is to end has so long, by default 5 s
	folder     *results.Folder
	result     *Result
	tree       tree
	ends       *results.Manifest // of GOOD, compared with BAD
	cells      []int             // of the Plan of ends: the cases that differ
}

// Result is written as bisect.json.
type Result struct {
	Schema string `json:"schema"`
	// FolderID is the Folder.ID of the folder that the Result was written into.
	FolderID string `json:"folder_id"`
	Good     string `json:"good"` // hashes
	Bad      string `json:"bad"`
	Build    string `json:"build"`
	Commits  int    `json:"commits"` // after Good, up to Bad
	// Compared counts the calls that GOOD and BAD have in common. CouldHaveSeen is the change that half of them or
	// more could have shown. Cells lists the calls that differ.
	Compared      int                 `json:"compared"`
	CouldHaveSeen *float64            `json:"could_have_seen"`
	Cells         []series.CaseChange `json:"cells"`
	Steps         []Step              `json:"steps"`
	FirstBad      []string            `json:"first_bad"` // one commit, or several around skipped ones
}

type Step struct {
	Commit string `json:"commit"` // hash and subject
	Mark   Mark   `json:"mark"`
	Why    string `json:"why"`
}

func (s Step) hash() string {
	hash, _, _ := strings.Cut(s.Commit, " ")
	return hash
}

// Mark says how a commit behaves.
type Mark string

const (
	Good Mark = "good"
	Bad  Mark = "bad"
	Skip Mark = "skip"
)

func (r *Result) String() string {
	var out strings.Builder
	add := func(format string, args ...any) { out.WriteString(clean.Line(fmt.Sprintf(format, args...)) + "\n") }
	switch {
	case len(r.Cells) == 0 && r.CouldHaveSeen == nil:
		add("no difference between GOOD and BAD in %s, which could have shown none", conf.Plural(r.Compared, "call"))
	case len(r.Cells) == 0:
		add("no difference between GOOD and BAD in %s; half of them could have shown a change by a factor of %.2f", conf.Plural(r.Compared, "call"), *r.CouldHaveSeen)
	case len(r.FirstBad) == 1:
		add("first bad commit: %s", r.FirstBad[0])
	default:
		add("the first bad commit is one of %d, since commits were skipped:", len(r.FirstBad))
		for _, commit := range r.FirstBad {
			add("  %s", commit)
		}
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
	return out.String()
}

// Do bisects. With resume it goes on with what the folder has of the same question.
func (x *Bisection) Do(ctx context.Context, resume bool) (*Result, error) {
	defer func() {
		if x.folder != nil {
			_ = x.folder.Close()
		}
	}()
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
		_ = os.RemoveAll(filepath.Join(x.Out, builds))
	}
	_ = os.RemoveAll(x.tree.path)
	return x.result, nil
}

func (x *Bisection) begin(ctx context.Context, resume bool) (err error) {
	if strings.TrimSpace(x.Build) == "" || strings.ContainsAny(x.Build, "$&|;<>`'\"") {
		return fail.Setupf("--build: %q is to be run without a shell: give a script, such as ./build.sh; PREFIX is in its environment", x.Build)
	}
	if len(x.Rounds) == 0 {
		x.Rounds = Rounds
	}
	asked := Result{Schema: schema, Build: x.Build}
	if asked.Good, asked.Bad, asked.Commits, err = ends(ctx, x.Repo, x.Good, x.Bad); err != nil {
		return err
	}
	if x.Out, err = filepath.Abs(x.Out); err != nil {
		return fail.AsSetup(err)
	}
	// Nothing is written into a folder that is refused; what counts is read under the lock.
	if _, err := load(x.Out, asked, resume); err != nil {
		return err
	}
	if x.folder, err = results.Lock(x.Out); err != nil {
		return fail.AsSetup(err)
	}
	if x.Out, err = filepath.EvalSymlinks(x.Out); err != nil {
		return fail.AsSetup(err)
	}
	if x.result, err = load(x.Out, asked, resume); err != nil {
		return err
	}
	x.result.FolderID = x.folder.ID()
	if left := measure.EndMarked(x.mark()); len(left) > 0 {
		return fail.Setupf("a build of a pgmpi that was killed still runs in %s: end its processes, %v", x.Out, left)
	}
	if err := errors.Join(x.store(), x.folder.Make(builds)); err != nil {
		return fail.AsSetup(err)
	}
	x.tree, err = newTree(ctx, x.Repo, filepath.Join(x.Out, "tree"))
	return err
}

// load returns what the folder holds of the bisection that is asked for. A bisection runs what was built there, so
// it goes on only in a folder that this user has made.
func load(out string, asked Result, resume bool) (*Result, error) {
	path := filepath.Join(out, File)
	text, missing := regular.Read(path, 64<<20)
	switch {
	case (!resume || missing != nil) && results.IsFresh(out):
		return &asked, nil
	case !resume:
		return nil, fail.Setupf("the folder %s is not empty: --resume goes on with a bisection in it, another --out "+
			"starts anew", out)
	case missing != nil:
		return nil, fail.Setupf("the folder %s is not empty, and has no bisection: take a new folder with --out: %w",
			out, missing)
	}
	var r Result
	err := json.Unmarshal(text, &r)
	switch {
	case err != nil || r.Schema != schema || r.Good != asked.Good || r.Bad != asked.Bad || r.Build != asked.Build:
		return nil, fail.Setupf("%s is of another bisection, with other commits or another --build: take a new folder "+
			"with --out", path)
	case !results.Private(out, ".", File):
		return nil, fail.Setupf("what was built in %s would be run, and others own that folder or may write to it: "+
			"take a new folder with --out", out)
	case !results.OwnFolder(out, File, r.FolderID):
		return nil, fail.Setupf("what was built in %s would be run, and nothing shows that you have made this folder: "+
			"it is a copy. Take a new folder with --out", out)
	}
	if err := r.check(); err != nil {
		return nil, fail.Setupf("%s is damaged: %w; take a new folder with --out", path, err)
	}
	r.Commits = asked.Commits
	return &r, nil
}

// check refuses what String, or git, would stumble over.
func (r *Result) check() error {
	for _, s := range r.Steps {
		if !hashed.MatchString(s.Commit) || !slices.Contains([]Mark{Good, Bad, Skip}, s.Mark) {
			return fmt.Errorf("it marks %q as %q", clean.Line(s.Commit), clean.Line(string(s.Mark)))
		}
	}
	for i, k := range r.Cells {
		if k.Ratio == nil {
			return fmt.Errorf("cells[%d] has no ratio", i)
		}
	}
	return nil
}

// hashed matches the beginning of a Step's commit.
var hashed = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})( |$)`)

func (x *Bisection) store() error { return x.folder.WriteJSON(File, x.result) }

// search marks commits until the first bad one is found, or none is left to try.
func (x *Bisection) search(ctx context.Context) error {
	for {
		at, err := x.tree.place(ctx, x.result)
		if err != nil {
			return err
		}
		if at.next == "" {
			x.result.FirstBad = at.left
			return x.store()
		}
		if err := x.step(ctx, at.next); err != nil {
			return err
		}
	}
}

func (x *Bisection) step(ctx context.Context, commit string) error {
	s := Step{Commit: commit, Mark: Skip}
	why, err := x.build(ctx, s.hash())
	if err == nil && why == "" {
		s.Mark, why, err = x.judge(ctx, s.hash())
	}
	if err != nil {
		return err
	}
	if !x.Keep {
		_ = os.RemoveAll(x.prefix(s.hash()))
	}
	s.Why = why
	x.Tell(run.Event{Sentence: fmt.Sprintf("%s is %s: %s", commit[:12]+commit[len(s.hash()):], s.Mark, why)})
	x.result.Steps = append(x.result.Steps, s)
	return x.store()
}
