package measure

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/lists"
	"pgmpi/measure/launch"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/mockups"
	"pgmpi/nrep"
)

// JobConfig is the [job] section of gl.toml and says what to measure.
type JobConfig struct {
	NP       []int                `toml:"np" json:"np"`           // processes, or empty for as many as there are slots
	Shapes   []string             `toml:"shapes" json:"shapes"`   // nodes × processes per node, "16x2"
	MPIRuns  int                  `toml:"mpiruns" json:"mpiruns"` // R, in one look, or 0 for as many as suit the tests
	Msizes   guidelines.MsizeList `toml:"msizes" json:"msizes"`   // bytes
	Datatype string               `toml:"datatype" json:"datatype"`
	Op       string               `toml:"op" json:"op"` // or "auto" for the datatype's
	Root     int                  `toml:"root" json:"root"`
	Seed     uint64               `toml:"seed" json:"seed"` // of the order of the cases
	// When a check may end before its last mpirun; see Schedule.
	Looks       []int         `toml:"looks" json:"looks"`               // mpiruns, ascending; the last is R
	LookWeights []float64     `toml:"look_weights" json:"look_weights"` // share of the error of each
	MaxMPIRuns  int           `toml:"max_mpiruns" json:"max_mpiruns"`   // per shape, or 0 for no limit
	MaxTime     conf.Duration `toml:"max_time" json:"max_time"`         // of all mpiruns together, or 0 for no limit
}

func DefaultJob() JobConfig {
	return JobConfig{NP: []int{}, Shapes: []string{}, Msizes: guidelines.MsizeList{"1..1Mi"},
		Datatype: mockups.Auto, Op: "auto", Seed: 1, Looks: []int{}, LookWeights: []float64{}}
}

// Validate checks the root only against the numbers of processes that are given.
func (c JobConfig) Validate() []conf.FieldError {
	var errs conf.FieldErrors
	for i, np := range c.NP {
		key := conf.Element("np", i)
		errs.Check(np >= 1, key, "%d is no number of processes", np)
		errs.Check(np <= guidelines.MaxProcesses, key, "%d is more than %d processes", np, guidelines.MaxProcesses)
		errs.Check(!slices.Contains(c.NP[:i], np), key, "%d is given twice", np)
	}
	for i, text := range c.Shapes {
		key := conf.Element("shapes", i)
		_, err := guidelines.ParseShape(text)
		errs.Check(err == nil, key, "%v", err)
		errs.Check(!slices.Contains(c.Shapes[:i], text), key, "%q is given twice", text)
	}
	errs.Check(c.MPIRuns >= 0, "mpiruns", "must be at least 1, or 0 for as many as suit the number of tests, not %d", c.MPIRuns)
	errs.Check(c.MPIRuns <= results.MaxMPIRuns, "mpiruns", "must be at most %d, not %d", results.MaxMPIRuns, c.MPIRuns)
	c.validateLooks(&errs)
	_, opErrs := guidelines.ResolveOp(c.Datatype, c.Op)
	guidelines.CheckMsizes(&errs, "msizes", c.Msizes, guidelines.Extent(c.Datatype, ""))
	return slices.Concat(errs, opErrs, c.CheckRoot(c.NP))
}

func (c JobConfig) On(np []int) []guidelines.Shape {
	out := lists.Map(np, func(n int) guidelines.Shape { return guidelines.Shape{NP: n} })
	for _, text := range c.Shapes {
		if s, err := guidelines.ParseShape(text); err == nil { // else Validate has reported it
			out = append(out, s)
		}
	}
	return out
}

func (c JobConfig) NPOr(usual func() int) []int {
	if len(c.NP)+len(c.Shapes) > 0 {
		return c.NP
	}
	return []int{usual()}
}

