package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pgmpi/guidelines"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/experiment"
	"pgmpi/internal/phrase"
	"pgmpi/internal/reading"
	"pgmpi/measure/results"
)

// settings are the flags that set keys of gl.toml, and the file under them.
type settings struct {
	base       *glfile.File // in place of the defaults; nil: glfile.Default
	guidelines string
	flags      []*keyFlag
}

type keyFlag struct {
	key   glfile.Key
	typed []string
}

// Set implements pflag.Value. A wrong value is refused at once.
func (k *keyFlag) Set(text string) error {
	f := glfile.Default()
	k.typed = append(k.typed, text)
	return k.put(&f)
}

// put sets the key. A list may come in parts; of anything else the last counts.
func (k *keyFlag) put(f *glfile.File) error {
	text := k.typed[len(k.typed)-1]
	if k.key.Value == "LIST" {
		text = strings.Join(k.typed, ",")
	}
	return k.key.Set(f, text)
}

// String implements pflag.Value; the default is in the help already.
func (k *keyFlag) String() string { return "" }

// Type is what help shows behind the flag.
func (k *keyFlag) Type() string { return cmp.Or(k.key.Value, "bool") }

func (s *settings) keys(fs *pflag.FlagSet, names ...string) {
	base := s.defaults()
	for _, name := range names {
		k := &keyFlag{key: glfile.FlagKey(name)}
		s.flags = append(s.flags, k)
		f := fs.VarPF(k, name, "", k.key.Usage(base))
		if k.key.Value == "" {
			f.NoOptDefVal = "true"
		}
	}
}

// named adds a flag of a key that elsewhere has none, or whose flag is another key's.
func (s *settings) named(fs *pflag.FlagSet, flag, key, value string) {
	k := &keyFlag{key: glfile.NamedKey(key)}
	k.key.Flag, k.key.Value = flag, value
	s.flags = append(s.flags, k)
	fs.VarPF(k, flag, "", k.key.Usage(s.defaults()))
}

// means gives a flag of a key the text of a command for which the key's own is not true.
// The default is put behind it.
func (s *settings) means(fs *pflag.FlagSet, flag, text string) {
	f := fs.Lookup(flag)
	key := f.Value.(*keyFlag).key
	key.FlagText = text
	f.Usage = key.Usage(s.defaults())
}

func (s *settings) measuring(fs *pflag.FlagSet) {
	s.design(fs)
	s.keys(fs, "launch", "hostfile", "rank", "job-file", "thread-level", "under")
}

// file has the flag for the whole configuration, and says what holds without it.
func (s *settings) file(fs *pflag.FlagSet, without string) {
	fs.StringVar(&s.guidelines, "guidelines", "", "the configuration `FILE`, gl.toml (default: "+without+")")
}

// fileOrNone takes the configuration as the only argument, in place of --guidelines.
func (s *settings) fileOrNone(c *cobra.Command, args []string) error {
	if err := wants(0, 1, "one gl.toml, or none")(c, args); err != nil || len(args) == 0 {
		return err
	}
	if s.guidelines != "" {
		return usageError(c, fmt.Errorf("%s and --guidelines %s: give one of the two", args[0], s.guidelines))
	}
	if isFolder(args[0]) {
		return usageError(c, fmt.Errorf("%s is a folder, and a gl.toml is wanted", args[0]))
	}
	s.guidelines = args[0]
	return nil
}

// design has the flags that hold for both sides of `pgmpi ab`.
func (s *settings) design(fs *pflag.FlagSet) {
	s.keys(fs, "np", "shape", "mpiruns", "msizes", "seed", "stall", "sync", "clock", "clock-sync", "cache", "turns")
}

// predicting has the flags of stage 1.
func (s *settings) predicting(fs *pflag.FlagSet) {
	s.keys(fs, "nrep-metrics", "nrep-rse", "nrep-cov-mean", "nrep-cov-median", "nrep-min", "nrep-max")
}

func (s *settings) judging(fs *pflag.FlagSet) {
	s.keys(fs, "method", "test", "alpha", "adjust", "min-slowdown", "split-tolerance", "nb-tolerance")
}

// gate has the flags of what a check is held against.
func (s *settings) gate(fs *pflag.FlagSet) {
	s.keys(fs, "baseline", "nights", "expect", "confirm", "fail-on", "must-judge", "strict")
}

// apply puts the given flags over the file; a flag beats the file.
func (s *settings) apply(f *glfile.File) error {
	keys := map[string]string{}
	for _, k := range s.flags {
		if len(k.typed) == 0 {
			continue
		}
		keys[k.key.Name] = "--" + k.key.Flag
		if err := k.put(f); err != nil {
			return setupf("--%s: %w", k.key.Flag, err)
		}
	}
	if len(f.Job.Looks) > 0 && keys["job.mpiruns"] != "" {
		return setupf("--mpiruns: the last look is the number of mpiruns; end earlier with --max-mpiruns")
	}
	if err := f.Validate(keys); err != nil {
		return setup(err)
	}
	return nil
}

// given tells whether one of these keys comes from a flag.
func (s *settings) given(keys ...string) bool {
	return slices.ContainsFunc(s.flags, func(k *keyFlag) bool { return len(k.typed) > 0 && slices.Contains(keys, k.key.Name) })
}

// first is the first flag that was given; "": none was.
func (s *settings) first() string {
	if s.guidelines != "" {
		return "guidelines"
	}
	i := slices.IndexFunc(s.flags, func(k *keyFlag) bool { return len(k.typed) > 0 })
	if i < 0 {
		return ""
	}
	return s.flags[i].key.Flag
}

func (s *settings) defaults() *glfile.File {
	if s.base != nil {
		return s.base
	}
	f := glfile.Default()
	return &f
}

// load reads the configuration: the named file, else what the results folder of
// m was made with, else the defaults; and puts the flags over it.
func (s *settings) load(m *results.Manifest) (*glfile.File, error) {
	f, err := s.defaults(), error(nil)
	switch {
	case s.guidelines != "":
		f, err = glfile.Load(s.guidelines)
	case m != nil:
		f, err = reading.ConfigOf(m)
	}
	absent, names := errors.Is(err, fs.ErrNotExist), strings.Split(s.guidelines, ",")
	switch {
	case absent && len(guidelines.Config{Guidelines: names}.Validate(nil)) == 0: // what check.guidelines may hold
		return nil, setupf("%s is a guideline, and a file is wanted. Write into one, such as gl.toml:\n  [check]\n  guidelines = [%s]",
			s.guidelines, phrase.Join(", ", "%q", names))
	case absent:
		return nil, setupf("%w; `pgmpi init` writes one", err)
	case err != nil:
		return nil, setup(err)
	}
	if err := s.apply(f); err != nil {
		return nil, err
	}
	return f, experiment.Under(f)
}
