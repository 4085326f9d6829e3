package reading

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"pgmpi/analyze/judge"
	"pgmpi/analyze/series"
	"pgmpi/internal/conf"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/fail"
	"pgmpi/internal/regular"
	"pgmpi/measure/results"
)

// Limits for files that anybody may have written. A report has some hundred bytes for each test.
const (
	MostReport  = 64 << 20 // bytes
	mostExpect  = 1 << 20
	mostHead    = 1 << 20 // of a manifest, to find when it was made
	mostEntries = 100_000 // of a folder of nights
)

const (
	ReportName   = "report.json"
	ManifestName = "manifest.json"
	WhichName    = "which.json"
)

type baselines struct {
	*series.Baselines
	m    *results.Manifest // of the check
	self string            // its folder
}

// add reads a results folder, a report.json, or the last nights of a folder.
func (b *baselines) add(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && filepath.Clean(path) == filepath.Dir(filepath.Clean(b.self)):
		b.firstNight(path)
		return nil
	case err != nil:
		return err
	case !info.IsDir() || Has(path, ReportName) || Has(path, ManifestName):
		n, err := readNight(path)
		if err != nil {
			return err
		}
		return b.keep(n)
	}
	return b.addNights(path)
}

func (b *baselines) keep(n *series.Check) error {
	if err := n.Comparable(b.m); err != nil {
		return err
	}
	if !slices.ContainsFunc(b.Nights, func(other *series.Check) bool { return other.Path == n.Path }) {
		b.Nights = append(b.Nights, n)
	}
	return nil
}

// addNights takes the last nights before this check. It notes nights that cannot be read or
// compared, and younger ones. If there are no others, they are an error.
func (b *baselines) addNights(root string) error {
	before, younger, err := b.nightsOf(root)
	if err != nil {
		return err
	}
	var first error
	taken := 0
	for _, x := range before[:min(len(before), 3*b.GateConfig.Nights)] {
		if taken == b.GateConfig.Nights {
			break
		}
		n, err := readNight(x.path)
		if err == nil {
			n.Night = x.night
			err = b.keep(n)
		}
		if err != nil {
			first = cmp.Or(first, err)
			b.Notes = append(b.Notes, "left out: "+err.Error())
			continue
		}
		taken++
	}
	if len(younger) > 0 {
		newest := younger[0]
		left := fmt.Sprintf("%s has %s that did not begin before this check, the newest %s of %s", root, conf.Plural(len(younger), "night"), newest.path, newest.created)
		if taken == 0 && newest.night == 0 { // only two clocks say so
			return fmt.Errorf("%s, and none that did: was a clock wrong? Name a night itself as baseline, or take younger ones out of the folder", left)
		}
		b.Notes = append(b.Notes, left+": left out")
	}
	if taken == 0 && first != nil {
		return fmt.Errorf("%s has no night that this check can be held against; the newest: %w", root, first)
	}
	if taken == 0 {
		b.firstNight(root)
	}
	return nil
}

func (b *baselines) firstNight(root string) {
	b.Notes = append(b.Notes, fmt.Sprintf("%s has no night before this one: nothing can be new yet", root))
}

type night struct {
	path string
	head
}

// head holds what a manifest says of the order of nights.
type head struct {
	created string
	night   int // 0 if made without a gate, or by an older version, and so older
}

// Number numbers a check that begins in a folder of nights: it comes after all that have a report
// by now, whatever the clocks say. Several that begin at once get the same number.
func Number(config *glfile.File, m *results.Manifest, self string) error {
	for _, root := range config.Gate.Baseline {
		if !within(root, self) {
			continue
		}
		nights, err := listNights(root, self)
		if err != nil {
			return fail.AsSetup(err)
		}
		m.Night = 1
		for _, n := range nights {
			if Has(n.path, ReportName) {
				m.Night = max(m.Night, n.night+1)
			}
		}
	}
	return nil
}