func (c JobConfig) CheckRoot(np []int) []conf.FieldError {
	var errs conf.FieldErrors
	errs.Check(c.Root >= 0, "root", "%d is no rank", c.Root)
	for _, s := range c.On(np) {
		if s.NP >= 1 && c.Root >= s.NP {
			errs.Check(false, "root", "%d is no rank of %d processes", c.Root, s.NP)
			break
		}
	}
	return errs
}

// MPIConfig is the [mpi] section of gl.toml and says how to start ranks.
type MPIConfig struct {
	Rank   string            `toml:"rank" json:"rank"`     // path of pgmpi-rank; if empty, launch.FindRank looks
	Launch []string          `toml:"launch" json:"launch"` // argv with "{np}", or empty for the library's
	Env    map[string]string `toml:"env" json:"env"`       // for the ranks
	// Library is the folder in which the MPI library is installed: its launcher, its rank program,
	// and where ranks load it from.
	Library     string `toml:"library" json:"library,omitempty"`
	Under       string `toml:"under" json:"under,omitempty"`       // a folder whose env.sh sets more variables for the ranks
	Hostfile    string `toml:"hostfile" json:"hostfile"`           // the launcher's list of hosts; if empty, the batch system gives it
	CPUsPerRank int    `toml:"cpus_per_rank" json:"cpus_per_rank"` // cores that each rank has for itself
	// StartLimit limits the time that the ranks take to start, or is 0 for StartsWithin's.
	StartLimit conf.Duration `toml:"start_limit" json:"start_limit"`
	// JobFile hands the job to rank 0 by a file in the results folder. Otherwise standard input has it.
	JobFile bool `toml:"job_file" json:"job_file"`
	// KeepPML keeps the point-to-point layer that Open MPI chose in the first mpirun, where that is
	// ob1.
	KeepPML     bool   `toml:"keep_pml" json:"keep_pml"`
	ThreadLevel string `toml:"thread_level" json:"thread_level"` // what the ranks ask MPI for, of protocol.ThreadLevels
}

func DefaultMPI() MPIConfig {
	return MPIConfig{Launch: []string{}, Env: map[string]string{}, CPUsPerRank: 1, KeepPML: true, ThreadLevel: protocol.ThreadSingle}
}

func (c MPIConfig) Validate() []conf.FieldError {
	var errs conf.FieldErrors
	errs.Check(len(c.Launch) == 0 || c.Launch[0] != "", "launch", "the first word, the launcher, is empty")
	for name := range c.Env {
		errs.Check(name != "" && !strings.ContainsAny(name, "=\x00"), "env", "%q is no name of a variable", name)
	}
	errs.Check(c.CPUsPerRank >= 1, "cpus_per_rank", "must be at least 1, not %d", c.CPUsPerRank)
	errs.Check(c.StartLimit >= 0, "start_limit", "must be at least 0s (by the number of processes)")
	errs.Name("thread_level", "thread level", c.ThreadLevel, protocol.ThreadLevels)
	return errs
}

func (c MPIConfig) Launcher() launch.Config {
	return launch.Config{Words: c.Launch, Hostfile: c.Hostfile, CPUsPerRank: c.CPUsPerRank, Library: c.Library}
}

// asConfigured refuses a shell in which pgmpi's own library replaces or counts the ranks' calls. Only
// the configuration may ask for that: else the results would not tell what was measured.
func (c MPIConfig) asConfigured() error {
	for _, name := range launch.Told(os.Environ()) {
		if _, named := c.Env[name]; !named {
			return fmt.Errorf("%s is set in this shell: what is measured would be the library with pgmpi's own one before it, and nothing would say so. "+
				"Unset it (unset LD_PRELOAD %s), or start a shell without that env.sh; to measure under it name its folder: --under DIR (mpi.under), or set it in mpi.env", name, name)
		}
	}
	return nil
}

