package bisect

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"pgmpi/internal/fail"
	"pgmpi/internal/lists"
	"pgmpi/measure/launch"
)

// quiet keeps git from starting what a hook or a configuration names. It also keeps git from tidying up in the
// background, and from entering submodules.
var quiet = []string{
	"core.hooksPath=/dev/null", "core.fsmonitor=", "gc.auto=0", "maintenance.auto=false", "submodule.recurse=false",
}

// environment leaves out this process's GIT_*, which hooks and dotfile set-ups export: GIT_DIR, GIT_WORK_TREE,
// GIT_INDEX_FILE and others lead git, also within a build, to other repositories than it is told.
func environment(more ...string) []string {
	own := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") })
	return append(own, more...)
}

// git runs git in a folder, and returns what it prints, even if it fails.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	all := []string{"-C", dir}
	for _, set := range quiet {
		all = append(all, "-c", set)
	}
	cmd := exec.CommandContext(ctx, "git", append(all, args...)...)
	cmd.Env = environment("LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_NO_REPLACE_OBJECTS=1")
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	switch {
	case ctx.Err() != nil:
		err = &fail.Interrupted{}
	case err != nil:
		err = fail.Setupf("git %s: %w: %s", strings.Join(args, " "), err, launch.LastLines(said.String()+string(out), 3))
	}
	return strings.TrimSpace(string(out)), err
}

func ends(ctx context.Context, repo, good, bad string) (g, b string, commits int, err error) {
	hash := func(name string) string {
		text, failed := git(ctx, repo, "rev-parse", "--verify", "--end-of-options", name+"^{commit}")
		if failed != nil && ctx.Err() == nil {
			failed = fmt.Errorf("there is no commit %q in %s (--repo): %w", name, repo, failed)
		}
		err = errors.Join(err, failed)
		return text
	}
	if g, b = hash(good), hash(bad); err != nil {
		return "", "", 0, err
	}
	if _, err := git(ctx, repo, "merge-base", "--is-ancestor", g, b); err != nil || g == b {
		return "", "", 0, errors.Join(err, fail.Setupf("no commits lead from GOOD, %.12s, to BAD, %.12s: GOOD must be an ancestor of BAD", g, b))
	}
	count, err := git(ctx, repo, "rev-list", "--count", g+".."+b)
	if err == nil {
		commits, err = strconv.Atoi(count)
	}
	return g, b, commits, err
}

// tree is a clone that borrows the objects of the user's repository. Its configuration and index are its own, so
// that nothing of it stays in the repository, however pgmpi ends.
type tree struct{ path string }

// newTree replaces what is at the path: a killed build may have left it, or somebody else's hooks may lie there.
func newTree(ctx context.Context, repo, path string) (t tree, err error) {
	if err := os.RemoveAll(path); err != nil {
		return t, fail.AsSetup(err)
	}
	if repo, err = filepath.Abs(repo); err != nil {
		return t, fail.AsSetup(err)
	}
	source, err := git(ctx, repo, "rev-parse", "--show-toplevel")
	if err != nil || source == "" { // a repository without a work tree
		if source, err = git(ctx, repo, "rev-parse", "--absolute-git-dir"); err != nil {
			return t, err
		}
	}
	_, err = git(ctx, filepath.Dir(path), "-c", "protocol.file.allow=always",
		"clone", "--quiet", "--shared", "--no-checkout", "--template=", "--origin", "origin",
		"--config", "core.hooksPath=/dev/null", "--config", "core.fsmonitor=", "--", source, path)
	if t = (tree{path}); err == nil {
		err = t.takeRemotes(ctx, repo)
	}
	return t, err
}

// takeRemotes copies the origin of the repository: the addresses of submodules can be relative to it, and objects
// of a partial clone are fetched from there.
func (t tree) takeRemotes(ctx context.Context, repo string) error {
	const keys = `^remote\..*\.(url|promisor|partialclonefilter)$`
	remotes, _ := git(ctx, repo, "config", "--null", "--get-regexp", keys) // fails if there is none
	if ctx.Err() != nil {
		return &fail.Interrupted{}
	}
	if strings.Contains(remotes, "remote.origin.url\n") {
		if _, err := t.git(ctx, "config", "--unset-all", "remote.origin.url"); err != nil {
			return err
		}
	}
	for entry := range strings.SplitSeq(strings.TrimSuffix(remotes, "\x00"), "\x00") {
		if key, value, is := strings.Cut(entry, "\n"); is {
			if _, err := t.git(ctx, "config", "--add", key, value); err != nil {
				return err
			}
		}
	}
	return nil
}

// git names the clone's folder when it runs git. If a build has removed the clone's repository, git would else look
// for one in the folders above.
func (t tree) git(ctx context.Context, args ...string) (string, error) {
	return git(ctx, t.path, append([]string{"--git-dir=.git", "--work-tree=."}, args...)...)
}

func (t tree) checkout(ctx context.Context, hash string) error {
	_, err := t.git(ctx, "checkout", "--quiet", "--force", "--detach", hash)
	return err
}

func (t tree) head(ctx context.Context) (string, error) {
	return t.git(ctx, "rev-parse", "--verify", "HEAD")
}

// name returns a commit's hash and subject.
func (t tree) name(ctx context.Context, hash string) (string, error) {
	text, err := t.git(ctx, "rev-list", "--max-count=1", "--format=%s", hash)
	_, subject, _ := strings.Cut(text, "\n")
	return hash + " " + subject, err
}

type place struct {
	next string   // the commit to mark, or "" at the end
	left []string // at the end: the first bad commit, or several where commits were skipped
}

// place finds by the marks which commits can be the first bad one. It also says which of them to try next.
func (t tree) place(ctx context.Context, r *Result) (at place, err error) {
	bad, words, skipped := r.Bad, []string{"--not", r.Good}, map[string]bool{}
	for _, s := range r.Steps {
		switch hash := s.hash(); s.Mark {
		case Good:
			words = append(words, hash)
		case Bad:
			bad = hash
		case Skip:
			skipped[hash] = true
		}
	}
	text, err := t.git(ctx, append([]string{"rev-list", "--bisect-all", bad}, words...)...)
	if err != nil {
		return at, err
	}
	// git prints a line for each commit, those first that halve the others best.
	all := lists.Map(strings.Split(text, "\n"), func(line string) string { return strings.Fields(line + " -")[0] })
	if !slices.Contains(all, bad) {
		return at, fail.Setupf("the marks in %s are of other commits: take a new folder with --out", File)
	}
	all = slices.DeleteFunc(all, func(hash string) bool { return hash == bad })
	if next := choose(all, skipped); next != "" {
		at.next, err = t.name(ctx, next)
		return at, err
	}
	for _, hash := range append(all, bad) {
		name, err := t.name(ctx, hash)
		if err != nil {
			return at, err
		}
		at.left = append(at.left, name)
	}
	return at, nil
}

// choose returns the commit that halves the others best. After a skipped commit it moves away from it, as git
// bisect does, since commits next to one that does not build seldom build.
func choose(all []string, skipped map[string]bool) string {
	open := slices.DeleteFunc(slices.Clone(all), func(hash string) bool { return skipped[hash] })
	switch {
	case len(open) == 0:
		return ""
	case !skipped[all[0]]:
		return all[0]
	}
	between := float64(bits.Reverse32(uint32(len(all)-len(open)))) / (1 << 32) // 1/2, 1/4, 3/4, 1/8, …
	return open[int(float64(len(open))*math.Pow(between, 1.5))]
}
