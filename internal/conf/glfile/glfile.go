package glfile

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"pgmpi/analyze/judge"
	"pgmpi/analyze/series"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/measure"
	"pgmpi/measure/batch"
	"pgmpi/measure/launch"
	"pgmpi/mockups"
	"pgmpi/nrep"
)

// File holds gl.toml with all defaults applied. A driver sets the values of its flags, then calls Validate.
type File struct {
	Check     guidelines.Config    `toml:"check" json:"check"`
	Job       measure.JobConfig    `toml:"job" json:"job"`
	MPI       measure.MPIConfig    `toml:"mpi" json:"mpi"`
	NREP      nrep.Config          `toml:"nrep" json:"nrep"`
	Measure   measure.Config       `toml:"measure" json:"measure"`
	Analyze   judge.Config         `toml:"analyze" json:"analyze"`
	Gate      series.GateConfig    `toml:"gate" json:"gate"`
	Batch     batch.Config         `toml:"batch" json:"-"` // a manifest has no use for an account
	Guideline []guidelines.User    `toml:"guideline" json:"guideline,omitempty"`
	Mockup    []guidelines.Mockups `toml:"mockup" json:"mockup,omitempty"`

	Name   string `toml:"-" json:"-"` // of the file, if any, for messages
	Source string `toml:"-" json:"-"` // the text as read

	keys  keys
	flags map[string]string
	// sections holds the values of each feature's section. Where the feature is not there, it holds the section's
	// JSON. A change replaces the map, since copies of a File share it.
	sections map[string]any
}

func Default() File {
	sections := map[string]any{}
	for _, s := range registered {
		sections[s.Title()] = s.New()
	}
	return File{
		sections: sections,

		Check:   guidelines.Default(),
		Job:     measure.DefaultJob(),
		MPI:     measure.DefaultMPI(),
		NREP:    nrep.Default(),
		Measure: measure.Default(),
		Analyze: judge.Default(),
		Gate:    series.DefaultGate(),
		Batch:   batch.Default(),
	}
}

const maxSource = 4 << 20

func Load(path string) (*File, error) {
	f, err := os.Open(path) // may be a pipe, not only a regular file
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSource+1))
	switch {
	case err != nil:
		return nil, err
	case len(data) > maxSource:
		return nil, fmt.Errorf("%s has more than %d bytes: it is no gl.toml", path, maxSource)
	}
	file, err := Parse(path, data)
	if err != nil {
		return nil, err
	}
	named := []*string{&file.Batch.Template}
	for i := range file.Mockup {
		named = append(named, &file.Mockup[i].File)
	}
	for _, other := range named { // they lie beside the file
		if *other == "" {
			continue
		}
		if !filepath.IsAbs(*other) {
			*other = filepath.Join(filepath.Dir(path), *other)
		}
		if *other, err = filepath.Abs(*other); err != nil {
			return nil, err
		}
	}
	return file, nil
}

// Parse reads a gl.toml. Text that cannot be decoded (syntax, unknown keys,
// wrong types) is an error of type Errors, together with all wrong values.
// Wrong values alone wait for Validate, because a flag may still replace them.
func Parse(name string, data []byte) (*File, error) {
	f := Default()
	f.Name = name
	errs, err := f.decode(data, &f)
	switch {
	case err != nil:
		return nil, err
	case len(errs) == 0:
		return &f, nil
	}
	return nil, f.located(beside(errs, f.check()))
}

// decode reads a text into a struct, and returns the keys that it could not decode. An error is about the syntax.
func (f *File) decode(data []byte, into any) ([]conf.FieldError, error) {
	f.Source = strings.TrimPrefix(string(data), "\uFEFF") // editors on Windows put it before a text
	var sections map[string]any
	if _, err := toml.Decode(f.Source, &sections); err != nil {
		var pe toml.ParseError
		if !errors.As(err, &pe) {
			return nil, Errors{{File: f.Name, Msg: err.Error()}}
		}
		return nil, Errors{{File: f.Name, position: positionAt(f.Source, pe.Position.Start), Msg: strings.TrimPrefix(pe.Message, "toml: ")}}
	}
	f.keys = indexKeys(f.Source)
	var d decoder
	d.table(sections, reflect.ValueOf(into).Elem(), "")
	return d.errs, nil
}

// beside adds wrong values to the keys that could not be decoded. Such a key has its default, and gets no second
// error for it.
func beside(errs, wrong []conf.FieldError) []conf.FieldError {
	return append(errs, slices.DeleteFunc(wrong, func(e conf.FieldError) bool {
		return slices.ContainsFunc(errs, func(x conf.FieldError) bool { return related(x.Key, e.Key) })
	})...)
}

func related(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return a == b || strings.HasPrefix(b, a) && strings.ContainsAny(b[len(a):len(a)+1], ".[")
}

// Validate returns an error of type Errors with everything that is wrong with the values. flags maps the keys that
// a flag has set to that flag, such as {"job.np": "--np"}: their errors name the flag instead of a place.
func (f *File) Validate(flags map[string]string) error {
	f.flags = flags
	return f.located(f.check())
}

func (f *File) Plan(np []int) (*guidelines.Plan, error) {
	if err := f.located(inSection("check.", f.Check.CheckSelects(f.Guideline))); err != nil {
		return nil, err
	}
	return f.planned(np, guidelines.Build)
}

