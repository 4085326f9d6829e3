// Package applications takes real programs, of Debian's packages or built from their sources, through `pgmpi profile`,
// `check --calls`, `remedy` and `gain --ab`, and counts their calls by a library of its own. It says of each what
// agrees: that the profile has every call, that gain covers what the check has said, and that no prediction is
// contradicted. What is not there is named, and no miss.
package applications

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"pgmpi/measure/launch"
)

// application has an input of seconds.
type application struct {
	name    string
	get     string // how to get it
	at      string // the program: its file's name, or a pattern of paths
	args    string
	stdin   string // the file that it reads there
	prepare string // a command for the shell that makes its input
	before  string // what prepares each run
	varies  string // a pattern of functions that runs call more or less often, without MPI_, or ""
}

const ofDebian = "openmpi" // has what its packages build with MPI, unless they say otherwise

var all = []application{
	{name: "PT-Scotch", get: "apt-get install ptscotch", at: "dgpart", args: "8 grid.grf grid.map"},
	{name: "ScaLAPACK", get: "apt-get install scalapack-mpi-test", at: "/usr/lib/*/scalapack/*-tests/xdlu"},
	{name: "MUMPS", get: "apt-get install mumps-test", at: "/usr/lib/mumps/dsimpletest", stdin: "laplace.txt"},
	{name: "CP2K", get: "apt-get install cp2k", at: "cp2k", args: "h2.inp",
		before: "rm -f h2-RESTART.wfn h2-RESTART.wfn.bak-1"},
	{name: "GPAW", get: "apt-get install gpaw", at: "gpaw", args: "python he.py"},
	{name: "NWChem", get: "apt-get install nwchem-openmpi", at: "nwchem.openmpi", args: "nh3.nw",
		before: "rm -f nh3.db nh3.movecs", varies: "Accumulate|Get_accumulate|Win_flush.*"}, // as its ranks share out tasks
	{name: "LAMMPS", get: "apt-get install lammps", at: "lmp", args: "-log none", stdin: "lj.in"},
	{name: "Quantum ESPRESSO", get: "apt-get install quantum-espresso", at: "pw.x", stdin: "scf.in",
		prepare: "ld1.x < ld1.in", before: "rm -rf out"},
	{name: "ExaML", get: "apt-get install examl", at: "/usr/lib/examl/bin/examl-sse3",
		args: "-s dna.binary -t dna.tree -m GAMMA -f E -n run", prepare: "parse-examl -s dna.phy -m DNA -n dna",
		before: "rm -f ExaML_info.run ExaML_log.run ExaML_result.run ExaML_TreeFile.run"},
	{name: "miniAMR", get: "build github.com/Mantevo/miniAMR below --folder", at: "miniAMR.x",
		args: "--npx 2 --num_refine 2 --num_tsteps 8 --num_objects 1 --object 2 0 0 0 0 .04 .04 .04 .2 .2 .2 0 0 0"},
	{name: "CoMD", get: "build github.com/ECP-copa/CoMD below --folder", at: "CoMD-mpi", args: "-i 2 -x 10 -y 10 -z 10"},
	{name: "TeaLeaf", get: "build github.com/UK-MAC/TeaLeaf_ref below --folder", at: "tea_leaf", varies: "Waitall"},
}

const rounding = .0006 // of a share on a screen

//go:embed inputs
var inputs embed.FS

// Bench says how programs are run.
type Bench struct {
	Pgmpi, Rank string // paths
	Library     string // as in mpicc.openmpi
	Folder      string // has programs that are no packages, or "" for PATH alone
	Screens     string // gets a file for each program, of what pgmpi prints, or ""
	Launcher    []string
	Dir         string // for work folders
	Pairs       int    // of runs without and with a setting
	Only        string // programs with this in their name
	// Command makes a command that ends with the bench; Outcome prints what was found, and whether that is the aim.
	Command func(ctx context.Context, argv ...string) *exec.Cmd
	Outcome func(what, got, aim string, ok bool)
}

// Do takes all programs that are installed through everything.
func (b *Bench) Do(ctx context.Context) error {
	fmt.Printf("   load %s\n", load())
	counter, err := b.counter(ctx)
	if err != nil {
		return err
	}
	here, through := 0, 0
	for i := range all {
		a := &applied{Bench: b, application: &all[i], dir: filepath.Join(b.Dir, fmt.Sprint("application", i))}
		if !strings.Contains(a.name, b.Only) {
			continue
		}
		if left := a.found(ctx); left != "" {
			fmt.Printf("   %s is left out: %s\n", a.name, left)
			continue
		}
		here++
		if err := a.through(ctx, counter); ctx.Err() != nil {
			return ctx.Err()
		} else if err != nil {
			b.Outcome(a.name, err.Error(), "comes through", false)
		} else {
			through++
		}
	}
	b.Outcome("programs that come through", fmt.Sprintf("%d of %d here", through, here), "all", through == here)
	return nil
}

// load returns the load average of the last minute.
func load() string {
	text, _ := os.ReadFile("/proc/loadavg")
	one, _, _ := strings.Cut(string(text), " ")
	return one
}

