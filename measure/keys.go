package measure

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/mockups"
)

var above0s = conf.Above(conf.Duration(0), "must be above 0s")

func atLeast0s(meaning string) conf.Limit[conf.Duration] {
	return conf.AtLeast(conf.Duration(0), "must be at least 0s"+meaning)
}

// Rows describes the keys of [job]. What several keys allow together is in Validate.
func (c *JobConfig) Rows() []conf.Key {
	return []conf.Key{
		{Field: conf.At(&c.NP, []int{}, distinct), Text: "numbers of processes, one or several",
			Empty: "the processes of the batch job (`SLURM_NTASKS`), else the cores that pgmpi may run on",
			Flag:  "np", Value: "LIST", FlagText: "numbers of processes: 2,4"},
		{Field: conf.At(&c.Shapes, []string{}, shapes),
			Text:  "shapes nodes × processes per node, such as `[\"2x1\", \"1x2\"]`, besides `np` or in its place",
			Empty: "as the launcher places the processes", More: "See [cluster.md](cluster.md#shapes).",
			Flag: "shape", Value: "LIST", FlagText: "shapes nodes × processes per node: 2x1,1x2,16x32"},
		{Field: conf.At(&c.MPIRuns, 0, conf.AtLeast(0, "must be at least 1, or 0 for as many as suit the number of tests, not %v"),
			conf.That(func(r int) bool { return r <= results.MaxMPIRuns }, fmt.Sprintf("must be at most %d, not %%v", results.MaxMPIRuns))),
			Text: "R, mpiruns that measure everything, for each number of processes",
			More: "See [statistics.md](statistics.md#how-many-mpiruns).", Flag: "mpiruns", Value: "R"},
		{Field: conf.At(&c.Msizes, guidelines.UsualMsizes()), Text: "message sizes of one block, in bytes",
			More: "Ranges double, `1..1Mi`, or have a factor, `1..1Mi*4`.",
			Flag: "msizes", Value: "LIST", FlagText: "message sizes of one block, in bytes: 8,1Ki,64Ki..4Mi,1..1Mi*4"},
		{Field: conf.At(&c.Datatype, mockups.Auto), Text: "datatype", Names: guidelines.Datatypes(),
			More: "`auto`: `double` where numbers are reduced, else `byte`; see [measuring.md](measuring.md#datatypes)."},
		{Field: conf.At(&c.Op, "auto"), Text: "operator of the reductions; `auto`: the first of those that the datatype allows",
			More: "`pgmpi list` shows which ones each datatype allows."},
		{Field: conf.At(&c.Root, 0), Text: "the root of Bcast, Gather, Reduce and Scatter; a rank for every number of processes"},
		{Field: conf.At(&c.Seed, 1), Text: "seed of the order of the cases, and of counts that are drawn", Flag: "seed", Value: "N"},
		{Field: conf.At(&c.Looks, []int{}, looks),
			Text:  "interim looks: after how many mpiruns the data are judged; the last is R",
			Empty: "see `mpiruns`", More: "See [statistics.md](statistics.md#looks).", Flag: "looks", Value: "LIST",
			FlagText: "interim looks, at which the data are judged and what is decided is dropped, after these numbers of mpiruns, " +
				"the last being R: 10,20,30 or with weights 10:.2,20:.3,30:.5"},
		{Field: conf.At(&c.LookWeights, []float64{}), Text: "share of the error of each interim look, together at most 1",
			Empty: ".2, .3, .5 for three looks, else equal", More: "With the flag: `--looks 10:.2,20:.3,30:.5`."},
		{Field: conf.At(&c.MaxMPIRuns, 0, conf.AtLeast(0, "must be at least 0 (no limit), not %v")),
			Text: "most mpiruns of stage 2, in place of the interim looks after them", Empty: "no limit",
			Flag: "max-mpiruns", Value: "N"},
		{Field: conf.At(&c.MaxTime, 0, atLeast0s(" (no limit)")),
			Text:  "begin no mpirun that would end after this time, such as `10m`, except in stage 1",
			Empty: "no limit", More: "Counts all mpiruns of the folder.", Flag: "max-time", Value: "TIME"},
	}
}