// Installed adds the rank program and the variables of a configured library. It also refuses a shell
// that asConfigured refuses.
func (c MPIConfig) Installed() (MPIConfig, error) {
	err := c.asConfigured()
	if c.Library == "" || err != nil {
		return c, err
	}
	if c.Library, err = filepath.Abs(c.Library); err != nil {
		return c, err
	}
	if c.Rank, err = launch.FindRankFor(c.Library, c.Rank); err != nil {
		return c, fmt.Errorf("mpi.library: %w", err)
	}
	c.Env = Env(c.Env, launch.LibraryEnv(c.Library, cmp.Or(c.Env[launch.LibraryPath], os.Getenv(launch.LibraryPath))))
	return c, nil
}

// Loading adds the variables with which a rank program of any library loads the launcher's.
func (c MPIConfig) Loading(rank string) (MPIConfig, error) {
	set, err := c.Launcher().ABIEnv(rank, c.Env)
	if len(set) > 0 {
		c.Env = Env(c.Env, set)
	}
	return c, err
}

// StartsWithin returns the time that np ranks may take to start. A launcher needs seconds,
// a batch system up to a minute, and MPI_Init some milliseconds for each rank.
func (c MPIConfig) StartsWithin(np int) time.Duration {
	if c.StartLimit > 0 {
		return time.Duration(c.StartLimit)
	}
	return StartLimit + startPerRank(np)
}

// An mpirun may take StartLimit to start, and StartPerRank for each process; to end, EndsEarlier less.
const (
	StartLimit   = 90 * time.Second
	StartPerRank = 10 * time.Millisecond
	EndsEarlier  = StartLimit - endLimit
)

func startPerRank(np int) time.Duration {
	return (time.Duration(np) * StartPerRank).Truncate(time.Second)
}

func (c MPIConfig) RankArgs() []string {
	if c.ThreadLevel == protocol.ThreadSingle {
		return nil
	}
	return []string{"--thread-level", c.ThreadLevel}
}

// Config is the [measure] section of gl.toml and says how to time a case.
type Config struct {
	Sync      string        `toml:"sync" json:"sync"`
	Sample    string        `toml:"sample" json:"sample"` // "auto": global with windows and round_time, else local
	Clock     string        `toml:"clock" json:"clock"`
	ClockSync string        `toml:"clock_sync" json:"clock_sync"` // how the ranks' clocks become a global one
	Window    conf.Duration `toml:"window" json:"window"`         // from one start to the next, with sync = "window"
	// Windows replaces Window: the mpiruns take its values in turn.
	Windows  []conf.Duration `toml:"windows" json:"windows"`
	Slice    conf.Duration   `toml:"slice" json:"slice"`         // most time for a case, with sync = "round_time"
	MaxDrift conf.Duration   `toml:"max_drift" json:"max_drift"` // the clocks are synchronised again before they are off by more
	Cache    string          `toml:"cache" json:"cache"`
	Malloc   string          `toml:"malloc" json:"malloc"`     // of protocol.Mallocs
	Provable bool            `toml:"provable" json:"provable"` // bound the run-times; see results.Bound
	// FirstCalls and Warmup count untimed calls: of a function before its
	// first case, and before each case.
	FirstCalls int `toml:"first_calls" json:"first_calls"`
	Warmup     int `toml:"warmup" json:"warmup"`
	// Fresh leaves out these calls, and the verification before the timed ones.
	Fresh bool `toml:"fresh" json:"fresh"`
	// WarmupTime limits the calls of Warmup together, except two of them.
	WarmupTime conf.Duration `toml:"warmup_time" json:"warmup_time"`
	// Turns is the number of rounds in which an mpirun visits its cases; 0 means usualTurns where possible.
	Turns      int           `toml:"turns" json:"turns"`
	Stall      conf.Duration `toml:"stall" json:"stall"`             // an mpirun in which no case finishes for this long is ended
	TempMemory conf.Bytes    `toml:"temp_memory" json:"temp_memory"` // cap for a rank's buffers and temporaries
	PerRank    bool          `toml:"per_rank" json:"per_rank"`       // stores the local durations of every rank with the samples
	Messages   bool          `toml:"messages" json:"messages"`       // counts what the library sends in its calls, in an mpirun of its own
	// Counters are read around each repetition, of protocol.Counters or performance variables
	// of MPI_T.
	Counters        []string `toml:"counters" json:"counters"`
	SplitExperiment bool     `toml:"split_experiment" json:"split_experiment"` // follows up suspected violations of split-robustness
	Alternate       bool     `toml:"alternate" json:"alternate"`               // measures violations again with both sides alternating call by call
}

