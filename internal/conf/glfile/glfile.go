package glfile

import (
	"bytes"
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

	"pgmpi/analyze/explore"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/series"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/tuning"
	"pgmpi/measure"
	"pgmpi/measure/batch"
	"pgmpi/measure/launch"
	"pgmpi/mockups"
	"pgmpi/nrep"
)

// File is gl.toml with all defaults applied. A driver sets what its flags
// give, then calls Validate.
type File struct {
	Check     guidelines.Config     `toml:"check" json:"check"`
	Job       measure.JobConfig     `toml:"job" json:"job"`
	MPI       measure.MPIConfig     `toml:"mpi" json:"mpi"`
	NREP      nrep.Config           `toml:"nrep" json:"nrep"`
	Measure   measure.Config        `toml:"measure" json:"measure"`
	Analyze   judge.Config          `toml:"analyze" json:"analyze"`
	Gate      series.GateConfig     `toml:"gate" json:"gate"`
	Explore   explore.ExploreConfig `toml:"explore" json:"explore"`
	Overlap   measure.OverlapConfig `toml:"overlap" json:"overlap"`
	Remedy    tuning.Config         `toml:"remedy" json:"remedy"`
	Batch     batch.Config          `toml:"batch" json:"-"` // an account is nothing for a manifest
	Guideline []guidelines.User     `toml:"guideline" json:"guideline,omitempty"`
	Mockup    []guidelines.Mockups  `toml:"mockup" json:"mockup,omitempty"`

	Name   string `toml:"-" json:"-"` // of the file, for messages; "": there is none
	Source string `toml:"-" json:"-"` // the text as read

	keys  keys
	flags map[string]string
}

// Default is what an empty gl.toml means.
func Default() File {
	return File{
		Check:   guidelines.Default(),
		Job:     measure.DefaultJob(),
		MPI:     measure.DefaultMPI(),
		NREP:    nrep.Default(),
		Measure: measure.Default(),
		Analyze: judge.Default(),
		Gate:    series.DefaultGate(),
		Explore: explore.DefaultExplore(),
		Overlap: measure.DefaultOverlap(),
		Remedy:  tuning.DefaultConfig(),
		Batch:   batch.Default(),
	}
}

// maxSource is the most bytes of a gl.toml.
const maxSource = 4 << 20

// Load reads a file; see Parse.
func Load(path string) (*File, error) {
	f, err := os.Open(path) // not only a regular file: it may come from a pipe
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
	for i := range file.Mockup {
		if m := &file.Mockup[i]; m.File != "" {
			if m.File, err = beside(path, m.File); err != nil {
				return nil, err
			}
		}
	}
	return file, nil
}

// beside is the absolute path of a file that another one names.
func beside(path, file string) (string, error) {
	if !filepath.IsAbs(file) {
		file = filepath.Join(filepath.Dir(path), file)
	}
	return filepath.Abs(file)
}

// Parse reads a gl.toml. Text that cannot be decoded (syntax, unknown keys,
// wrong types) is an error of type Errors, together with all wrong values.
// Where there are only wrong values they wait for Validate, because a flag may
// still replace them.
func Parse(name string, data []byte) (*File, error) {
	f := Default()
	data = withoutBOM(data)
	f.Name, f.Source = name, string(data)
	var sections map[string]any
	if _, err := toml.Decode(f.Source, &sections); err != nil {
		return nil, syntaxError(name, data, err)
	}
	var err error
	if f.keys, err = indexKeys(name, data); err != nil {
		return nil, err
	}
	var d decoder
	d.table(sections, reflect.ValueOf(&f).Elem(), "")
	if len(d.errs) == 0 {
		return &f, nil
	}
	// A key that could not be decoded has its default: no second error for it.
	wrong := slices.DeleteFunc(f.check(), func(e conf.FieldError) bool {
		return slices.ContainsFunc(d.errs, func(x conf.FieldError) bool { return related(x.Key, e.Key) })
	})
	return nil, f.located(append(d.errs, wrong...))
}

