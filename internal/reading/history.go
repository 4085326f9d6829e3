package reading

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pgmpi/analyze/series"
	"pgmpi/internal/fail"
)

// A tree may be large, and anybody may have written into it.
const (
	deepest     = 6       // folders below a ROOT
	mostFolders = 100_000 // that are looked into
	mostNights  = 5_000   // reports
	mostTests   = 2_000_000
)

// History reads the reports in and below the roots, each a folder or a report.json. It does not
// follow symbolic links below a root. It names and leaves out what it cannot read.
func History(roots, selectors []string) (*series.History, error) {
	c := chronicle{seen: map[string]bool{}}
	for _, root := range roots {
		info, err := os.Stat(root)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fail.Setupf("there is no folder %s: give one that has results folders", root)
		}
		if err != nil {
			return nil, fail.AsSetup(err)
		}
		if link, err := os.Lstat(root); err == nil && link.Mode()&fs.ModeSymlink != 0 {
			root, err = filepath.EvalSymlinks(root)
			if err != nil {
				return nil, fail.AsSetup(err)
			}
		}
		if info.IsDir() {
			err = c.folder(root, 0)
		} else {
			err = c.night(root)
		}
		if err != nil {
			return nil, fail.AsSetup(err)
		}
	}
	if len(c.checks) == 0 {
		err := fmt.Errorf("no report was found: `pgmpi check` and `pgmpi analyze DIR` write one (%s) into each results folder", ReportName)
		for _, s := range c.skipped {
			err = fail.Also(err, fmt.Sprintf("%q: %s", s.Path, s.Reason))
		}
		return nil, fail.AsSetup(err)
	}
	h, err := series.NewHistory(c.checks, selectors)
	if err != nil {
		return nil, fail.AsSetup(err)
	}
	h.Skipped = append(h.Skipped, c.skipped...)
	return h, nil
}

type chronicle struct {
	checks  []*series.Check
	skipped []series.Skipped
	seen    map[string]bool // folders and files, whatever way leads there
	folders int
	tests   int // of all checks
}

func (c *chronicle) skip(path string, reason any) {
	c.skipped = append(c.skipped, series.Skipped{Path: path, Reason: fmt.Sprint(reason)})
}

// isNew tells whether nothing has led to a path yet, whatever its folder is called.
func (c *chronicle) isNew(path string) bool {
	dir, name := filepath.Split(filepath.Clean(path))
	if real, err := filepath.EvalSymlinks(cmp.Or(dir, ".")); err == nil {
		path = filepath.Join(real, name)
	}
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	if c.seen[path] {
		return false
	}
	c.seen[path] = true
	return true
}

// folder takes a folder's report. It goes on below the folder unless that is a results folder.
func (c *chronicle) folder(path string, depth int) error {
	if !c.isNew(path) {
		return nil
	}
	if c.folders++; c.folders > mostFolders {
		return fmt.Errorf("there are more than %d folders: give one with fewer", mostFolders)
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		c.skip(path, err)
		return nil
	}
	has := func(name string) bool {
		return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == name })
	}
	switch {
	case has(ReportName):
		if err := c.night(filepath.Join(path, ReportName)); err != nil {
			return err
		}
	case has(ManifestName):
		c.skip(path, cmp.Or(isCheck(path), errors.New("no "+ReportName+": `pgmpi analyze DIR` writes one")))
	}
	if has(ManifestName) {
		return nil
	}
	for _, e := range entries {
		switch {
		case !e.IsDir() || strings.HasPrefix(e.Name(), "."):
		case depth == deepest:
			c.skip(filepath.Join(path, e.Name()), fmt.Sprintf("more than %d folders deep", deepest))
		default:
			if err := c.folder(filepath.Join(path, e.Name()), depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// night takes a report. A damaged one is skipped.
func (c *chronicle) night(path string) error {
	if !c.isNew(path) {
		return nil
	}
	if len(c.checks) == mostNights {
		return fmt.Errorf("there are more than %d reports: give a folder with fewer", mostNights)
	}
	one, err := readCheck(path, path)
	if err != nil {
		c.skip(path, err)
		return nil
	}
	if _, err := time.Parse(time.RFC3339, one.Created); err != nil {
		c.skip(path, "it does not say when it was made: `pgmpi analyze DIR` writes it anew")
		return nil
	}
	if c.tests += len(one.Points); c.tests > mostTests {
		return fmt.Errorf("the reports have more than %d tests together: give fewer of them", mostTests)
	}
	c.checks = append(c.checks, one)
	return nil
}