func Default() Config {
	return Config{Sync: "barrier", Clock: "monotonic", ClockSync: "shared", Sample: protocol.Auto,
		Window: conf.Duration(time.Millisecond), Windows: []conf.Duration{}, Slice: conf.Duration(2 * time.Second), MaxDrift: conf.Duration(10 * time.Microsecond),
		Cache: "warm", Malloc: protocol.MallocFresh, FirstCalls: 20, Warmup: 100, WarmupTime: conf.Duration(500 * time.Microsecond),
		Stall: conf.Duration(2 * time.Minute), TempMemory: 1 << 30, Counters: []string{}, SplitExperiment: true, Alternate: true}
}

// AsInPrograms leaves malloc to glibc where a check keeps it fresh: a setting is worth what a program gains.
func (c Config) AsInPrograms() Config {
	if c.Malloc == protocol.MallocFresh {
		c.Malloc = protocol.MallocDefault
	}
	return c
}

func (c Config) CheckTurns(n nrep.Config) []conf.FieldError {
	var errs conf.FieldErrors
	errs.Check(c.Turns <= 1 || c.Turns <= n.Most(), "turns", "%d is more than the repetitions of any case, %d (nrep.max, or nrep.fixed)", c.Turns, n.Most())
	return errs
}

func (c Config) Validate() []conf.FieldError {
	var errs conf.FieldErrors
	auto := []string{protocol.Auto}
	errs.Name("sync", "synchronisation", c.Sync, append(auto, protocol.Syncs...))
	errs.Name("sample", "kind of sample", c.Sample, append(auto, protocol.Samples...))
	errs.Name("clock", "clock", c.Clock, protocol.Clocks)
	errs.Name("clock_sync", "clock synchronisation", c.ClockSync, protocol.ClockSyncs)
	errs.Name("cache", "treatment of the caches", c.Cache, protocol.Caches)
	errs.Name("malloc", "state of malloc", c.Malloc, protocol.Mallocs)
	errs.Check(c.Window > 0, "window", "must be above 0s")
	errs.Check(len(c.Windows) == 0 || c.Sync == "window", "windows", "go with measure.sync = \"window\"")
	errs.Check(!slices.ContainsFunc(c.Windows, func(w conf.Duration) bool { return w <= 0 }), "windows", "must be above 0s")
	errs.Check(c.Slice > 0, "slice", "must be above 0s")
	errs.Check(c.MaxDrift > 0, "max_drift", "must be above 0s")
	errs.Check(c.FirstCalls >= 0, "first_calls", "must be at least 0, not %d", c.FirstCalls)
	errs.Check(c.Warmup >= 0, "warmup", "must be at least 0, not %d", c.Warmup)
	errs.Check(c.WarmupTime >= 0, "warmup_time", "must be at least 0s")
	errs.Check(c.Turns >= 0 && c.Turns <= maxTurns, "turns", "must be 1 (each call is repeated in a row) to %d, or 0 for the usual number, not %d", maxTurns, c.Turns)
	errs.Check(c.Turns <= 1 || !c.Provable, "turns", "must be 1 with measure.provable, which bounds one call repeated in a row; measure the bounds in a check of their own")
	errs.Check(!c.Fresh || c.Sync != "window_auto", "fresh", "is not for measure.sync = \"window_auto\", whose pilot makes calls before the first one that is timed")
	c.validateCounters(&errs)
	errs.Check(c.Stall > 0, "stall", "must be above 0s")
	errs.Check(c.TempMemory >= 1, "temp_memory", "must be at least 1 byte, not %d", int64(c.TempMemory))
	return errs
}

