package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"pgmpi/analyze/report"
	"pgmpi/analyze/report/check"
	"pgmpi/analyze/selector"
	"pgmpi/internal/conf"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/document"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/fail"
	"pgmpi/internal/phrase"
	"pgmpi/internal/reading"
	"pgmpi/internal/settings"
	"pgmpi/measure/results"
)

// Begin makes the campaign of an experiment by the flags. It writes nothing, and starts an mpirun only for an
// experiment that has to ask the library.
func (o *Output) Begin(ctx context.Context, x *run.Experiment, s *settings.Settings) (*run.Campaign, error) {
	if err := o.FolderOr(x.NewFolder()); err != nil {
		return nil, err
	}
	before, err := run.Before(x, o.Out, o.Resume)
	if err != nil {
		return nil, err
	}
	config, err := s.Load(before)
	if err != nil {
		return nil, err
	}
	if err := o.Dry.check(); err != nil {
		return nil, err
	}
	if s.Note != "" {
		o.Note("checks " + s.Note)
	}
	if before != nil && !o.Dry.Wanted && s.File == "" {
		if err := run.MayStart(o.Out, before, config, s.Given); err != nil {
			return nil, err
		}
	}
	o.Progress = cmp.Or(o.Progress, o.NewProgress(o.Quiet))
	c, err := run.New(ctx, x, config, run.Options{Path: o.Out, Before: before, Version: o.Version, Line: os.Args, Label: o.label,
		Tell: o.Progress.Tell, Dry: o.Dry.Wanted, LaunchTime: max(0, o.Dry.LaunchTime)})
	if err != nil {
		return nil, err
	}
	if o.Dry.LaunchTime == timed {
		if err := c.TimeLaunch(ctx); err != nil {
			return nil, err
		}
	}
	return c, c.Ready()
}

func (o *Output) Measure(ctx context.Context, x *run.Experiment, s *settings.Settings) error {
	if o.Dry.Wanted && len(o.explain) > 0 {
		return fail.Setupf("--explain shows what verdicts rest on, and a dry run has none; `pgmpi analyze DIR --explain` shows it of a results folder")
	}
	if err := MayExplain(o.explain, o.Formats); err != nil {
		return err
	}
	c, err := o.Begin(ctx, x, s)
	if err != nil {
		return err
	}
	explained, err := reading.Selected(&c.Manifest.Plan, o.explain)
	switch {
	case err != nil:
		return err
	case o.Dry.Wanted:
		return o.plan(c)
	}
	if err := c.Refusal(); err != nil {
		return err
	}
	if err := c.Open(); err != nil {
		return err
	}
	defer c.Close()
	found, err := c.Do(ctx)
	o.Progress.Clear()
	switch {
	case err != nil:
		return o.GoOnWith(err, c.Path)
	case found == nil: // a stage alone
		o.Warn("results: %s\n", c.Path)
		return c.WrongData()
	}
	if found.Judgement != nil {
		more, err := s.After(found.Judgement.Report)
		for _, d := range more {
			found.Follow(d)
		}
		if err != nil {
			o.Note("note: " + err.Error())
		}
	}
	return o.answer(c, found, c.Folder(), explained, true)
}

// plan shows a dry run. If R is too small, it ends with exit code 4, as the measurement would.
func (o *Output) plan(c *run.Campaign) error {
	p, err := c.Estimate()
	if err != nil {
		return err
	}
	format := ""
	if o.Formats != nil { // nrep and measure have no --format
		format = o.Formats.beside().Name
	}
	if err := o.Print(report.Plans.Document(p), Usually(report.Plans, format)); err != nil {
		return err
	}
	if refused := (*fail.Refused)(nil); errors.As(c.Refusal(), &refused) {
		return refused
	}
	return nil
}