// CasesOnly plans cases without tests: functions at sizes in bytes, or at the sizes of job.msizes if none is given.
func (f *File) CasesOnly(np []int, functions []string, sizes ...int64) (*guidelines.Plan, error) {
	return f.planned(np, func(s guidelines.Settings) (p *guidelines.Plan, err error) {
		if len(sizes) == 0 {
			sizes, _, err = guidelines.FitMsizes(s.Msizes, guidelines.Extent(s.Datatype, ""))
		}
		if err != nil {
			return nil, err
		}
		return guidelines.CasesOnly(s, functions, sizes)
	})
}

func (f *File) planned(np []int, build func(guidelines.Settings) (*guidelines.Plan, error)) (*guidelines.Plan, error) {
	if err := f.located(inSection("job.", f.Job.CheckRoot(np))); err != nil {
		return nil, err
	}
	p, err := build(guidelines.Settings{
		Check: f.Check, Users: f.Guideline, Msizes: f.Job.Msizes,
		Datatype: f.Job.Datatype, Op: f.Job.Op, Root: f.Job.Root, Shapes: f.Job.On(np),
	})
	if err != nil {
		return nil, Errors{{File: f.Name, Msg: err.Error()}}
	}
	return p, nil
}

func (f *File) canonical() {
	for i, name := range f.Check.Functions {
		f.Check.Functions[i] = mockups.Canonical(name)
	}
	for _, selectors := range [][]string{f.Check.Guidelines, f.Check.Exclude} {
		for i, s := range selectors {
			if id, function, ok := strings.Cut(s, ":"); ok {
				selectors[i] = id + ":" + mockups.Canonical(function)
			}
		}
	}
	for i := range f.Guideline {
		u := &f.Guideline[i]
		u.Monotony, u.Split = mockups.Canonical(u.Monotony), mockups.Canonical(u.Split)
		if p := u.Pattern; p != nil {
			p.Function, p.Mockup = mockups.Canonical(p.Function), mockups.Canonical(p.Mockup)
		}
	}
}

func (f *File) check() []conf.FieldError {
	f.canonical()
	return slices.Concat(
		inSection("check.", f.Check.Validate(f.Guideline)),
		inSection("job.", f.Job.Validate()),
		inSection("mpi.", f.MPI.Validate()),
		inSection("nrep.", f.NREP.Validate()),
		inSection("measure.", f.Measure.Validate()),
		inSection("measure.", f.Measure.CheckTurns(f.NREP)),
		inSection("analyze.", f.Analyze.Validate()),
		inSection("gate.", f.Gate.Validate()),
		f.checkSections(),
		f.forced(func(c string) bool {
			return slices.ContainsFunc(f.Guideline, func(u guidelines.User) bool { return u.Calls(c) })
		}),
		inSection("batch.", f.Batch.Validate()),
		inSection("guideline", guidelines.ValidateUsers(f.Guideline, guidelines.Extent(f.Job.Datatype, ""))),
		inSection("guideline", guidelines.ValidateUses(f.Guideline, f.Mockup)),
		inSection("mockup", guidelines.ValidateMockups(f.Mockup)),
	)
}

// Forced returns an error if mpi.env forces an algorithm of one of these collectives. A comparison of algorithms
// would compare that algorithm with itself.
func (f *File) Forced(of func(collective string) bool) error { return f.located(f.forced(of)) }

// forced returns an error for each such variable of mpi.env.
func (f *File) forced(of func(collective string) bool) (errs []conf.FieldError) {
	for _, name := range slices.Sorted(maps.Keys(f.MPI.Env)) {
		for _, c := range mockups.Collectives() {
			if launch.Forces(name, c) && of(c) {
				errs = append(errs, conf.FieldError{Key: "mpi.env." + name, Msg: fmt.Sprintf(
					"it forces an algorithm of %s, whose own algorithms are compared here: leave it out", c)})
			}
		}
	}
	return errs
}

func inSection(prefix string, errs []conf.FieldError) []conf.FieldError {
	for i := range errs {
		errs[i].Key = prefix + errs[i].Key
	}
	return errs
}

var index = regexp.MustCompile(`\[\d+\]`)

func (f *File) located(errs []conf.FieldError) error {
	var out Errors
	for _, e := range errs {
		if flag, ok := f.flags[index.ReplaceAllString(e.Key, "")]; ok {
			out = append(out, Error{Msg: fmt.Sprintf("%s: %s", flag, e.Msg), at: -1})
			continue
		}
		msg := e.Msg
		if !strings.HasPrefix(msg, "unknown ") { // a message about an unknown name names it
			msg = index.ReplaceAllString(e.Key, "") + ": " + msg
		}
		out = append(out, Error{File: f.Name, Msg: msg, at: f.keys.find(e.Key)})
	}
	if len(out) == 0 {
		return nil // not an empty Errors, which would be an error
	}
	slices.SortStableFunc(out, func(a, b Error) int { return cmp.Compare(a.at, b.at) })
	for i := range out[:min(len(out), mostErrors)] { // the others are counted, since a file may be long
		if out[i].at >= 0 {
			out[i].position = positionAt(f.Source, out[i].at)
		}
	}
	return out
}
