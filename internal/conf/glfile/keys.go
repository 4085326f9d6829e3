package glfile

import (
	"cmp"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pgmpi/analyze/judge"
	"pgmpi/analyze/series"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/measure"
	"pgmpi/measure/protocol"
	"pgmpi/nrep"
)

// Key is a conf.Key with its section in its Name.
type Key conf.Key

// Keys returns all keys in the order of the template, without the keys of [[guideline]].
func Keys() []Key {
	at := slices.IndexFunc(core, func(k Key) bool { return strings.HasPrefix(k.Name, afterFeatures+".") })
	keys := slices.Clone(core[:at])
	for _, s := range registered {
		for _, k := range s.Keys(s.New()) {
			k.Name = s.Title() + "." + k.Name
			keys = append(keys, Key(k))
		}
	}
	return append(keys, core[at:]...)
}

// core lists the keys of the core's sections.
var core = []Key{
	{Name: "check.guidelines", Text: "what is checked: ids (`GL8`), ranges (`GL1..GL17`), one collective of an id (`GL1:Gather`), `extended` (" + guidelines.Extended() + "), `all`, `everything`, `eager`, and groups, as `pgmpi list` shows them",
		More: "Empty only where there is a `[[guideline]]`. See [guidelines.md](guidelines.md#choosing-guidelines).",
		Flag: "only", Value: "LIST", FlagText: "only these guidelines: GL16,GL1..GL3,lanes (`pgmpi list` shows them)"},
	{Name: "check.exclude", Text: "what is not, in the same words; also the ids of your own guidelines",
		Flag: "except", Value: "LIST", FlagText: "none of these guidelines"},
	{Name: "check.functions", Text: "only guidelines about these collectives, such as `Bcast`", Empty: "all",
		Flag: "functions", Value: "LIST", FlagText: "only these collectives: Bcast,Reduce"},
	{Name: "check.calls", Text: "only these collectives at these sizes, `Bcast:64Ki`, or on some processes alone, `Bcast:64Ki:4`, or with other elements, `Reduce:8:4:int/max`, whatever `job.msizes` says", Empty: "all",
		More: "`--calls app.prof` takes them from a program; see [how-to-gain.md](how-to-gain.md)."},

	{Name: "job.np", Text: "numbers of processes, one or several", Empty: "the processes of the batch job (`SLURM_NTASKS`), else the cores that pgmpi may run on",
		Flag: "np", Value: "LIST", FlagText: "numbers of processes: 2,4"},
	{Name: "job.shapes", Text: "shapes nodes × processes per node, such as `[\"2x1\", \"1x2\"]`, beside `np` or in its place", Empty: "as the launcher places the processes",
		More: "See [cluster.md](cluster.md#shapes).",
		Flag: "shape", Value: "LIST", FlagText: "shapes nodes × processes per node: 2x1,1x2,16x32"},
	{Name: "job.mpiruns", Text: "R, mpiruns that measure everything, for each number of processes",
		Empty: fmt.Sprintf("%d that measure everything, and %d or more that measure what points to a violation",
			judge.ScreenAt, judge.PairedAt+judge.MoreR-judge.ScreenAt),
		More: "See [statistics.md](statistics.md#how-many-mpiruns).",
		Flag: "mpiruns", Value: "R"},
	{Name: "job.msizes", Text: "message sizes of one block, in bytes",
		More: "Ranges double, `1..1Mi`, or have a factor, `1..1Mi*4`.",
		Flag: "msizes", Value: "LIST", FlagText: "message sizes of one block, in bytes: 8,1Ki,64Ki..4Mi,1..1Mi*4"},
	{Name: "job.datatype", Text: "datatype", Names: guidelines.Datatypes(),
		More: "`auto`: `double` where numbers are reduced, else `byte`; see [measuring.md](measuring.md#datatypes)."},
	{Name: "job.op", Text: "operator of the reductions; `auto`: the first of those that the datatype allows", More: "`pgmpi list` shows which ones each datatype allows."},
	{Name: "job.root", Text: "the root of Bcast, Gather, Reduce and Scatter; a rank for every number of processes"},
	{Name: "job.seed", Text: "seed of the order of the cases, and of counts that are drawn", Flag: "seed", Value: "N"},
	{Name: "job.looks", Text: "interim looks: after how many mpiruns the data are judged; the last is R",
		Empty: "see `mpiruns`", More: "See [statistics.md](statistics.md#looks).",
		Flag: "looks", Value: "LIST",
		FlagText: "interim looks, at which the data are judged and what is decided is dropped, after these numbers of mpiruns, the last being R: 10,20,30 or with weights 10:.2,20:.3,30:.5"},
	{Name: "job.look_weights", Text: "share of the error of each interim look, together at most 1", Empty: ".2, .3, .5 for three looks, else equal",
		More: "With the flag: `--looks 10:.2,20:.3,30:.5`."},
	{Name: "job.max_mpiruns", Text: "most mpiruns of stage 2, in place of the interim looks behind them", Empty: "no limit",
		Flag: "max-mpiruns", Value: "N"},
	{Name: "job.max_time", Text: "begin no mpirun that would end after this time, such as `10m`, except in stage 1", Empty: "no limit",
		More: "Counts all mpiruns of the folder.", Flag: "max-time", Value: "TIME"},

	{Name: "mpi.rank", Text: "path of the rank program", Empty: "`PGMPI_RANK`, `pgmpi-rank` beside pgmpi, or an installed one", Flag: "rank", Value: "FILE"},
	{Name: "mpi.launch", Text: "the launcher's words, such as `[\"mpirun\", \"-np\", \"{np}\"]`; also `{nodes}`, `{ppn}`, `{cpus}` and `{hostfile}`",
		Empty: "chosen by the rank program's library",
		Flag:  "launch", Value: "TEXT", FlagText: "the launcher, split at spaces, no shell: \"mpirun.mpich -np {np}\""},
	{Name: "mpi.hostfile", Text: "the launcher's list of hosts", Empty: "the batch system's", Flag: "hostfile", Value: "FILE"},
	{Name: "mpi.cpus_per_rank", Text: "cores that each rank has for itself, as in a hybrid program"},
	{Name: "mpi.start_limit", Text: "give an mpirun up whose ranks have not started after this long", Empty: fmt.Sprintf("%v s, and %d ms for each process", measure.StartLimit.Seconds(), measure.StartPerRank.Milliseconds()),
		More: fmt.Sprintf("MPI_Finalize may take %v s less, and %v s in any case.", measure.EndsEarlier.Seconds(), (measure.StartLimit - measure.EndsEarlier).Seconds())},
	{Name: "mpi.env", Text: "environment variables for the ranks, such as `{ OMPI_MCA_pml = \"ob1\" }`"},
	{Name: "mpi.library", Text: "the folder of the MPI library: its `bin` has the launcher, and ranks load it from its `lib`",
		Empty: "by the PATH and the loader", More: "See [how-to-library-ci.md](how-to-library-ci.md#two-builds)."},
	{Name: "mpi.under", Text: "a folder with the `env.sh` of a setting, whose variables the ranks get in addition to `mpi.env`", Empty: "none",
		More: "See [how-to-tune.md](how-to-tune.md#check-under-a-setting).",
		Flag: "under", Value: "DIR"},
	{Name: "mpi.job_file", Text: "hand the job to rank 0 by a file in the results folder, where the launcher forwards no standard input", Flag: "job-file"},
	{Name: "mpi.keep_pml", Text: "Open MPI: later mpiruns take the point-to-point layer that the first one chose, where that is `ob1`",
		More: "See [measuring.md](measuring.md#open-mpi-chooses-its-layer-once)."},
	{Name: "mpi.thread_level", Text: "the level of threads that the ranks ask MPI for", Names: protocol.ThreadLevels,
		More: "See [measuring.md](measuring.md#the-thread-level).", Flag: "thread-level", Value: "LEVEL"},

	{Name: "nrep.metrics", Text: "metrics that say when a case has been repeated often enough (all that are listed must hold)", Names: nrep.Metrics,
		Flag: "nrep-metrics", Value: "LIST"},
	{Name: "nrep.rse", Text: "threshold of the relative standard error; between 0 and 1", Flag: "nrep-rse", Value: "N"},
	{Name: "nrep.cov_mean.threshold", Text: "threshold of the coefficient of variation of the last means; between 0 and 1", Flag: "nrep-cov-mean", Value: "N"},
	{Name: "nrep.cov_mean.window", Text: "number of these means; at least 2"},
	{Name: "nrep.cov_median.threshold", Text: "threshold of the coefficient of variation of the last medians; between 0 and 1", Flag: "nrep-cov-median", Value: "N"},
	{Name: "nrep.cov_median.window", Text: "number of these medians; at least 2"},
	{Name: "nrep.min", Text: "fewest repetitions of a case, after which the metrics are first checked", Flag: "nrep-min", Value: "N"},
	{Name: "nrep.max", Text: "most repetitions of a case; at most 10,000,000", Flag: "nrep-max", Value: "N"},
	{Name: "nrep.step", Text: "repetitions from the first check of the metrics to the second; it doubles", Flag: "nrep-step", Value: "N"},
	{Name: "nrep.predictions", Text: "number of mpiruns that predict; the largest prediction is kept"},
	{Name: "nrep.budget", Text: "long calls are repeated more than `min` times only within this time; `\"0s\"`: no limit"},
	{Name: "nrep.max_time", Text: "time limit for one case in one prediction"},
	{Name: "nrep.min_time", Text: "short calls are repeated until they have taken this long together, at most `max` times"},
	{Name: "nrep.enough", Text: "most repetitions of a case in an mpirun that measures, unless `min` is more; `0`: no limit",
		More: "See [measuring.md](measuring.md#how-often-nrep)."},
	{Name: "nrep.fixed", Text: "above 0: this many repetitions, and no stage 1"},

	{Name: "measure.sync", Text: "how ranks are synchronised before a repetition", Names: auto(protocol.Syncs),
		More: "`auto`: by where the ranks are; see [measuring.md](measuring.md#synchronisation).", Flag: "sync", Value: "METHOD"},
	{Name: "measure.sample", Text: "what the time of a repetition is", Names: auto(protocol.Samples),
		More: "`auto` is `global` with windows and `round_time`, else `local`; see [measuring.md](measuring.md#what-a-sample-is)."},
	{Name: "measure.clock", Text: "what times a repetition", Names: protocol.Clocks,
		More: "See [measuring.md](measuring.md#clocks).", Flag: "clock", Value: "CLOCK"},
	{Name: "measure.clock_sync", Text: "how the clocks of the ranks become a global one", Names: protocol.ClockSyncs,
		More: "See [measuring.md](measuring.md#methods-of-synchronisation).",
		Flag: "clock-sync", Value: "METHOD"},
	{Name: "measure.max_drift", Text: "clocks are synchronised again before any may be off by more",
		More: "See [measuring.md](measuring.md#clocks-that-drift)."},
	{Name: "measure.window", Text: "with `sync = \"window\"`: the time from one start to the next; longer than the slowest case"},
	{Name: "measure.windows", Text: "several windows, of which each mpirun has the next", Empty: "`window`",
		More: "See [measuring.md](measuring.md#how-long-a-window).", Flag: "windows", Value: "LIST"},
	{Name: "measure.slice", Text: "with `sync = \"round_time\"`: the most that one case may take in one mpirun of stage 2"},
	{Name: "measure.cache", Text: "the caches before a repetition", Names: protocol.Caches,
		More: "`warm`: left alone; `rotate`: other buffers each time; see [measuring.md](measuring.md#caches).", Flag: "cache", Value: "STATE"},
	{Name: "measure.malloc", Text: "the state of malloc", Names: protocol.Mallocs,
		More: "`fresh` and `settled`, as after a large block was freed, hold whatever is freed; `default`: glibc moves it; see [measuring.md](measuring.md#the-state-of-malloc)."},
	{Name: "measure.provable", Text: "also measure an upper bound of every case that needs no common clock (more mpirun time)"},
	{Name: "measure.first_calls", Text: "untimed calls of a function before its first case"},
	{Name: "measure.fresh", Text: "time the first calls of a function: none is made or verified before them",
		More: "See [how-to-explain.md](how-to-explain.md#the-first-calls-of-a-process).", Flag: "fresh"},
	{Name: "measure.warmup", Text: "untimed calls before each case, at most"},
	{Name: "measure.warmup_time", Text: "what these may take together; two are made in any case. `\"0s\"`: no limit"},
	{Name: "measure.turns", Text: "rounds in which an mpirun visits its cases, each with its share of the repetitions; 1: one call is repeated in a row",
		Empty: "10, or 1 where that cannot be",
		More:  "See [measuring.md](measuring.md#one-call-repeated-or-alternately).", Flag: "turns", Value: "N"},
	{Name: "measure.stall", Text: "end an mpirun in which no case finishes for this long", Flag: "stall", Value: "TIME"},
	{Name: "measure.temp_memory", Text: "most memory for all buffers of one rank; half of the free memory is the other limit"},
	{Name: "measure.per_rank", Text: "store what each rank took in each repetition",
		More: "See [measuring.md](measuring.md#the-loop).", Flag: "per-rank"},
	{Name: "measure.messages", Text: "count the messages and bytes that the library sends inside of its calls, in an untimed mpirun (Open MPI only)",
		More: "See [measuring.md](measuring.md#causes-without-a-clock).", Flag: "messages"},
	{Name: "measure.counters", Text: "counters to read around each repetition of stage 2, also `raw:HEX`, an event by its number, and `mpi_t:NAME`, a variable of the library", Names: protocol.Counters,
		Empty: "none", More: "See [measuring.md](measuring.md#counters).", Flag: "counters", Value: "LIST"},
	{Name: "measure.split_experiment", Text: "test suspected violations of split-robustness (GL2) in other mpiruns",
		More: "See [statistics.md](statistics.md#split-robustness).",
		Flag: "no-split-experiment", FlagText: "leave suspected split-robustness untested"},
	{Name: "measure.alternate", Text: "measure what is violated again, both sides alternating call by call",
		More: "See [statistics.md](statistics.md#only-when-repeated)."},

	{Name: "analyze.method", Text: "method of judging", Names: judge.Strings(judge.Methods),
		More: "See [statistics.md](statistics.md#methods).",
		Flag: "method", Value: "METHOD"},
	{Name: "analyze.test", Text: "test of a guideline (`auto`: the method's)", Names: judge.Strings(judge.Names()), Flag: "test", Value: "TEST"},
	{Name: "analyze.alpha", Text: "level of the whole check; between 0 and 1", Flag: "alpha", Value: "LEVEL"},
	{Name: "analyze.adjust", Text: "adjustment for the number of tests (`auto`: the method's)", Names: judge.Strings(judge.Adjusts), Flag: "adjust", Value: "METHOD"},
	{Name: "analyze.min_slowdown", Text: "least ratio that is a violation, at least 1; 1.05 is five per cent slower", Flag: "min-slowdown", Value: "RATIO"},
	{Name: "analyze.split_tolerance", Text: "slack of split-robustness (GL2), at least 0; 0.05 is five per cent", Flag: "split-tolerance", Value: "N"},
	{Name: "analyze.nb_tolerance", Text: "share of a blocking call that the nonblocking one may take longer (NB2), at least 0; 0.25 is a quarter", Flag: "nb-tolerance", Value: "N"},
	{Name: "analyze.nb_allowance", Text: "and this time more, for the request"},
	{Name: "analyze.between_checks", Text: "how far ratios differ from check to check, as the standard deviation of ln ratio",
		Empty: fmt.Sprintf("the baselines' own, else %g, and %g beside other programs", judge.Between, judge.BetweenBusy),
		More:  "See [statistics.md](statistics.md#would-a-repeat-show-it)."},

	{Name: "gate.baseline", Text: "what the check is held against: results folders, their report.json, or folders whose sub-folders are nights", Empty: "nothing; exit code 1 means any violation",
		More: "See [gate.md](gate.md).", Flag: "baseline", Value: "LIST"},
	{Name: "gate.nights", Text: "how many nights of a folder are compared, the last ones; at most 100", Flag: "nights", Value: "N"},
	{Name: "gate.expect", Text: "file of the violations that are known, its `[[expect]]`; `pgmpi expect` writes one", Empty: "none",
		More: "See [gate.md](gate.md#expectations).", Flag: "expect", Value: "FILE"},
	{Name: "gate.confirm", Text: "only what is violated again when it is measured again is an alarm",
		Flag: "confirm", FlagText: "only what is violated again when it is measured again is an alarm: usual; --confirm=false does without"},
	{Name: "gate.fail_on", Text: "what is an alarm", Names: judge.Strings(series.FailOns),
		More: "`sure` (once `firm`): of what is new, what a repeat would probably show again; `violated`: all that is not expected; `seen`: also what was seen once in imported data; `times`: also run-times that became longer. See [gate.md](gate.md#states).",
		Flag: "fail-on", Value: "WORD"},
	{Name: "gate.must_judge", Text: "a check on a machine in a state that no baseline has exits with 4", Flag: "must-judge"},
	{Name: "gate.strict", Text: "what is expected to be violated and is kept is an alarm, too", Flag: "strict"},

	{Name: "batch.template", Text: "a file beside gl.toml, from which `pgmpi submit` makes a script for another batch system", Empty: "a script for Slurm",
		More: "See [how-to-slurm.md](how-to-slurm.md#other-batch-systems)."},
	{Name: "batch.submit", Text: "the words that submit a script made from `template`, such as `[\"qsub\"]`"},
	{Name: "batch.nodes", Text: "nodes of the job", Empty: "as many as the processes need"},
	{Name: "batch.time", Text: "time limit of one allocation, such as `\"30m\"`",
		Empty: "twice the estimate of `pgmpi check --dry-run`, but at least 15 minutes"},
	{Name: "batch.account", Text: "the account that pays", Empty: "Slurm's default"},
	{Name: "batch.partition", Text: "the partition", Empty: "Slurm's default"},
	{Name: "batch.constraint", Text: "which nodes, in Slurm's words", Empty: "any"},
	{Name: "batch.exclusive", Text: "ask for nodes that nobody else uses meanwhile"},
	{Name: "batch.options", Text: "more options of sbatch, such as `[\"--qos=debug\"]`"},
	{Name: "batch.modules", Text: "modules that the script loads"},
	{Name: "batch.prolog", Text: "lines of shell before pgmpi is started"},
	{Name: "batch.restarts", Text: "how often the job may go on in another allocation"},
}