// within tells whether a folder, which may not be there yet, lies directly in another.
func within(root, self string) bool {
	above, err := filepath.Abs(self)
	if err != nil {
		return false
	}
	parent, err := os.Stat(filepath.Dir(above))
	if err != nil {
		return false
	}
	info, err := os.Stat(root)
	return err == nil && os.SameFile(info, parent)
}

// nightsOf returns the results folders in a folder, the newest first: the ones before the check,
// and the others. Numbers count among the nights of the check's own folder only.
func (b *baselines) nightsOf(root string) (before, others []night, err error) {
	all, err := listNights(root, b.self)
	numbered := b.m.Night > 0 && within(root, b.self)
	for i := range all {
		if !numbered {
			all[i].night = 0
		}
	}
	slices.SortFunc(all, func(x, y night) int {
		return cmp.Or(cmp.Compare(y.night, x.night), cmp.Compare(y.created, x.created), cmp.Compare(x.path, y.path))
	})
	for _, n := range all {
		if numbered && n.night < b.m.Night || !numbered && (b.m.Created == "" || n.created <= b.m.Created) {
			before = append(before, n)
		} else {
			others = append(others, n)
		}
	}
	return before, others, err
}

// listNights lists the results folders in a folder but one. It leaves out links: they lead to
// nights elsewhere, or to the same night twice.
func listNights(root, self string) (nights []night, err error) {
	dir, err := os.Open(root)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	entries, err := dir.ReadDir(mostEntries)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	own, _ := os.Stat(self)
	for _, e := range entries {
		path := filepath.Join(root, e.Name())
		if info, err := e.Info(); err != nil || !e.IsDir() || os.SameFile(info, own) || !Has(path, ReportName) && !Has(path, ManifestName) {
			continue
		}
		nights = append(nights, night{path, headOf(path)})
	}
	return nights, nil
}

func Has(folder, name string) bool {
	_, err := os.Lstat(filepath.Join(folder, name))
	return err == nil
}

// readNight reads a report.json, or the report of a results folder. Without a report it judges the
// mpiruns, with the folder's own settings.
func readNight(path string) (*series.Check, error) {
	info, err := os.Stat(path)
	if err == nil {
		err = isCheck(path)
	}
	if err != nil {
		return nil, err
	}
	file := path
	switch {
	case Has(path, ReportName):
		file = filepath.Join(path, ReportName)
	case info.IsDir():
		return judgeNight(path)
	}
	n, err := readCheck(file, path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return n, nil
}

// isCheck returns an error of a folder whose manifest is of another kind.
func isCheck(path string) error {
	_, _, err := results.Open(path, results.Checks...)
	if other := (*results.OtherKind)(nil); errors.As(err, &other) {
		return err
	}
	return nil // a damaged manifest is an error where one is read
}

func judgeNight(path string) (*series.Check, error) {
	folder, m, err := Open(path, results.Checks...)
	if err != nil {
		return nil, err
	}
	j, err := judgeAsMade(folder, m)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	n := series.CheckOf(j.Report, path)
	n.Whole = true
	return n, nil
}

// readCheck reads a report.json, which the user calls name.
func readCheck(path, name string) (*series.Check, error) {
	f, err := regular.Within(path, MostReport)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	n, err := series.ReadCheck(io.LimitReader(f, MostReport), name)
	if err == nil {
		n.Whole = Has(filepath.Dir(path), ManifestName)
	}
	return n, err
}

// headOf returns what a results folder's manifest says of when it was made. Else it returns when
// the folder was changed.
func headOf(path string) (h head) {
	name := filepath.Join(path, ManifestName)
	if f, err := regular.Within(name, MostReport); err == nil {
		defer f.Close()
		d := json.NewDecoder(io.LimitReader(f, mostHead))
		for _, err := d.Token(); err == nil && d.More(); {
			var key json.Token
			var value json.RawMessage
			if key, err = d.Token(); err == nil {
				err = d.Decode(&value)
			}
			switch key {
			case "created":
				_ = json.Unmarshal(value, &h.created)
			case "night":
				_ = json.Unmarshal(value, &h.night)
			}
			if h.night > 0 || key == "plan" {
				break // the rest is long
			}
		}
		if _, err := time.Parse(time.RFC3339, h.created); err == nil {
			return h
		}
	}
	for _, name := range []string{name, filepath.Join(path, ReportName), path} {
		if info, err := os.Lstat(name); err == nil {
			h.created = info.ModTime().UTC().Format(time.RFC3339)
			break
		}
	}
	return h
}

func readFile(path string, most int64) ([]byte, error) {
	f, err := regular.Within(path, most)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most))
}