// elements says of each element of a list what is wrong with it.
func elements[T any](list []T, wrong func(i int, x T) []error) (errs []error) {
	for i, x := range list {
		for _, err := range wrong(i, x) {
			errs = append(errs, conf.FieldError{Key: conf.Element("", i), Msg: err.Error()})
		}
	}
	return errs
}

func distinct(list *[]int) []error {
	return elements(*list, func(i, np int) []error {
		return slices.Concat(conf.Unless(np >= 1, "%d is no number of processes", np),
			conf.Unless(np <= guidelines.MaxProcesses, "%d is more than %d processes", np, guidelines.MaxProcesses),
			conf.Unless(!slices.Contains((*list)[:i], np), "%d is given twice", np))
	})
}

func shapes(list *[]string) []error {
	return elements(*list, func(i int, text string) []error {
		_, err := guidelines.ParseShape(text)
		return slices.Concat(conf.Unless(err == nil, "%w", err), conf.Unless(!slices.Contains((*list)[:i], text), "%q is given twice", text))
	})
}

func looks(list *[]int) (errs []error) {
	for i, at := range *list {
		errs = slices.Concat(errs,
			conf.Unless(at >= 1 && at <= results.MaxMPIRuns, "%d is no number of mpiruns from 1 to %d", at, results.MaxMPIRuns),
			conf.Unless(i == 0 || at > (*list)[i-1], "%d is not above the look before it; looks are in ascending order", at))
	}
	return errs
}

// Rows describes the keys of [mpi].
func (c *MPIConfig) Rows() []conf.Key {
	return []conf.Key{
		{Field: conf.At(&c.Rank, ""), Text: "path of the rank program",
			Empty: "`PGMPI_RANK`, `pgmpi-rank` beside pgmpi, or an installed one", Flag: "rank", Value: "FILE"},
		{Field: conf.At(&c.Launch, []string{}, func(v *[]string) []error {
			return conf.Unless(len(*v) == 0 || (*v)[0] != "", "the first word, the launcher, is empty")
		}), Text: "the launcher's words, such as `[\"mpirun\", \"-np\", \"{np}\"]`; also `{nodes}`, `{ppn}`, `{cpus}` and `{hostfile}`",
			Empty: "chosen by the rank program's library",
			Flag:  "launch", Value: "TEXT", FlagText: "the launcher, split at spaces, no shell: \"mpirun.mpich -np {np}\""},
		{Field: conf.At(&c.Hostfile, ""), Text: "the launcher's list of hosts", Empty: "the batch system's", Flag: "hostfile", Value: "FILE"},
		{Field: conf.At(&c.CPUsPerRank, 1, conf.AtLeast(1, "must be at least 1, not %v")),
			Text: "cores that each rank has for itself, as in a hybrid program"},
		{Field: conf.At(&c.StartLimit, 0, atLeast0s(" (by the number of processes)")),
			Text:  "give an mpirun up whose ranks have not started after this long",
			Empty: fmt.Sprintf("%v s, and %d ms for each process", StartLimit.Seconds(), StartPerRank.Milliseconds()),
			More: fmt.Sprintf("MPI_Finalize may take %v s less, and %v s in any case.",
				EndsEarlier.Seconds(), (StartLimit - EndsEarlier).Seconds())},
		{Field: conf.At(&c.Env, map[string]string{}, variables),
			Text: "environment variables for the ranks, such as `{ OMPI_MCA_pml = \"ob1\" }`"},
		{Field: conf.At(&c.Library, ""),
			Text:  "the folder of the MPI library: its `bin` has the launcher, and ranks load it from its `lib`",
			Empty: "by the PATH and the loader", More: "See [how-to-library-ci.md](how-to-library-ci.md#two-builds)."},
		{Field: conf.At(&c.Under, ""),
			Text:  "a folder with the `env.sh` of a setting, whose variables the ranks get in addition to `mpi.env`",
			Empty: "none", More: "See [how-to-tune.md](how-to-tune.md#check-under-a-setting).", Flag: "under", Value: "DIR"},
		{Field: conf.At(&c.JobFile, false),
			Text: "hand the job to rank 0 by a file in the results folder, where the launcher forwards no standard input", Flag: "job-file"},
		{Field: conf.At(&c.KeepPML, true),
			Text: "Open MPI: later mpiruns take the point-to-point layer that the first one chose, where that is `ob1`",
			More: "See [measuring.md](measuring.md#open-mpi-chooses-its-layer-once)."},
		{Field: conf.OneOf(&c.ThreadLevel, protocol.ThreadSingle, "thread level", protocol.ThreadLevels),
			Text: "the level of threads that the ranks ask MPI for",
			More: "See [measuring.md](measuring.md#the-thread-level).", Flag: "thread-level", Value: "LEVEL"},
	}
}