func (c Config) validateCounters(errs *conf.FieldErrors) {
	for i, name := range c.Counters {
		if variable, isMPIT := strings.CutPrefix(name, protocol.PrefixMPIT); isMPIT {
			errs.Check(variable != "" && !strings.ContainsAny(name, "\x00\n\t"), "counters", "%q names no performance variable", name)
		} else if event, isRaw := strings.CutPrefix(name, protocol.PrefixRaw); isRaw {
			_, err := strconv.ParseUint(event, 16, 64)
			errs.Check(err == nil, "counters", "%q is no number of an event, such as raw:3f24 (event 24, mask 3f)", name)
		} else {
			errs.Name("counters", "counter", name, protocol.Counters)
		}
		errs.Check(!slices.Contains(c.Counters[:i], name), "counters", "%q is given twice", name)
	}
	errs.Check(len(c.Counters) <= protocol.MaxCounters, "counters", "%d are more than the %d that there can be at a time", len(c.Counters), protocol.MaxCounters)
}

func (c Config) countsMessages() bool {
	return slices.Contains(c.Counters, protocol.CounterMessages) || slices.Contains(c.Counters, protocol.CounterBytes)
}

// Schedule returns R and the looks, if any, with their weights; the last look is not an interim one.
// All of it is fixed before the start. The usual looks apply where neither mpiruns nor looks are given.
// Without look_weights three looks have the .2, .3 and .5 of docs/dev/statistics.md, any other number
// equal shares. max_mpiruns replaces the looks after it, and has their weights.
func (c JobConfig) Schedule(usual []int, shares []float64) (r int, looks []int, weights []float64) {
	r = c.MPIRuns
	if r == 0 && len(c.Looks) == 0 {
		c.Looks, c.LookWeights = usual, shares
	}
	if n := len(c.Looks); n > 0 {
		r = c.Looks[n-1]
	}
	if c.MaxMPIRuns > 0 {
		r = min(r, c.MaxMPIRuns)
	}
	if len(c.Looks) == 0 {
		return r, nil, nil
	}
	given := c.LookWeights
	switch n := len(c.Looks); {
	case len(given) > 0:
	case n == 3:
		given = []float64{0.2, 0.3, 0.5}
	default:
		given = slices.Repeat([]float64{1 / float64(n)}, n)
	}
	rest := 0.0
	for i, at := range c.Looks {
		if at < r {
			looks, weights = append(looks, at), append(weights, given[i])
		} else {
			rest += given[i]
		}
	}
	return r, append(looks, r), append(weights, rest)
}

func (c JobConfig) validateLooks(errs *conf.FieldErrors) {
	for i, at := range c.Looks {
		errs.Check(at >= 1 && at <= results.MaxMPIRuns, "looks", "%d is no number of mpiruns from 1 to %d", at, results.MaxMPIRuns)
		errs.Check(i == 0 || at > c.Looks[i-1], "looks", "%d is not above the look before it; looks are in ascending order", at)
	}
	errs.Check(c.MaxMPIRuns >= 0, "max_mpiruns", "must be at least 0 (no limit), not %d", c.MaxMPIRuns)
	errs.Check(c.MaxTime >= 0, "max_time", "must be at least 0s (no limit)")
	if len(c.LookWeights) == 0 {
		return
	}
	errs.Check(len(c.LookWeights) == len(c.Looks), "look_weights", "%d weights for %d looks", len(c.LookWeights), len(c.Looks))
	sum := 0.0
	for _, w := range c.LookWeights {
		errs.Check(w > 0, "look_weights", "%v is no share of the error: it must be above 0", w)
		sum += w
	}
	errs.Check(sum <= 1+1e-9, "look_weights", "have the sum %v; more than 1 spends the error twice", sum)
}