// applied is an application in a work folder.
type applied struct {
	*Bench
	*application
	dir  string
	path string // of the program
}

// found looks for the program, built with the library, and otherwise says how to get it.
func (a *applied) found(ctx context.Context) (left string) {
	paths, _ := filepath.Glob(a.at)
	if path, err := exec.LookPath(a.at); err == nil {
		paths = append(paths, path)
	}
	if below, err := filepath.Abs(a.Folder); a.Folder != "" && err == nil {
		_ = filepath.WalkDir(below, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Name() == a.at && d.Type().IsRegular() {
				paths = append(paths, path)
			}
			return nil
		})
	}
	i := slices.IndexFunc(paths, func(path string) bool { return a.has(ctx, path) })
	switch {
	case i >= 0:
		a.path = paths[i]
		return ""
	case len(paths) > 0:
		return "it has another library"
	}
	return a.get
}

// has tells whether a program loads the rank program's MPI library.
func (b *Bench) has(ctx context.Context, path string) bool {
	loads, err := b.Command(ctx, "ldd", path).Output()
	if err != nil {
		return b.Library == ofDebian // a script
	}
	return bytes.Contains(loads, []byte("\t"+launch.Needs(b.Rank)+" "))
}

func (a *applied) through(ctx context.Context, counter string) error {
	if err := a.prepared(ctx); err != nil {
		return err
	}
	counting := a.started("env", "LD_PRELOAD="+counter, "COUNTED="+filepath.Join(a.dir, "counted"))
	profiling := slices.Concat([]string{a.Pgmpi, "profile", "--out", "app.prof", "--rank", a.Rank, "--"}, a.started())
	for _, argv := range [][]string{counting, profiling} {
		err := a.ready(ctx)
		if err == nil {
			_, _, err = a.run(ctx, nil, argv...)
		}
		if err != nil {
			return err
		}
	}
	if err := a.counts(); err != nil {
		return err
	}
	if _, err := a.screen(ctx, nil, "profile", "app.prof"); err != nil {
		return err
	}
	return a.gains(ctx)
}

// prepared makes the input in the work folder.
func (a *applied) prepared(ctx context.Context) error {
	files, err := fs.Sub(inputs, "inputs")
	if err = errors.Join(err, os.Mkdir(a.dir, 0o777)); err != nil {
		return err
	}
	err = os.CopyFS(a.dir, files)
	for name, text := range map[string][]byte{"grid.grf": grid(96), "laplace.txt": laplace(120), "dna.phy": dna(16, 500)} {
		err = errors.Join(err, os.WriteFile(filepath.Join(a.dir, name), text, 0o666))
	}
	if err == nil && a.prepare != "" {
		_, _, err = a.run(ctx, nil, "sh", "-c", a.prepare)
	}
	return err
}

// ready does what comes before each run.
func (a *applied) ready(ctx context.Context) error {
	if a.before == "" {
		return nil
	}
	_, _, err := a.run(ctx, nil, strings.Fields(a.before)...)
	return err
}

// started returns the command that starts the program, with words before it.
func (a *applied) started(before ...string) []string {
	return slices.Concat(a.Launcher, before, []string{a.path}, strings.Fields(a.args))
}