// withoutBOM leaves out the mark that editors on Windows put before a text.
func withoutBOM(data []byte) []byte { return bytes.TrimPrefix(data, []byte("\uFEFF")) }

// related tells whether one key is the other, or lies inside it.
func related(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return a == b || strings.HasPrefix(b, a) && strings.ContainsAny(b[len(a):len(a)+1], ".[")
}

func syntaxError(name string, data []byte, err error) error {
	var pe toml.ParseError
	if !errors.As(err, &pe) {
		return Errors{{File: name, Msg: err.Error()}}
	}
	return Errors{{name, positionAt(data, pe.Position.Start), strings.TrimPrefix(pe.Message, "toml: ")}}
}

// Validate returns an error of type Errors with everything that is wrong with
// the values. flags says which keys were set by a flag, such as
// {"job.np": "--np"}: their errors name the flag instead of a place.
func (f *File) Validate(flags map[string]string) error {
	f.flags = flags
	return f.located(f.check())
}

// Plan makes the Plan for the given numbers of processes, which may come from
// elsewhere than Job.NP, and the shapes. It expects a valid File.
func (f *File) Plan(np []int) (*guidelines.Plan, error) {
	if err := f.located(inSection("job.", f.Job.CheckRoot(np))); err != nil {
		return nil, err
	}
	p, err := guidelines.Build(guidelines.Settings{
		Check: f.Check, Users: f.Guideline, Msizes: f.Job.Msizes,
		Datatype: f.Job.Datatype, Op: f.Job.Op, Root: f.Job.Root, Shapes: f.Job.On(np),
	})
	if err != nil {
		return nil, Errors{{File: f.Name, Msg: err.Error()}}
	}
	return p, nil
}

// check asks every section.
func (f *File) check() []conf.FieldError {
	return slices.Concat(
		inSection("check.", f.Check.Validate(f.Guideline)),
		inSection("job.", f.Job.Validate()),
		inSection("mpi.", f.MPI.Validate()),
		inSection("nrep.", f.NREP.Validate()),
		inSection("measure.", f.Measure.Validate()),
		inSection("measure.", f.Measure.CheckTurns(f.NREP)),
		inSection("analyze.", f.Analyze.Validate()),
		inSection("gate.", f.Gate.Validate()),
		inSection("explore.", f.Explore.Validate()),
		inSection("overlap.", f.Overlap.Validate()),
		inSection("remedy.", f.Remedy.Validate()),
		f.forced(func(c string) bool {
			return slices.ContainsFunc(f.Guideline, func(u guidelines.User) bool { return u.Calls(c) })
		}),
		inSection("batch.", f.Batch.Validate()),
		inSection("guideline", guidelines.ValidateUsers(f.Guideline, guidelines.Extent(f.Job.Datatype))),
		inSection("guideline", guidelines.ValidateUses(f.Guideline, f.Mockup)),
		inSection("mockup", guidelines.ValidateMockups(f.Mockup)),
	)
}

// ExploresForced is the error that mpi.env forces an algorithm of a collective that is to
// be explored: it would be compared with itself.
func (f *File) ExploresForced() error {
	return f.located(f.forced(func(c string) bool {
		return f.Explore.Names(c) && (len(f.Check.Functions) == 0 || slices.Contains(f.Check.Functions, c))
	}))
}

// forced are the variables of mpi.env that force an algorithm of certain collectives.
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

// located gives errors their place, or their flag.
func (f *File) located(errs []conf.FieldError) error {
	var out Errors
	for _, e := range errs {
		if flag, ok := f.flags[index.ReplaceAllString(e.Key, "")]; ok {
			out = append(out, Error{Msg: fmt.Sprintf("%s: %s", flag, e.Msg)})
			continue
		}
		msg := e.Msg
		if !strings.HasPrefix(msg, "unknown ") { // those name what they are about
			msg = index.ReplaceAllString(e.Key, "") + ": " + msg
		}
		out = append(out, Error{f.Name, f.keys.find(e.Key), msg})
	}
	if len(out) == 0 {
		return nil // not an empty Errors, which would be an error
	}
	slices.SortStableFunc(out, func(a, b Error) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
	})
	return out
}
