package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"pgmpi/guidelines"
	"pgmpi/internal/conf/glfile"
	"pgmpi/measure/results"
)

// settings are the flags that stand for keys of gl.toml, and where they go.
type settings struct {
	base       *glfile.File // in place of the defaults; nil: glfile.Default
	guidelines string
	flags      []*keyFlag
}

// keyFlag is a flag of glfile.Keys, with what was typed.
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

// keys adds flags of glfile.Keys.
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

func (s *settings) measuring(fs *pflag.FlagSet) {
	s.file(fs)
	s.design(fs)
	s.keys(fs, "launch", "rank", "job-file")
}

// file has the flag for the whole configuration.
func (s *settings) file(fs *pflag.FlagSet) {
	fs.StringVar(&s.guidelines, "guidelines", "", "the configuration `FILE`, gl.toml; without it the embedded catalogue GL1–GL17 and the defaults")
}

// design has the flags that hold for both sides of `pgmpi ab`.
func (s *settings) design(fs *pflag.FlagSet) {
	s.keys(fs, "np", "mpiruns", "msizes", "seed", "stall", "sync", "clock", "clock-sync", "cache")
}

// ending are the flags that say when a check is over.
func (s *settings) ending(fs *pflag.FlagSet) {
	s.keys(fs, "looks", "max-mpiruns", "max-time", "no-split-experiment")
}

func (s *settings) judging(fs *pflag.FlagSet) {
	s.keys(fs, "method", "test", "alpha", "adjust", "min-slowdown", "split-tolerance")
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
		return setupf("--mpiruns: the last interim look is the number of mpiruns; end earlier with --max-mpiruns")
	}
	if err := f.Validate(keys); err != nil {
		return setup(err)
	}
	return nil
}

func (s *settings) defaults() *glfile.File {
	if s.base != nil {
		return s.base
	}
	f := glfile.Default()
	return &f
}

// load reads the configuration: the named file, that of the results folder
// which is resumed, or the defaults.
func (s *settings) load(m *results.Manifest) (*glfile.File, error) {
	f, err := s.defaults(), error(nil)
	switch {
	case s.guidelines != "":
		f, err = s.read()
	case m != nil:
		f, err = configOf(m)
	}
	if err != nil {
		return nil, err
	}
	return f, s.apply(f)
}

// read reads the named file.
func (s *settings) read() (*glfile.File, error) {
	f, err := glfile.Load(s.guidelines)
	if errors.Is(err, fs.ErrNotExist) && isSelector(s.guidelines) {
		return nil, setupf("--guidelines: %s is a guideline, and a file is wanted. Write into one, such as gl.toml:\n  [check]\n  guidelines = [%s]",
			s.guidelines, quoteAll(strings.Split(s.guidelines, ",")))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, setupf("%w; `pgmpi init` writes one", err)
	}
	if err != nil {
		return nil, setup(err)
	}
	return f, nil
}

// isSelector tells whether a comma list is what check.guidelines may hold.
func isSelector(list string) bool {
	return len(guidelines.Config{Guidelines: strings.Split(list, ",")}.Validate(nil)) == 0
}

// configOf is the configuration that a results folder was made with.
func configOf(m *results.Manifest) (*glfile.File, error) {
	f := glfile.Default()
	if err := json.Unmarshal(m.Config, &f); err != nil {
		return nil, setupf("manifest.json: config: %w", err)
	}
	f.Source = m.TOML
	return &f, nil
}

// sameMeasurement refuses to go on in a folder with another configuration;
// only [analyze] may change.
func sameMeasurement(before, now *glfile.File, folder string) error {
	a, errA := json.Marshal(measured(before))
	b, errB := json.Marshal(measured(now))
	if err := errors.Join(errA, errB); err != nil {
		return err
	}
	differ, err := differences("", a, b)
	if err != nil || len(differ) == 0 {
		return err
	}
	return setupf("%s was measured with another configuration:\n  %s\n  take a new folder with --out, or the old settings (without --guidelines, --resume uses those of the folder)", folder, strings.Join(differ, "\n  "))
}

// measured are the sections that the data depend on. Of [mpi] the path of the
// rank program is left out, whose hash is compared, and the way of the job to
// rank 0. Guidelines have their names in place of numbers.
func measured(f *glfile.File) map[string]any {
	mpi, own := f.MPI, map[string]guidelines.User{}
	mpi.Rank, mpi.JobFile = "", false
	for _, u := range f.Guideline {
		own[u.ID] = u
	}
	return map[string]any{"check": f.Check, "guideline": own, "job": f.Job, "mpi": mpi, "nrep": f.NREP, "measure": f.Measure}
}

// differences has a line for every key whose value is not the same in two JSON
// texts. The keys are those of gl.toml, with dots between tables.
func differences(key string, there, now json.RawMessage) ([]string, error) {
	if bytes.Equal(there, now) {
		return nil, nil
	}
	if !bytes.HasPrefix(there, []byte("{")) || !bytes.HasPrefix(now, []byte("{")) {
		return []string{fmt.Sprintf("%s: %s there, %s now", key, orNothing(there), orNothing(now))}, nil
	}
	var a, b map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal(there, &a), json.Unmarshal(now, &b)); err != nil {
		return nil, err
	}
	all := maps.Clone(b)
	maps.Copy(all, a)
	var out []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		d, err := differences(strings.TrimPrefix(key+"."+name, "."), a[name], b[name])
		if err != nil {
			return nil, err
		}
		out = append(out, d...)
	}
	return out, nil
}

// orNothing stands for a key that is not there, such as a variable of mpi.env.
func orNothing(value json.RawMessage) string {
	if value == nil {
		return "nothing"
	}
	return string(value)
}
