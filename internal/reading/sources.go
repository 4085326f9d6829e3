package reading

import (
	"fmt"
	"path/filepath"
	"slices"

	"pgmpi/analyze"
	"pgmpi/internal/fail"
	"pgmpi/measure/results"
)

// Timed lists the kinds of folders whose mpiruns time calls by themselves.
var Timed = []results.Kind{results.Check, results.Explore, results.Fingerprint, results.Imported}

// Source is an open results folder, by the name that the user gave it.
type Source struct {
	Path     string
	Folder   *results.Folder
	Manifest *results.Manifest
}

// Sources opens results folders of some kinds, each of them once.
func Sources(paths []string, kinds ...results.Kind) ([]Source, error) {
	var out []Source
	for _, path := range paths {
		path = filepath.Clean(path)
		if slices.ContainsFunc(out, func(s Source) bool { return s.Path == path }) {
			return nil, fail.Setupf("%s is given twice", path)
		}
		folder, m, err := Open(path, kinds...)
		if err != nil {
			return nil, err
		}
		out = append(out, Source{path, folder, m})
	}
	return out, nil
}

// Judged judges a folder by its own settings.
func (s *Source) Judged() (*Judgement, error) { return judgeAsMade(s.Folder, s.Manifest) }

// Sides judges several results folders by their own settings.
func Sides(paths []string) ([]*analyze.Side, error) {
	all, err := Sources(paths, results.Checks...)
	if err != nil {
		return nil, err
	}
	var out []*analyze.Side
	for i := range all {
		j, err := all[i].Judged()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", all[i].Path, err)
		}
		out = append(out, j.Side(all[i].Path))
	}
	return out, nil
}