// run runs a command in the work folder on the application's standard input, and returns what it writes there, and on
// standard error, too. exits holds statuses that are no failure, besides 0.
func (a *applied) run(ctx context.Context, exits []int, argv ...string) (stdout, both string, err error) {
	cmd := a.Command(ctx, argv...)
	cmd.Dir, cmd.Env = a.dir, append(os.Environ(), "OMP_NUM_THREADS=1", "COLUMNS=80")
	if a.stdin != "" {
		from, err := os.Open(filepath.Join(a.dir, a.stdin))
		if err != nil {
			return "", "", err
		}
		defer from.Close()
		cmd.Stdin = from
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	both = errs.String() + out.String()
	if err != nil && slices.Contains(exits, cmd.ProcessState.ExitCode()) {
		err = nil
	} else if err != nil {
		err = fmt.Errorf("%v: %w\n%s", argv, err, both[max(0, len(both)-2000):])
	}
	return out.String(), both, err
}

// screen runs pgmpi, and keeps what it prints, with its seconds.
func (a *applied) screen(ctx context.Context, exits []int, words ...string) (text string, err error) {
	start := time.Now()
	_, text, err = a.run(ctx, exits, append([]string{a.Pgmpi}, words...)...)
	if a.Screens == "" {
		return text, err
	}
	name := filepath.Join(a.Screens, strings.ReplaceAll(a.name, " ", "-")+"-"+a.Library+".txt")
	file, failed := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if failed == nil {
		_, failed = fmt.Fprintf(file, "$ pgmpi %s    # %.1f s, load %s\n%s\n", strings.Join(words, " "),
			time.Since(start).Seconds(), load(), text)
		failed = errors.Join(failed, file.Close())
	}
	return text, errors.Join(err, failed)
}

var saidShare = regexp.MustCompile(`([\d.]+)\s+%\s+of\s+its\s+time\s+in\s+collectives`)

// gains holds what gain covers against what the check has said, and what it predicts against what is seen.
func (a *applied) gains(ctx context.Context) error {
	text, err := a.screen(ctx, []int{1, 2, 4}, "check", "--calls", "app.prof", "--out", "c", "--rank", a.Rank, "--quiet")
	if err != nil {
		return err
	}
	said := saidShare.FindStringSubmatch(text)
	if said == nil && strings.Contains(text, "there is nothing to gain") {
		fmt.Printf("      none of its calls is worth a check\n")
		return nil
	} else if said == nil {
		return fmt.Errorf("the check does not say what it measures: %.1000s", text)
	}
	g, err := a.gain(ctx)
	if err != nil {
		return err
	}
	share, err := strconv.ParseFloat(said[1], 64)
	covered := 100 * g.CoveredS / max(g.CollectiveS, 1e-9)
	both := fmt.Sprintf("the check said %.1f %%, gain covers %.1f %%", share, covered)
	a.Outcome(a.name+": of the time in collectives", both, "not less", covered >= share-100*rounding)
	fmt.Printf("      %.2f s: %.1f %% in blocking collectives, the library needs %.2f %%; %.1f %% in messages of measured sizes\n",
		g.WallS, g.percent(g.CollectiveS), g.percent(g.NeedsS), g.percent(g.MessagesS))
	for _, words := range [][]string{{"remedy", "c", "--quiet"}, {"gain", "c", "app.prof"}} {
		if err == nil {
			_, err = a.screen(ctx, []int{4}, words...)
		}
	}
	if err != nil {
		return err
	}
	return a.predicted(ctx)
}

// gained has what a bench reads of gain.json, in seconds of the run-time (docs/results-format.md).
type gained struct {
	WallS       float64 `json:"wall_s"`
	CollectiveS float64 `json:"collective_s"`
	CoveredS    float64 `json:"covered_s"`
	NeedsS      float64 `json:"needs_s"`
	MessagesS   float64 `json:"messages_s"`
	AtMostS     float64 `json:"at_most_s"`
	Setting     saved   `json:"setting"`
	Messages    []struct {
		AtMostS float64 `json:"at_most_s"`
		By      string  `json:"by"`
		Folder  string  `json:"folder"`
	} `json:"messages"`
	Trades []struct {
		Folder string `json:"folder"`
		Saved  saved  `json:"saved"`
	} `json:"trades"`
}

type saved struct {
	S  float64 `json:"s"`
	Lo float64 `json:"lo"`
	Hi float64 `json:"hi"`
}

func (g *gained) percent(s float64) float64 { return 100 * s / g.WallS }

func (a *applied) gain(ctx context.Context) (*gained, error) {
	text, _, err := a.run(ctx, []int{4}, a.Pgmpi, "gain", "c", "app.prof", "--format", "json")
	g := &gained{}
	if err == nil {
		err = json.Unmarshal([]byte(text), g)
	}
	return g, err
}

// predicted runs the program without and with what the remedy has found, if anything.
func (a *applied) predicted(ctx context.Context) error {
	g, err := a.gain(ctx)
	if err != nil {
		return err
	}
	its, under := g.Setting, []string{}
	if _, none := os.Stat(filepath.Join(a.dir, "c", "remedy", "env.sh")); none != nil {
		if len(g.Trades) == 0 {
			fmt.Printf("      no setting to try; at most %.1f %% are not excluded\n", g.percent(g.AtMostS))
			return nil
		}
		its, under = g.Trades[0].Saved, []string{"--under", g.Trades[0].Folder}
	}
	more := its.Hi + g.AtMostS
	for _, m := range g.Messages {
		if m.By != "" && (m.Folder == "") == (len(under) == 0) {
			more += m.AtMostS
		}
	}
	if a.before != "" {
		under = append(under, "--before", a.before)
	}
	words := []string{"gain", "c", "app.prof", "--ab", fmt.Sprint(a.Pairs), "--rank", a.Rank, "--quiet"}
	text, err := a.screen(ctx, []int{4}, slices.Concat(words, under, []string{"--"}, a.started())...)
	if err != nil {
		return err
	}
	seen := saidSeen.FindStringSubmatch(text)
	if seen == nil {
		return fmt.Errorf("gain does not say what it has seen: %.1000s", text)
	}
	lo, low := strconv.ParseFloat(seen[2], 64)
	hi, high := strconv.ParseFloat(seen[3], 64)
	if seen[4] == "more" {
		lo, hi = -hi, -lo
	}
	both := fmt.Sprintf("predicted %.1f %% [%.1f, %.1f] less, at most %.1f; seen %s %% [%s, %s] %s in %d pairs, load %s", g.percent(its.S),
		g.percent(its.Lo), g.percent(its.Hi), g.percent(min(more, g.WallS)), seen[1], seen[2], seen[3], seen[4], a.Pairs, load())
	a.Outcome(a.name+": of the run-time", both, "not contradicted", lo <= g.percent(more) && hi >= g.percent(its.Lo))
	return errors.Join(low, high)
}

var saidSeen = regexp.MustCompile(`[Ss]een:\s+(\S+)\s+%\s+\[(\S+),\s+(\S+)\]\s+(less|more)`)