// Again judges a results folder of one of these experiments. The answer goes into the folder of --out; without
// --out it goes into the results folder, if keep is set and the settings are the folder's own.
func (o *Output) Again(path string, keep bool, s *settings.Settings, of ...*run.Experiment) error {
	if o.Resume || o.Dry.Wanted {
		return fail.Setupf("%s is shown again, and nothing is measured: leave out --resume and --dry-run", path)
	}
	var kinds []results.Kind
	for _, x := range of {
		kinds = append(kinds, x.Judges()...)
	}
	folder, m, err := reading.Open(path, kinds...)
	if err != nil {
		return err
	}
	x := of[slices.IndexFunc(of, func(x *run.Experiment) bool { return slices.Contains(x.Judges(), m.Kind) })]
	if gate := s.Given("gate.baseline", "gate.expect"); x.Begin == nil && (len(o.explain) > 0 || gate) {
		return fail.Setupf("%s is a folder of %s: --explain, --baseline and --expect are for checks", path, x.Kind.Command())
	}
	config, err := s.Load(m)
	if err != nil {
		return err
	}
	if err := o.Formats.As(x.Answer); err != nil {
		return err
	}
	explained, err := reading.Selected(&m.Plan, o.explain)
	if err != nil {
		return err
	}
	if done, err := o.whyKept(x, folder, m, config, explained); done || err != nil {
		return err
	}
	var into *results.Folder
	switch {
	case o.Out != "":
		if into, err = FolderFor(o.Out); err != nil {
			return err
		}
	case keep && !reading.OnlyLooks(folder, m, config):
		into = folder
	}
	c := run.Read(x, folder, m, config)
	c.Notes = o.Notes
	if err := c.Ready(); err != nil && !s.Given("gate.baseline", "gate.expect") {
		return fail.Also(err, "the folder was checked against that; --baseline '' --expect '' judges it without")
	} else if err != nil {
		return err
	}
	found, err := c.Found()
	if err != nil {
		return err
	}
	if keep && into == nil {
		o.Note(fmt.Sprintf("note: the report in %s stays, since it was made with other settings; --out DIR has this one written", path))
	}
	return o.answer(c, found, into, explained, false)
}

// answer stores a document in into, unless nil, and in the files of --format. It prints the explanations instead of
// the first format, if there are any; with tables it prints both. The command ends as the answer says.
func (o *Output) answer(c *run.Campaign, found *run.Found, into *results.Folder, selections []selector.Selection, tables bool) error {
	d, explained := found.Document, found.Judgement.Chosen(selections, o.Warn)
	why, err := o.explanations(found.Judgement, explained, c.Path)
	d.MadeBy(c.Manifest.Command)
	stored := ""
	// An answer that cannot be stored is printed all the same.
	instead := why
	if tables {
		instead = nil
	}
	unwritten := o.Formats.deliver(d, instead...)
	if into != nil {
		stored = into.Path
		unwritten = errors.Join(reading.Keep(into, d, o.Formats.stored()), unwritten)
		if found.Judgement != nil {
			unwritten = errors.Join(unwritten, reading.StoreMedians(into, found.Judgement.Analysis))
		}
	}
	if len(selections) == 0 || tables {
		err = cmp.Or(o.Formats.Print(d, stored), err)
		if len(explained) > 0 {
			fmt.Fprintln(o.Stdout)
		}
	}
	if err == nil {
		err = o.sayWhy(why)
	}
	switch {
	case err != nil && stored == "":
		return fmt.Errorf("standard output: %w", err)
	case err != nil:
		return fmt.Errorf("standard output: %w; the report is in %s", err, stored)
	case c.Path == stored && (errors.Is(unwritten, fs.ErrPermission) || errors.Is(unwritten, syscall.EROFS)):
		o.Note(fmt.Sprintf("note: %s may not be written, so the report is not stored; --out DIR has it written elsewhere", stored))
	case unwritten != nil:
		return fail.Also(fmt.Errorf("the report is not stored: %w", unwritten),
			fmt.Sprintf("%sgo on with: %s; --out has it written elsewhere", afterRemedy(unwritten), c.Kind.Shown(conf.Quote(c.Path))))
	}
	all := o.Line
	if tables || stored == c.Path { // by the settings of the folder
		all = strings.Replace(c.Kind.Shown(conf.Folder(c.Path)), "CASE", o.Of, 1)
	}
	o.End(d, d.Exit, all, c.Path, stored)
	return d.Exit
}