// NamedKey returns the key of a name, which must exist.
func NamedKey(name string) Key { return the(func(k Key) bool { return k.Name == name }) }

// FlagKey returns the key that a flag sets, which must exist.
func FlagKey(flag string) Key { return the(func(k Key) bool { return k.Flag == flag }) }

func the(wanted func(Key) bool) Key {
	keys := Keys()
	return keys[slices.IndexFunc(keys, wanted)]
}

func auto(names []string) []string { return append([]string{protocol.Auto}, names...) }

// setters read flags that are written in another way than their keys.
var setters = map[string]func(f *File, text string) error{
	"job.looks": setLooks, "mpi.launch": setLaunch, "measure.split_experiment": unsetSplit,
}

func setLaunch(f *File, text string) error {
	f.MPI.Launch = strings.Fields(text)
	if len(f.MPI.Launch) == 0 {
		return fmt.Errorf("it is empty")
	}
	return nil
}

func unsetSplit(f *File, text string) error {
	err := parse(text, f.field("measure.split_experiment"))
	f.Measure.SplitExperiment = !f.Measure.SplitExperiment
	return err
}

// setLooks reads "10,20,30", or with weights "10:.2,20:.3,30:.5".
func setLooks(f *File, text string) error {
	f.Job.Looks, f.Job.LookWeights = nil, nil
	for part := range strings.SplitSeq(text, ",") {
		before, after, weighted := strings.Cut(strings.TrimSpace(part), ":")
		at, err := strconv.Atoi(before)
		if err != nil {
			return fmt.Errorf("%q is no number of mpiruns, as in 10,20,30", part)
		}
		f.Job.Looks = append(f.Job.Looks, at)
		if !weighted {
			continue
		}
		w, err := strconv.ParseFloat(after, 64)
		if err != nil {
			return fmt.Errorf("%q has no weight behind its colon, as in 10:.2,20:.3,30:.5", part)
		}
		f.Job.LookWeights = append(f.Job.LookWeights, w)
	}
	return nil
}

