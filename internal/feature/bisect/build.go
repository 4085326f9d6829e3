package bisect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"pgmpi/internal/child"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/fail"
	"pgmpi/internal/lists"
	"pgmpi/internal/regular"
	"pgmpi/measure"
	"pgmpi/measure/launch"
	"pgmpi/measure/results"
)

const (
	prefixWord = "{prefix}" // replaced by the folder of a build in its command and in the configuration
	builds     = "prefix"   // the folder of all builds
	builtMark  = ".pgmpi-built"
)

func (x *Bisection) prefix(hash string) string { return filepath.Join(x.Out, builds, hash[:12]) }

// mark marks the environment of all processes of builds into this folder, and no others.
func (x *Bisection) mark() string { return "PGMPI_BISECT=" + x.Out }

// build builds a commit into its folder, unless that is done. why says why the commit does not build, or is "".
func (x *Bisection) build(ctx context.Context, hash string) (why string, err error) {
	prefix := x.prefix(hash)
	if x.isBuilt(hash) {
		return "", nil
	}
	x.Tell(run.Event{Step: "building " + hash[:12]})
	if err := x.tree.checkout(ctx, hash); err != nil {
		return "", err
	}
	log, err := emptied(prefix)
	if err != nil {
		return "", fail.AsSetup(err)
	}
	defer log.Close()
	failed := x.started(ctx, prefix, log)
	if ctx.Err() != nil {
		_ = os.RemoveAll(prefix)
		return "", &fail.Interrupted{}
	}
	if failed == nil {
		if failed = x.still(ctx, hash); failed == nil {
			return "", regular.Write(filepath.Join(prefix, builtMark), func(w io.Writer) error {
				_, err := io.WriteString(w, hash)
				return err
			})
		}
	}
	_ = os.RemoveAll(prefix)
	said, _ := regular.Read(log.Name(), 16<<20)
	return fmt.Sprintf("does not build: %v (%s): %s", failed, log.Name(), launch.LastLines(string(said), 1)), nil
}

// isBuilt trusts no mark that somebody else may have put there.
func (x *Bisection) isBuilt(hash string) bool {
	prefix := x.prefix(hash)
	info, err := os.Lstat(prefix)
	text, missing := regular.Read(filepath.Join(prefix, builtMark), 1<<10)
	return err == nil && missing == nil && info.IsDir() && string(text) == hash &&
		results.Private(filepath.Join(x.Out, builds), ".") && results.Private(prefix, ".", builtMark)
}

// emptied makes an empty folder for a build, and a new file for its output. The file is next to the folder. It
// follows no link.
func emptied(prefix string) (log *os.File, err error) {
	if err := errors.Join(os.RemoveAll(prefix), os.Mkdir(prefix, 0o777)); err != nil {
		return nil, err
	}
	name := prefix + ".log"
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return regular.New(name)
}

// started runs the command. All that the command has started ends with it, and it ends with pgmpi.
func (x *Bisection) started(ctx context.Context, prefix string, log *os.File) error {
	words := lists.Map(strings.Fields(x.Build), func(word string) string {
		return strings.ReplaceAll(word, prefixWord, prefix)
	})
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = x.tree.path, log, log
	// Without .git in the tree, git would look for another one in the folders above.
	cmd.Env = environment("PREFIX="+prefix, x.mark(), "GIT_CEILING_DIRECTORIES="+x.Out)
	err := child.Run(ctx, cmd, cmp.Or(x.stopWithin, 5*time.Second))
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
	if ctx.Err() != nil {
		measure.EndMarked(x.mark())
	}
	return err
}

// still returns an error unless the tree has the commit that was to be built.
func (x *Bisection) still(ctx context.Context, hash string) error {
	head, err := x.tree.head(ctx)
	if err == nil && head != hash {
		err = fmt.Errorf("the command has checked out another commit, %.12s, in %s", head, x.tree.path)
	}
	return err
}