func variables(env *map[string]string) (errs []error) {
	for name := range *env {
		errs = append(errs, conf.Unless(name != "" && !strings.ContainsAny(name, "=\x00"), "%q is no name of a variable", name)...)
	}
	return errs
}

// Rows describes the keys of [measure]. What several keys allow together is in Validate.
func (c *Config) Rows() []conf.Key { return append(c.timingRows(), c.callRows()...) }

// timingRows describes how a repetition is timed.
func (c *Config) timingRows() []conf.Key {
	auto := func(names []string) []string { return append([]string{protocol.Auto}, names...) }
	return []conf.Key{
		{Field: conf.OneOf(&c.Sync, "barrier", "synchronisation", auto(protocol.Syncs)),
			Text: "how ranks are synchronised before a repetition",
			More: "`auto`: by where the ranks are; see [measuring.md](measuring.md#synchronisation).", Flag: "sync", Value: "METHOD"},
		{Field: conf.OneOf(&c.Sample, protocol.Auto, "kind of sample", auto(protocol.Samples)),
			Text: "what the time of a repetition is",
			More: "`auto` is `global` with windows and `round_time`, else `local`; see [measuring.md](measuring.md#what-a-sample-is)."},
		{Field: conf.OneOf(&c.Clock, "monotonic", "clock", protocol.Clocks), Text: "what times a repetition",
			More: "See [measuring.md](measuring.md#clocks).", Flag: "clock", Value: "CLOCK"},
		{Field: conf.OneOf(&c.ClockSync, "shared", "clock synchronisation", protocol.ClockSyncs),
			Text: "how the clocks of the ranks become a global one",
			More: "See [measuring.md](measuring.md#methods-of-synchronisation).", Flag: "clock-sync", Value: "METHOD"},
		{Field: conf.At(&c.MaxDrift, conf.Duration(10*time.Microsecond), above0s),
			Text: "clocks are synchronised again before any may be off by more",
			More: "See [measuring.md](measuring.md#clocks-that-drift)."},
		{Field: conf.At(&c.Window, conf.Duration(time.Millisecond), above0s),
			Text: "with `sync = \"window\"`: the time from one start to the next; longer than the slowest case"},
		{Field: conf.At(&c.Windows, []conf.Duration{}, func(v *[]conf.Duration) []error {
			return conf.Unless(!slices.ContainsFunc(*v, func(w conf.Duration) bool { return w <= 0 }), "must be above 0s")
		}), Text: "several windows, of which each mpirun has the next", Empty: "`window`",
			More: "See [measuring.md](measuring.md#how-long-a-window).", Flag: "windows", Value: "LIST"},
		{Field: conf.At(&c.Slice, conf.Duration(2*time.Second), above0s),
			Text: "with `sync = \"round_time\"`: the most that one case may take in one mpirun of stage 2"},
		{Field: conf.OneOf(&c.Cache, "warm", "treatment of the caches", protocol.Caches), Text: "the caches before a repetition",
			More: "`warm`: left alone; `rotate`: other buffers each time; see [measuring.md](measuring.md#caches).",
			Flag: "cache", Value: "STATE"},
		{Field: conf.OneOf(&c.Malloc, protocol.MallocFresh, "state of malloc", protocol.Mallocs),
			Text: "the state of malloc",
			More: "`fresh` and `settled`, as after a large block was freed, hold whatever is freed; `default`: glibc moves it; see [measuring.md](measuring.md#the-state-of-malloc)."},
		{Field: conf.At(&c.Provable, false),
			Text: "also measure an upper bound of every case that needs no common clock (more mpirun time)"},
	}
}