func (k Key) Set(f *File, text string) error {
	if set, ok := setters[k.Name]; ok {
		return set(f, text)
	}
	name, _, _ := strings.Cut(k.Name, ".")
	if s := sectionOf(name); s != nil {
		f.put(s, s.Copy(f.section(s)))
	}
	return parse(text, f.field(k.Name))
}

var durations, bare = strings.NewReplacer("µs", "us", "m0s", "m"), strings.NewReplacer("[", "", "]", "", `"`, "")

func (k Key) TOML(f *File) string {
	text, err := json.Marshal(f.field(k.Name).Interface()) // JSON without keys is TOML too
	if err != nil {
		panic(err)
	}
	return durations.Replace(string(text))
}

func (k Key) Usage(f *File) string {
	text := cmp.Or(k.FlagText, k.Text)
	if len(k.Names) > 0 {
		text += ": " + strings.Join(k.Names, ", ")
	}
	switch {
	case k.Empty != "" && k.isEmpty(f):
		text += " (default: " + k.Empty + ")"
	case k.Value != "":
		text += " (default " + bare.Replace(k.TOML(f)) + ")"
	}
	return plain(text)
}

func (k Key) Meaning() string {
	text := k.Text
	if len(k.Names) > 0 {
		text += ": " + code(k.Names)
	}
	if d := Default(); k.Empty != "" && k.isEmpty(&d) {
		zero := "empty"
		if v := k.TOML(&d); v == "0" || v == `"0s"` {
			zero = "`" + v + "`"
		}
		text += "; " + zero + ": " + k.Empty
	}
	if k.More != "" {
		text += ". " + k.More
	}
	return text
}

