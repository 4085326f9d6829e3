package app

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pgmpi/internal/fail"
	"pgmpi/internal/feature/app/input"
	"pgmpi/internal/feature/app/profile"
	"pgmpi/internal/regular"
)

// runs compares the run-times of one program: each has the same start, and must be seen to do the same.
type runs struct {
	*Program
	input  *input.Kept
	folder string // the ranks leave their counts here
	n, of  int
	first  job
	texts  map[string]text // the texts of Same after the first run
}

// job holds the calls of a run, as measure/preload writes them.
type job struct {
	processes int
	calls     int64
	program   string
}

// text identifies the contents of a file after a run.
type text struct {
	sum  [sha256.Size]byte
	info fs.FileInfo
}

const (
	mostCalled = 1 << 20 // bytes
	// otherwise is the factor from which on the calls of two runs count as different: programs that iterate until
	// they converge differ a little.
	otherwise = 2
)

func (p *Program) runs(ctx context.Context, of int) (*runs, error) {
	for _, file := range p.Same {
		if info, err := os.Stat(filepath.Dir(file)); err != nil || !info.IsDir() {
			return nil, fail.Setupf("--same %s: there is no folder %s: give a path from here", file, filepath.Dir(file))
		}
	}
	in, err := input.Keep(ctx, p.Stdin, p.isTerminal(), p.Stderr)
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "pgmpi-runs-")
	if err != nil {
		in.Close()
		return nil, fail.AsSetup(err)
	}
	return &runs{Program: p, input: in, folder: folder, of: of, texts: map[string]text{}}, nil
}

func (x *runs) close() {
	x.input.Close()
	_ = os.RemoveAll(x.folder)
}

// next runs the program once more.
func (x *runs) next(ctx context.Context, s Setting) (time.Duration, error) {
	x.n++
	stdin, err := x.input.Open()
	if err != nil {
		return 0, x.fault(err)
	}
	defer stdin.Close()
	called := filepath.Join(x.folder, fmt.Sprintf("called.%d", x.n))
	ranks := map[string]string{"PGMPI_CALLED": called}
	maps.Copy(ranks, s.Ranks)
	if err := x.prepare(ctx); err != nil {
		return 0, x.fault(err)
	}
	before, err := x.left()
	if err != nil {
		return 0, x.fault(err)
	}
	spent, err := x.run(ctx, Setting{ranks, s.Env, s.Options}, stdin)
	if err != nil {
		return 0, x.ended(err)
	}
	if err = x.heldCalls(called); err == nil {
		err = x.heldTexts(before)
	}
	return spent, x.fault(err)
}

// fault blames the command for an error of the first run; a later run differs from the first.
func (x *runs) fault(err error) error {
	switch {
	case err == nil:
		return nil
	case x.n == 1:
		return fail.Setupf("the first run: %w", err)
	}
	return &fail.Failed{Err: fmt.Errorf("run %d of %d: %w", x.n, x.of, err)}
}

// ended says that a run which fails after others had another start than they.
func (x *runs) ended(err error) error {
	var exit *exec.ExitError
	if x.n > 1 && errors.As(err, &exit) {
		return &fail.Failed{Err: fmt.Errorf("run %d of %d: %w, and run 1 ended with 0: where a run finds what one "+
			"before it has written, --before takes it away first, as in --before 'rm -rf out'", x.n, x.of, err)}
	}
	return err
}

// heldCalls compares what a run has called with the profile and with the first run.
func (x *runs) heldCalls(path string) error {
	jobs, err := readCalled(path)
	if err != nil {
		return err
	}
	if x.Profiled == nil && len(jobs) > 0 {
		x.Profiled = seen(jobs)
	}
	p := x.Profiled
	if len(jobs) == 0 {
		if p != nil && !p.Finished {
			return nil // the program that was profiled did not come to MPI_Finalize either
		}
		return fmt.Errorf("the program did not come to MPI_Finalize of the library that %s is built for, or its "+
			"rank 0 does not see %s (TMPDIR), so that it is not known to have done anything", x.Preload, x.folder)
	}
	i := slices.IndexFunc(jobs, func(j job) bool { return j.program == p.Program && j.processes == p.Processes })
	if i < 0 {
		return fmt.Errorf("it ran %.60q on %d processes, and the profile is of %.60q on %d: give the program that "+
			"was profiled, or profile this one", jobs[0].program, jobs[0].processes, p.Program, p.Processes)
	}
	if now := jobs[i].calls; p.Finished && p.Ranks == p.Processes && differs(now, p.MadeCalls()) {
		return fmt.Errorf("its ranks called %d collectives, and %d in the profile: it does something else, such as "+
			"where its input is another; if it should, profile it anew", now, p.MadeCalls())
	}
	if x.n == 1 {
		x.first = jobs[i]
	}
	if differs(jobs[i].calls, x.first.calls) {
		return fmt.Errorf("its ranks called %d collectives, and %d in the first run: it does not do the same each time",
			jobs[i].calls, x.first.calls)
	}
	return nil
}

// seen returns a profile of the job with the most processes: later runs are held against it.
func seen(jobs []job) *profile.Profile {
	j := slices.MaxFunc(jobs, func(a, b job) int { return cmp.Compare(a.processes, b.processes) })
	p := &profile.Profile{Program: j.program, Processes: j.processes, Ranks: j.processes, Finished: true}
	p.LostCalls = j.calls
	return p
}

func differs(a, b int64) bool { return max(a, b) > otherwise*min(a, b) }

// readCalled reads a line for each job: "PROCESSES CALLS PROGRAM".
func readCalled(path string) (jobs []job, err error) {
	all, err := regular.Read(path, mostCalled)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	lines := bufio.NewScanner(bytes.NewReader(all))
	for lines.Scan() {
		var j job
		if _, err := fmt.Sscan(lines.Text(), &j.processes, &j.calls); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if words := strings.SplitN(lines.Text(), " ", 3); len(words) == 3 {
			j.program = words[2]
		}
		jobs = append(jobs, j)
	}
	return jobs, err
}

// left finds the files of --same before a run.
func (x *runs) left() (map[string]fs.FileInfo, error) {
	before := map[string]fs.FileInfo{}
	for _, file := range x.Same {
		info, err := os.Stat(file)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		before[file] = info
	}
	return before, nil
}

// heldTexts compares the files of --same with what the first run wrote.
func (x *runs) heldTexts(before map[string]fs.FileInfo) error {
	for _, file := range x.Same {
		now, err := readText(file)
		if err != nil {
			return fmt.Errorf("--same: %w", err)
		}
		if old := before[file]; old != nil && os.SameFile(old, now.info) && old.ModTime().Equal(now.info.ModTime()) &&
			old.Size() == now.info.Size() {
			return fmt.Errorf("--same: it has not written %s", file)
		}
		if x.n == 1 {
			x.texts[file] = now
		}
		if x.texts[file].sum != now.sum {
			return fmt.Errorf("--same: %s has another text than after the first run", file)
		}
	}
	return nil
}

func readText(file string) (t text, err error) {
	f, err := regular.Open(file)
	if err != nil {
		return t, err
	}
	defer f.Close()
	if t.info, err = f.Stat(); err != nil {
		return t, err
	}
	h := sha256.New()
	_, err = io.Copy(h, f)
	h.Sum(t.sum[:0])
	return t, err
}
