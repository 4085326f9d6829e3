package tuning

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"pgmpi/internal/conf"
)

// Write gives every choice to the first of the named writers (without names: of all that
// the library takes) that can write it. It returns one setting for each writer that wrote
// something; Join merges them.
func Write(t Target, choices []Choice, names ...string) (out []Setting, refused []Rejected, err error) {
	var try []Writer
	var known []string
	for _, w := range writers {
		if known = append(known, w.Name); len(names) == 0 && w.For(t.Library) {
			try = append(try, w)
		}
	}
	for _, n := range names {
		w, ok := Get(n)
		if !ok {
			return nil, nil, errors.New(conf.Unknown("kind of setting", n, known))
		}
		try = append(try, w)
	}
	why := map[string]string{} // the first reason about the choice, not about the kind of format
	left := choices
	for _, w := range try {
		s, err := w.Write(t, left)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", w.Title, err)
		}
		left = nil
		for _, r := range s.Rejected {
			left = append(left, r.Choice)
			if key := r.Choice.Key(); why[key] == "" && r.Reason != r.Choice.wrongKind() {
				why[key] = r.Reason
			}
		}
		if s.Rejected = nil; len(s.Entries) > 0 {
			out = append(out, *s)
		}
	}
	for _, c := range left {
		refused = append(refused, c.Rejected(cmp.Or(why[c.Key()], fmt.Sprintf("no format that %s takes can say it", t.Library))))
	}
	return out, refused, nil
}

// Join merges the environment and the files of several settings, and adds env.sh, which sets
// and explains the variables.
func Join(settings []Setting) (env map[string]string, files []File, err error) {
	env = map[string]string{}
	var notes []string
	for _, s := range settings {
		for name, value := range s.Env {
			if old, ok := env[name]; ok && old != value {
				return nil, nil, fmt.Errorf("two settings want another value of %s: %s and %s", name, old, value)
			}
			env[name] = value
		}
		for _, f := range s.Files {
			if slices.ContainsFunc(files, func(g File) bool { return g.Name == f.Name }) {
				return nil, nil, fmt.Errorf("two settings have a file %s", f.Name)
			}
			files = append(files, f)
		}
		notes = append(notes, s.Notes...)
	}
	text, err := EnvSh(env, notes)
	if err != nil {
		return nil, nil, err
	}
	return env, append(files, File{EnvFile, text}), nil
}