// Expectations name the violations of a results folder, or of a report.json.
func Expectations(path string) ([]series.Expectation, error) {
	n, err := readNight(path)
	if err != nil {
		return nil, err
	}
	return series.Expectations(n), nil
}

// Hold holds the judgement of a folder against its baselines, if there are any.
func (j *Judgement) Hold(g *series.Baselines, config *glfile.File) error {
	if g == nil {
		return nil
	}
	if g.FailOn == series.FailOnTimes {
		cfg := series.CompareConfig{Config: config.Analyze, Alternative: judge.TwoSided}
		if err := j.compare(g, cfg); err != nil {
			return err
		}
	}
	r, err := series.Hold(j.Analysis, g)
	if err == nil {
		j.Analysis = j.With(r)
	}
	return err
}

func (j *Judgement) compare(g *series.Baselines, cfg series.CompareConfig) error {
	g.Times = nil
	today := j.Side(j.folder.Path)
	for _, n := range g.Nights {
		folder, m, err := Open(n.Path, results.Checks...)
		if err != nil {
			return err
		}
		before, err := Judge(folder, m, cfg.Config)
		if err != nil {
			return fail.Setupf("the baseline %s: %w", n.Path, err)
		}
		c, err := series.Compare(before.Side(n.Path), today, cfg)
		if err != nil {
			return err
		}
		g.Times = append(g.Times, c)
	}
	return nil
}

// Baselines reads what [gate] names, for the check of a manifest in the folder self. It returns nil
// if [gate] names nothing. What cannot be read, or compared, is an error.
func Baselines(config *glfile.File, m *results.Manifest, self string) (*series.Baselines, error) {
	cfg := config.Gate
	cfg.Baseline = slices.DeleteFunc(slices.Clone(cfg.Baseline), func(s string) bool { return s == "" })
	if !cfg.Wanted() {
		return nil, nil
	}
	g := &series.Baselines{GateConfig: cfg}
	if cfg.Expect != "" {
		text, err := readFile(cfg.Expect, mostExpect)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fail.Setupf("gate.expect: there is no file %s: `pgmpi expect` writes one", cfg.Expect)
		}
		if err != nil {
			return nil, fail.Setupf("gate.expect: %w", err)
		}
		if g.Expect, err = glfile.ParseExpect(cfg.Expect, text); err != nil {
			return nil, fail.AsSetup(err)
		}
	}
	b := baselines{Baselines: g, m: m, self: self}
	for _, path := range cfg.Baseline {
		err := b.add(path)
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%w; before the first of many nights: mkdir %s", err, conf.Quote(path))
		}
		if err != nil {
			return nil, fail.AsSetup(fmt.Errorf("gate.baseline: %w", err))
		}
	}
	slices.SortStableFunc(g.Nights, func(a, b *series.Check) int {
		return cmp.Or(cmp.Compare(b.Night, a.Night), cmp.Compare(b.Created, a.Created))
	})
	for _, n := range g.Nights {
		if _, _, err := Open(n.Path, results.Checks...); err != nil && cfg.FailOn == series.FailOnTimes {
			return nil, fail.Setupf("gate.fail_on = \"times\" compares mpiruns, so a baseline has to be a results folder: %w", err)
		}
	}
	return g, nil
}
