package measure

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/lists"
	"pgmpi/measure/launch"
	"pgmpi/measure/protocol"
	"pgmpi/nrep"
)

// JobConfig is the [job] section of gl.toml and says what to measure; Rows says what each key means.
type JobConfig struct {
	NP          []int                `toml:"np" json:"np"`
	Shapes      []string             `toml:"shapes" json:"shapes"`
	MPIRuns     int                  `toml:"mpiruns" json:"mpiruns"`
	Msizes      guidelines.MsizeList `toml:"msizes" json:"msizes"`
	Datatype    string               `toml:"datatype" json:"datatype"`
	Op          string               `toml:"op" json:"op"`
	Root        int                  `toml:"root" json:"root"`
	Seed        uint64               `toml:"seed" json:"seed"`
	Looks       []int                `toml:"looks" json:"looks"` // see Schedule
	LookWeights []float64            `toml:"look_weights" json:"look_weights"`
	MaxMPIRuns  int                  `toml:"max_mpiruns" json:"max_mpiruns"`
	MaxTime     conf.Duration        `toml:"max_time" json:"max_time"`
}

func DefaultJob() JobConfig { return conf.Usual((*JobConfig).Rows) }

// Validate checks the root only against the numbers of processes that are given.
func (c JobConfig) Validate() []conf.FieldError {
	errs := conf.Check(&c, c.Rows())
	c.checkWeights(&errs)
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

// MPIConfig is the [mpi] section of gl.toml and says how to start ranks; Rows says what each key means.
type MPIConfig struct {
	Rank        string            `toml:"rank" json:"rank"`
	Launch      []string          `toml:"launch" json:"launch"`
	Env         map[string]string `toml:"env" json:"env"`
	Library     string            `toml:"library" json:"library,omitempty"`
	Under       string            `toml:"under" json:"under,omitempty"`
	Hostfile    string            `toml:"hostfile" json:"hostfile"`
	CPUsPerRank int               `toml:"cpus_per_rank" json:"cpus_per_rank"`
	StartLimit  conf.Duration     `toml:"start_limit" json:"start_limit"`
	JobFile     bool              `toml:"job_file" json:"job_file"`
	KeepPML     bool              `toml:"keep_pml" json:"keep_pml"`
	ThreadLevel string            `toml:"thread_level" json:"thread_level"`
}

func DefaultMPI() MPIConfig { return conf.Usual((*MPIConfig).Rows) }

func (c MPIConfig) Validate() []conf.FieldError { return conf.Check(&c, c.Rows()) }

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

// Config is the [measure] section of gl.toml and says how to time a case; Rows says what each key means.
type Config struct {
	Sync            string          `toml:"sync" json:"sync"`
	Sample          string          `toml:"sample" json:"sample"`
	Clock           string          `toml:"clock" json:"clock"`
	ClockSync       string          `toml:"clock_sync" json:"clock_sync"`
	Window          conf.Duration   `toml:"window" json:"window"`
	Windows         []conf.Duration `toml:"windows" json:"windows"` // in place of Window
	Slice           conf.Duration   `toml:"slice" json:"slice"`
	MaxDrift        conf.Duration   `toml:"max_drift" json:"max_drift"`
	Cache           string          `toml:"cache" json:"cache"`
	Malloc          string          `toml:"malloc" json:"malloc"`
	Provable        bool            `toml:"provable" json:"provable"` // see results.Bound
	FirstCalls      int             `toml:"first_calls" json:"first_calls"`
	Warmup          int             `toml:"warmup" json:"warmup"`
	Fresh           bool            `toml:"fresh" json:"fresh"` // without FirstCalls, Warmup and verification
	WarmupTime      conf.Duration   `toml:"warmup_time" json:"warmup_time"`
	Turns           int             `toml:"turns" json:"turns"`
	Stall           conf.Duration   `toml:"stall" json:"stall"`
	TempMemory      conf.Bytes      `toml:"temp_memory" json:"temp_memory"`
	PerRank         bool            `toml:"per_rank" json:"per_rank"`
	Messages        bool            `toml:"messages" json:"messages"`
	Counters        []string        `toml:"counters" json:"counters"`
	SplitExperiment bool            `toml:"split_experiment" json:"split_experiment"`
	Alternate       bool            `toml:"alternate" json:"alternate"`
}

func Default() Config { return conf.Usual((*Config).Rows) }

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
	errs := conf.Check(&c, c.Rows())
	errs.Check(len(c.Windows) == 0 || c.Sync == "window", "windows", "go with measure.sync = \"window\"")
	errs.Check(c.Turns <= 1 || !c.Provable, "turns", "must be 1 with measure.provable, which bounds one call repeated in a row; measure the bounds in a check of their own")
	errs.Check(!c.Fresh || c.Sync != "window_auto", "fresh", "is not for measure.sync = \"window_auto\", whose pilot makes calls before the first one that is timed")
	return errs
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

func (c JobConfig) checkWeights(errs *conf.FieldErrors) {
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