// callRows describes which calls are made, and what is stored of them.
func (c *Config) callRows() []conf.Key {
	turns := fmt.Sprintf("must be 1 (each call is repeated in a row) to %d, or 0 for the usual number, not %%v", maxTurns)
	return []conf.Key{
		{Field: conf.At(&c.FirstCalls, 20, conf.AtLeast(0, "must be at least 0, not %v")),
			Text: "untimed calls of a function before its first case"},
		{Field: conf.At(&c.Fresh, false), Text: "time the first calls of a function: none is made or verified before them",
			More: "See [how-to-explain.md](how-to-explain.md#the-first-calls-of-a-process).", Flag: "fresh"},
		{Field: conf.At(&c.Warmup, 100, conf.AtLeast(0, "must be at least 0, not %v")), Text: "untimed calls before each case, at most"},
		{Field: conf.At(&c.WarmupTime, conf.Duration(500*time.Microsecond), atLeast0s("")),
			Text: "what these may take together; two are made in any case. `\"0s\"`: no limit"},
		{Field: conf.At(&c.Turns, 0, conf.That(func(n int) bool { return n >= 0 && n <= maxTurns }, turns)),
			Text:  "rounds in which an mpirun visits its cases, each with its share of the repetitions; 1: one call is repeated in a row",
			Empty: "10, or 1 where that cannot be",
			More:  "See [measuring.md](measuring.md#one-call-repeated-or-alternately).", Flag: "turns", Value: "N"},
		{Field: conf.At(&c.Stall, conf.Duration(2*time.Minute), above0s),
			Text: "end an mpirun in which no case finishes for this long", Flag: "stall", Value: "TIME"},
		{Field: conf.At(&c.TempMemory, 1<<30, conf.AtLeast(conf.Bytes(1), "must be at least 1 byte, not %v")),
			Text: "most memory for all buffers of one rank; half of the free memory is the other limit"},
		{Field: conf.At(&c.PerRank, false), Text: "store what each rank took in each repetition",
			More: "See [measuring.md](measuring.md#the-loop).", Flag: "per-rank"},
		{Field: conf.At(&c.Messages, false),
			Text: "count the messages and bytes that the library sends inside of its calls, in an untimed mpirun (Open MPI only)",
			More: "See [measuring.md](measuring.md#causes-without-a-clock).", Flag: "messages"},
		{Field: conf.At(&c.Counters, []string{}, counters), Names: protocol.Counters,
			Text: "counters to read around each repetition of stage 2, also `raw:HEX`, an event by its number, " +
				"and `mpi_t:NAME`, a variable of the library",
			Empty: "none", More: "See [measuring.md](measuring.md#counters).", Flag: "counters", Value: "LIST"},
		{Field: conf.At(&c.SplitExperiment, true), Text: "test suspected violations of split-robustness (GL2) in other mpiruns",
			More: "See [statistics.md](statistics.md#split-robustness).",
			Flag: "no-split-experiment", FlagText: "leave suspected split-robustness untested"},
		{Field: conf.At(&c.Alternate, true), Text: "measure what is violated again, both sides alternating call by call",
			More: "See [statistics.md](statistics.md#only-when-repeated)."},
	}
}

func counters(names *[]string) (errs []error) {
	say := func(ok bool, format string, args ...any) { errs = append(errs, conf.Unless(ok, format, args...)...) }
	for i, name := range *names {
		if variable, isMPIT := strings.CutPrefix(name, protocol.PrefixMPIT); isMPIT {
			say(variable != "" && !strings.ContainsAny(name, "\x00\n\t"), "%q names no performance variable", name)
		} else if event, isRaw := strings.CutPrefix(name, protocol.PrefixRaw); isRaw {
			_, err := strconv.ParseUint(event, 16, 64)
			say(err == nil, "%q is no number of an event, such as raw:3f24 (event 24, mask 3f)", name)
		} else {
			errs = append(errs, conf.Known("counter", protocol.Counters, name)...)
		}
		say(!slices.Contains((*names)[:i], name), "%q is given twice", name)
	}
	say(len(*names) <= protocol.MaxCounters, "%d are more than the %d that there can be at a time", len(*names), protocol.MaxCounters)
	return errs
}