func (k Key) isEmpty(f *File) bool {
	v := f.field(k.Name)
	return v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0
}

func code(names []string) string { return "`" + strings.Join(names, "`, `") + "`" }

var link = regexp.MustCompile(`\[([^\]]+)\]\([^)]+\)`)

func plain(text string) string {
	return strings.ReplaceAll(link.ReplaceAllString(text, "docs/$1"), "`", "")
}

func (f *File) field(name string) reflect.Value {
	v, tag := reflect.ValueOf(f).Elem(), "toml"
	for part := range strings.SplitSeq(name, ".") {
		if s := sectionOf(part); s != nil && v.Type() == reflect.TypeFor[File]() {
			v, tag = reflect.ValueOf(f.section(s)).Elem(), "json"
			continue
		}
		v = fieldOf(v, tag, part)
	}
	return v
}

func fieldOf(v reflect.Value, tag, name string) reflect.Value {
	for i := range v.NumField() {
		if v.Type().Field(i).Tag.Get(tag) == name {
			return v.Field(i)
		}
	}
	panic(fmt.Sprintf("%s has no field with the tag %s:%q, which a row of keys.go names", v.Type(), tag, name))
}

// parse reads the value of a flag. Commas separate the elements of an array.
func parse(text string, into reflect.Value) error {
	var err error
	switch p := into.Addr().Interface().(type) {
	case encoding.TextUnmarshaler:
		return p.UnmarshalText([]byte(text))
	case *bool:
		*p, err = strconv.ParseBool(text)
	case *int:
		var n int64
		n, err = strconv.ParseInt(text, 0, 0)
		*p = int(n)
	case *uint64:
		*p, err = strconv.ParseUint(text, 0, 64)
	case *float64:
		*p, err = strconv.ParseFloat(text, 64)
	default:
		if into.Kind() == reflect.String {
			into.SetString(text)
			return nil
		}
		return parseList(text, into)
	}
	if err != nil {
		hint := ""
		if into.Kind() == reflect.Float64 {
			hint = conf.NumberHint(text)
		}
		return fmt.Errorf("%q is %s%s", text, map[reflect.Kind]string{
			reflect.Bool: "neither true nor false", reflect.Int: "no whole number",
			reflect.Uint64: "no whole number from 0 on", reflect.Float64: "no number",
		}[into.Kind()], hint)
	}
	return nil
}

func parseList(text string, into reflect.Value) error {
	into.SetZero()
	for part := range strings.SplitSeq(text, ",") {
		element := reflect.New(into.Type().Elem()).Elem()
		if err := parse(part, element); err != nil {
			if element.Kind() == reflect.Int {
				err = fmt.Errorf("%q is no number of processes", part)
			}
			return err
		}
		into.Set(reflect.Append(into, element))
	}
	return nil
}
