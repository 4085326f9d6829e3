// Package settings reads gl.toml and the flags that stand for its keys: a flag overrides the file.
//
// Flags are declared here, on the flag set of a command; a validated configuration comes out. What a key means, its
// default and its limits belong to internal/conf/glfile.
package settings

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"pgmpi/analyze"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/document"
	"pgmpi/internal/experiment"
	"pgmpi/internal/fail"
	"pgmpi/internal/manual"
	"pgmpi/internal/phrase"
	"pgmpi/internal/reading"
	"pgmpi/measure/launch"
	"pgmpi/measure/results"
)

type Settings struct {
	Base    *glfile.File // holds where no file is named; glfile.Default if nil
	File    string       // its path; may be ""
	Note    string       // says, after Load, which calls are left by Narrows
	flags   []*flag
	narrows []*narrowed
	usual   *glfile.File // has the defaults for help
}

type flag struct {
	key   glfile.Key
	typed []string
}

// Set implements pflag.Value. A wrong value is refused at once.
func (k *flag) Set(text string) error {
	f := glfile.Default()
	k.typed = append(k.typed, text)
	return k.put(&f)
}

// put sets the key. A list may come in parts; of anything else the last counts.
func (k *flag) put(f *glfile.File) error {
	text := k.typed[len(k.typed)-1]
	if k.key.Value == "LIST" {
		text = strings.Join(k.typed, ",")
	}
	return k.key.Set(f, text)
}

// String implements pflag.Value; the default is in the help already.
func (k *flag) String() string { return "" }

// Type names the flag's value in help.
func (k *flag) Type() string { return cmp.Or(k.key.Value, "bool") }

func KeyOf(f *pflag.Flag) (glfile.Key, bool) {
	k, ok := f.Value.(*flag)
	if !ok {
		return glfile.Key{}, false
	}
	return k.key, true
}

// Keys declares the flags of keys, by the names that most commands have for them.
func (s *Settings) Keys(fs *pflag.FlagSet, names ...string) {
	for _, name := range names {
		s.add(fs, glfile.FlagKey(name))
	}
}

// Named declares a flag for a key under a name of the command. Elsewhere the key has no flag, or the name belongs
// to another key.
func (s *Settings) Named(fs *pflag.FlagSet, name, of, value string) {
	key := glfile.NamedKey(of)
	key.Flag, key.Value = name, value
	s.add(fs, key)
}

func (s *Settings) add(fs *pflag.FlagSet, key glfile.Key) {
	k := &flag{key: key}
	s.flags = append(s.flags, k)
	f := fs.VarPF(k, key.Flag, "", s.usage(key))
	if key.Value == "" {
		f.NoOptDefVal = "true"
	}
	section, _, _ := strings.Cut(key.Name, ".")
	manual.Under(f, section)
	if key.Names != nil {
		manual.Offer(f, key.Names)
	}
}

func (s *Settings) usage(key glfile.Key) string {
	if s.usual == nil {
		s.usual = s.defaults()
	}
	return key.Usage(s.usual)
}

// Means words the flag of a key for a command that the key's own text does not fit. The default follows the text.
func (s *Settings) Means(fs *pflag.FlagSet, name, text string) {
	f := fs.Lookup(name)
	key, _ := KeyOf(f)
	key.FlagText = text
	f.Usage = s.usage(key)
}

func (s *Settings) FileFlag(fs *pflag.FlagSet, usage string) {
	fs.StringVar(&s.File, "guidelines", "", usage)
	manual.Under(fs.Lookup("guidelines"), "check")
}

// Design declares the flags that hold for both sides of `pgmpi ab`.
func (s *Settings) Design(fs *pflag.FlagSet) {
	s.Keys(fs, "np", "shape", "mpiruns", "msizes", "seed", "stall", "sync", "clock", "clock-sync", "cache", "turns")
}

func (s *Settings) Measuring(fs *pflag.FlagSet) {
	s.Design(fs)
	s.Keys(fs, "launch", "hostfile", "rank", "job-file", "thread-level", "under")
}

// Selecting declares the flags that choose among guidelines.
func (s *Settings) Selecting(fs *pflag.FlagSet) { s.Keys(fs, "only", "except", "functions") }

func (s *Settings) Predicting(fs *pflag.FlagSet) {
	s.Keys(fs, "nrep-metrics", "nrep-rse", "nrep-cov-mean", "nrep-cov-median", "nrep-min", "nrep-max", "nrep-step")
}

func (s *Settings) Judging(fs *pflag.FlagSet) {
	s.Keys(fs, "method", "test", "alpha", "adjust", "min-slowdown", "split-tolerance", "nb-tolerance")
}

func (s *Settings) Gate(fs *pflag.FlagSet) {
	s.Keys(fs, "baseline", "nights", "expect", "confirm", "fail-on", "must-judge", "strict")
}

// Take adds the flags of another command that were given and set keys.
func (s *Settings) Take(fs *pflag.FlagSet) {
	fs.Visit(func(f *pflag.Flag) {
		if k, ok := f.Value.(*flag); ok {
			s.flags = append(s.flags, k)
		}
	})
}

// Without returns the settings as if the flag of a key were not given.
func (s Settings) Without(key string) *Settings {
	s.flags = slices.DeleteFunc(slices.Clone(s.flags), func(k *flag) bool { return k.key.Name == key })
	return &s
}