// GoOnWith adds to a measurement's error the command line that goes on in its folder.
func (o *Output) GoOnWith(err error, folder string) error {
	switch {
	case fail.Is[*fail.Interrupted](err):
		return fail.Above(fmt.Errorf("%w; finished mpiruns are kept. Go on with", err), resumeLine(os.Args, folder, o.resumes))
	case fail.Is[*fail.Failed](err):
		return fail.Also(err, afterRemedy(err)+"go on with: "+resumeLine(os.Args, folder, o.resumes))
	}
	return err
}

func afterRemedy(err error) string {
	remedy := fail.Remedy(err)
	return remedy + phrase.When(remedy != "", ", then ")
}

func without(argv []string, flags ...string) (args []string) {
	for i := 0; i < len(argv); i++ {
		name, _, joined := strings.Cut(argv[i], "=")
		switch {
		case !slices.Contains(flags, name):
			args = append(args, conf.Quote(argv[i]))
		case !joined:
			i++
		}
	}
	return args
}

func resumeLine(argv []string, folder string, resumes bool) string {
	args := append(without(argv, "--out"), "--out", conf.Quote(folder))
	args = slices.DeleteFunc(args, func(a string) bool { return a == "--resume" })
	if resumes {
		args = append(args, "--resume")
	}
	return strings.Join(args, " ")
}

// MayExplain refuses explanations where a check prints a format that they cannot follow.
func MayExplain(selectors []string, formats *FormatFlag) error {
	if known := check.Explanations.Formats(); len(selectors) > 0 && !slices.Contains(known, formats.beside().Name) {
		return fail.Setupf("--explain prints after the tables: put %s first in --format, or use `pgmpi analyze DIR --explain`", strings.Join(known, " or "))
	}
	return nil
}

// whyKept explains several tests by the report that a folder has, whose mpiruns need not be read again. It tells
// whether the report did.
func (o *Output) whyKept(x *run.Experiment, folder *results.Folder, m *results.Manifest, config *glfile.File, selections []selector.Selection) (bool, error) {
	if len(selections) == 0 || o.Out != "" || o.Full || !o.Formats.alone() {
		return false, nil
	}
	j := reading.Kept(folder, m, config, o.Version)
	if j == nil || !o.byCause(j.Chosen(selections, func(string, ...any) {})) {
		return false, nil
	}
	why, err := o.explanations(j, j.Chosen(selections, o.Warn), folder.Path)
	if err == nil {
		err = o.sayWhy(why)
	}
	if err != nil {
		return true, fmt.Errorf("standard output: %w", err)
	}
	d := check.Reports.Bare(j.Report)
	o.End(d, d.Exit, x.Kind.Shown(conf.Folder(folder.Path)), folder.Path, folder.Path)
	return true, d.Exit
}

// byCause tells whether causes are the explanation: of several tests, and of all that is violated even if it is one.
func (o *Output) byCause(tests []int) bool {
	return !o.Full && (len(tests) > 1 || len(tests) == 1 && slices.Equal(o.explain, []string{"violated"}))
}

// explanations returns what the verdicts on tests rest on: everything of a single test or with --full, else what
// probably causes the violations among them.
func (o *Output) explanations(j *reading.Judgement, tests []int, folder string) (why []*document.Document, err error) {
	if o.byCause(tests) {
		of := &check.Caused{Report: j.Report, Folder: conf.Folder(folder)}
		for _, i := range tests {
			of.Tests = append(of.Tests, &j.Report.Verdicts[i])
		}
		return []*document.Document{check.Causes.Document(of)}, nil
	}
	for _, i := range tests {
		e, err := j.Explain(i)
		if err != nil {
			return nil, err
		}
		why = append(why, check.Explanations.Document(e))
	}
	return why, nil
}

// sayWhy prints explanations in the format of the command, or in the usual one if they do not have it.
func (o *Output) sayWhy(why []*document.Document) error {
	f := Usually(check.Explanations, o.Formats.beside().Name)
	for n, d := range why {
		if n > 0 {
			fmt.Fprintln(o.Stdout)
		}
		if err := o.put(d, f); err != nil {
			return err
		}
		if d.Name == check.Causes.Name {
			return o.Say("\nThe samples, pictures and tests of each: --full, or --explain with one test.\n")
		}
	}
	return nil
}
