package bisect

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"pgmpi/internal/fail"
	"pgmpi/measure/launch"
)

type tree struct{ repo, path string }

// git runs git in a folder, and returns what it prints, also where it fails.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", dir}, args...)...)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
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

func newTree(ctx context.Context, repo, path, commit string) (t tree, err error) {
	if _, missing := os.Lstat(filepath.Join(path, ".git")); missing != nil {
		_, err = git(ctx, repo, "worktree", "add", "--force", "--detach", path, commit)
	}
	return tree{repo, path}, err
}

type place struct {
	next string   // to be marked; "" at the end
	left []string // at the end: the first bad commit, or several where commits were skipped
}

func (t tree) start(ctx context.Context, good, bad string) (place, error) {
	if _, err := git(ctx, t.path, "bisect", "reset", bad); err != nil {
		return place{}, err
	}
	return t.bisect(ctx, "start", bad, good)
}

func (t tree) mark(ctx context.Context, m Mark) (place, error) {
	if _, err := git(ctx, t.path, "reset", "--hard"); err != nil { // a build may have changed files
		return place{}, err
	}
	return t.bisect(ctx, string(m))
}

// left finds the commits that git bisect names at its end: one that is the first bad commit, or those
// that it cannot tell apart, a line each.
var left = regexp.MustCompile(`(?m)^([0-9a-f]{40,64})( is the first bad commit)?$`)

func (t tree) bisect(ctx context.Context, words ...string) (at place, err error) {
	said, failed := git(ctx, t.path, append([]string{"bisect"}, words...)...)
	for _, found := range left.FindAllStringSubmatch(said, -1) {
		name, err := t.name(ctx, found[1])
		if err != nil {
			return at, err
		}
		at.left = append(at.left, name)
	}
	if len(at.left) > 0 {
		return at, nil
	}
	at.next, err = t.name(ctx, "HEAD")
	return at, errors.Join(failed, err)
}

func (t tree) name(ctx context.Context, commit string) (string, error) {
	return git(ctx, t.path, "show", "--no-patch", "--format=%H %s", commit)
}

func (t tree) remove(ctx context.Context) error {
	_, err := git(ctx, t.repo, "worktree", "remove", "--force", t.path)
	return err
}