// Library sets mpi.library to a folder, and mpi.rank to a rank program for it. Where there is none, it builds one
// at rank.
func (s *Settings) Library(ctx context.Context, prefix, rank string) error {
	config, err := s.Load(nil)
	if err != nil {
		return err
	}
	if prefix, err = filepath.Abs(prefix); err == nil {
		rank, err = launch.RankFor(ctx, prefix, config.MPI.Rank, rank)
	}
	if err != nil {
		return fail.AsSetup(err)
	}
	s.flags = slices.Clone(s.flags)
	for _, set := range [][2]string{{"mpi.library", prefix}, {"mpi.rank", rank}} {
		k := glfile.NamedKey(set[0])
		k.Flag = "library"
		s.flags = append(s.flags, &flag{key: k, typed: []string{set[1]}})
	}
	return nil
}

// apply puts the given flags over the file's values.
func (s *Settings) apply(f *glfile.File) error {
	keys := map[string]string{}
	for _, k := range s.flags {
		if len(k.typed) == 0 {
			continue
		}
		keys[k.key.Name] = "--" + k.key.Flag
		if err := k.put(f); err != nil {
			return fail.Setupf("--%s: %w", k.key.Flag, err)
		}
	}
	if len(f.Job.Looks) > 0 && keys["job.mpiruns"] != "" {
		return fail.Setupf("--mpiruns: the last look is the number of mpiruns; end earlier with --max-mpiruns")
	}
	if err := f.Validate(keys); err != nil {
		return fail.AsSetup(err)
	}
	return nil
}

func (s *Settings) Given(keys ...string) bool {
	return slices.ContainsFunc(s.flags, func(k *flag) bool { return len(k.typed) > 0 && slices.Contains(keys, k.key.Name) })
}

func (s *Settings) First() string {
	if s.File != "" {
		return "guidelines"
	}
	for _, k := range s.flags {
		if len(k.typed) > 0 {
			return k.key.Flag
		}
	}
	return ""
}

func (s *Settings) defaults() *glfile.File {
	if s.Base != nil {
		return s.Base
	}
	f := glfile.Default()
	return &f
}

// Load reads the named file, or the configuration of a results folder, or the defaults. m is the folder's manifest,
// or nil. The flags override all of these.
func (s *Settings) Load(m *results.Manifest) (*glfile.File, error) {
	f, err := s.defaults(), error(nil)
	switch {
	case s.File != "":
		f, err = glfile.Load(s.File)
	case m != nil:
		f, err = reading.ConfigOf(m)
	}
	if err != nil {
		return nil, unread(s.File, err)
	}
	if err := s.narrow(f, false); err != nil {
		return nil, err
	}
	if err := s.apply(f); err != nil {
		return nil, err
	}
	if err := s.narrow(f, true); err != nil {
		return nil, err
	}
	return f, experiment.Under(f)
}

// unread adds to the error of a file that could not be read what was probably meant by its name.
func unread(name string, err error) error {
	folder := IsFolder(name)
	_, notNumber := conf.ParseSize(name)
	names := strings.Split(name, ",")
	switch absent := errors.Is(err, fs.ErrNotExist); {
	case folder:
		return fail.Setupf("%s is a folder, and a file such as gl.toml is wanted here", name)
	case !absent:
		return fail.AsSetup(err)
	case len(guidelines.Config{Guidelines: names}.Validate(nil)) == 0: // check.guidelines may hold this
		return fail.AsSetup(fail.Above(fmt.Errorf("%s is a guideline, and a file is wanted. Write into one, such as gl.toml", name),
			"[check]", "guidelines = ["+phrase.Join(", ", "%q", names)+"]"))
	case notNumber == nil:
		return fail.Setupf("%s is a number, and a file such as gl.toml is wanted here: commas separate the values of a flag, as in --msizes 8,1Ki", name)
	}
	return fail.Setupf("there is no file or folder %s: `pgmpi init` writes a gl.toml", name)
}

func IsFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// Narrow describes a flag whose value limits a check to some calls.
type Narrow struct {
	Flag, Usage string
	Needed      bool // help shows it among the few flags that are needed most
	// Last lets it choose from what all other flags have left; without it the other flags override what it sets.
	Last bool
	// Do sets which calls are checked. The note says how many there are.
	Do func(value string, f *glfile.File) (note string, err error)
	// After says more of these calls by what the check found; may be nil.
	After func(value string, r *analyze.Report) (*document.Document, error)
}

type narrowed struct {
	Narrow
	value string // "" if it is not given
}

// Narrows declares flags whose values limit a check to some calls.
func (s *Settings) Narrows(fs *pflag.FlagSet, by ...Narrow) {
	for _, n := range by {
		given := &narrowed{Narrow: n}
		s.narrows = append(s.narrows, given)
		fs.StringVar(&given.value, n.Flag, "", n.Usage)
		manual.Under(fs.Lookup(n.Flag), "check")
		if n.Needed {
			manual.Need(fs.Lookup(n.Flag))
		}
	}
}

// After returns documents that follow the answer of a check.
func (s *Settings) After(r *analyze.Report) (all []*document.Document, err error) {
	for _, n := range s.narrows {
		if n.value == "" || n.After == nil {
			continue
		}
		d, err := n.After(n.value, r)
		if err != nil {
			return all, fail.AsSetup(err)
		}
		all = append(all, d)
	}
	return all, nil
}

func (s *Settings) narrow(f *glfile.File, last bool) (err error) {
	for _, n := range s.narrows {
		if n.value == "" || n.Last != last {
			continue
		}
		if s.Note, err = n.Do(n.value, f); err != nil {
			return fail.AsSetup(err)
		}
	}
	return nil
}
