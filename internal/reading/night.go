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

	"pgmpi/analyze/series"
	"pgmpi/internal/regular"
	"pgmpi/measure/results"
)

// What is read may be anybody's. A report has some hundred bytes for each test.
const (
	MostReport  = 64 << 20 // bytes
	mostExpect  = 1 << 20
	mostHead    = 1 << 20 // of a manifest, to find when it was made
	mostEntries = 100_000 // of a folder of nights
)

const (
	ReportName   = "report.json"
	ManifestName = "manifest.json"
)

// baselines collects the nights that a check is held against.
type baselines struct {
	*series.Baselines
	m    *results.Manifest // of the check
	self string            // its folder
}

// add reads a results folder, a report.json, or the last nights of a folder of them.
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

// keep takes a night in, if it can be compared.
func (b *baselines) keep(n *series.Check) error {
	if err := n.Comparable(b.m); err != nil {
		return err
	}
	if !slices.ContainsFunc(b.Nights, func(other *series.Check) bool { return other.Path == n.Path }) {
		b.Nights = append(b.Nights, n)
	}
	return nil
}

// addNights takes the last nights before this check. Those that cannot be read or
// compared are noted, unless there are no others.
func (b *baselines) addNights(root string) error {
	paths, err := b.nightsOf(root)
	if err != nil {
		return err
	}
	var first error
	taken := 0
	for _, path := range paths[:min(len(paths), 3*b.GateConfig.Nights)] {
		if taken == b.GateConfig.Nights {
			break
		}
		n, err := readNight(path)
		if err == nil {
			err = b.keep(n)
		}
		if err != nil {
			first = cmp.Or(first, err)
			b.Notes = append(b.Notes, "left out: "+err.Error())
			continue
		}
		taken++
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

// nightsOf are the results folders in a folder that are not younger than the check, the
// newest first. Links are left out: what they lead to is a night elsewhere, or twice here.
func (b *baselines) nightsOf(root string) ([]string, error) {
	dir, err := os.Open(root)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	entries, err := dir.ReadDir(mostEntries)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	self, _ := os.Stat(b.self)
	type night struct{ path, created string }
	var nights []night
	for _, e := range entries {
		path := filepath.Join(root, e.Name())
		if info, err := e.Info(); err != nil || !e.IsDir() || os.SameFile(info, self) || !Has(path, ReportName) && !Has(path, ManifestName) {
			continue
		}
		if created := createdOf(path); b.m.Created == "" || created <= b.m.Created {
			nights = append(nights, night{path, created})
		}
	}
	slices.SortFunc(nights, func(x, y night) int { return cmp.Or(cmp.Compare(y.created, x.created), cmp.Compare(y.path, x.path)) })
	paths := make([]string, len(nights))
	for i, n := range nights {
		paths[i] = n.path
	}
	return paths, nil
}

func Has(folder, name string) bool {
	_, err := os.Lstat(filepath.Join(folder, name))
	return err == nil
}

// readNight reads a report.json, or the one of a results folder; without one its mpiruns are
// judged, with its own settings.
func readNight(path string) (*series.Check, error) {
	info, err := os.Stat(path)
	if err == nil {
		err = isCheck(path)
	}
	if err != nil {
		return nil, err
	}
	file, folder := path, Has(path, ReportName)
	switch {
	case folder:
		file = filepath.Join(path, ReportName)
	case info.IsDir():
		return judgeNight(path)
	}
	n, _, err := readCheck(file, path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if folder && n.Created == "" {
		n.Created = createdOf(path)
	}
	return n, nil
}

// isCheck returns an error of a folder whose manifest is of another kind.
func isCheck(path string) error {
	_, _, err := results.Open(path, results.Check)
	if other := (*results.OtherKind)(nil); errors.As(err, &other) {
		return err
	}
	return nil // where a manifest is wanted, what is wrong with it is said then
}

func judgeNight(path string) (*series.Check, error) {
	folder, m, err := Open(path, results.Check)
	if err != nil {
		return nil, err
	}
	j, err := judgeAsMade(folder, m)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return series.CheckOf(j.Report, path), nil
}

// readCheck reads a report.json, which the user calls name; written is the time of the file.
func readCheck(path, name string) (c *series.Check, written time.Time, err error) {
	f, err := regular.Within(path, MostReport)
	if err != nil {
		return nil, written, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, written, err
	}
	c, err = series.ReadCheck(io.LimitReader(f, MostReport), name)
	return c, info.ModTime(), err
}

// createdOf is when a results folder was made, as its manifest says; else when it was changed.
func createdOf(path string) string {
	name := filepath.Join(path, ManifestName)
	if f, err := regular.Within(name, MostReport); err == nil {
		defer f.Close()
		d := json.NewDecoder(io.LimitReader(f, mostHead))
		for depth, key := 0, ""; ; {
			t, err := d.Token()
			if err != nil {
				break
			}
			switch text, isText := t.(string); {
			case t == json.Delim('{') || t == json.Delim('['):
				depth++
			case t == json.Delim('}') || t == json.Delim(']'):
				depth--
			case depth == 1 && key == "created" && isText:
				if _, err := time.Parse(time.RFC3339, text); err == nil {
					return text
				}
			case depth == 1 && isText:
				key = text
			}
		}
	}
	for _, name := range []string{name, filepath.Join(path, ReportName), path} {
		if info, err := os.Lstat(name); err == nil {
			return info.ModTime().UTC().Format(time.RFC3339)
		}
	}
	return ""
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
