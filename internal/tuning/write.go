package tuning

import (
	"errors"
	"fmt"
	"slices"

	"pgmpi/internal/conf"
)

// Write gives every choice to the first of the named writers (without names: of all that
// the library takes) that can write it. It returns one setting for each writer that wrote
// something; Join puts them together.
func Write(t Target, choices []Choice, names ...string) (out []Setting, refused []Refusal, err error) {
	try := Writers(t.Library)
	if len(names) > 0 {
		try = nil
		for _, n := range names {
			w, ok := Get(n)
			if !ok {
				return nil, nil, errors.New(conf.Unknown("kind of setting", n, Names()))
			}
			try = append(try, w)
		}
	}
	reasons := make([]Refusal, 0, len(choices))
	for _, c := range choices {
		reasons = append(reasons, Refusal{c, fmt.Sprintf("no format that %s takes can say it", t.Library)})
	}
	for _, w := range try {
		s, err := w.Write(t, choicesOf(reasons))
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", w.Title, err)
		}
		reasons = stillRefused(reasons, s.Refused)
		if s.Refused = nil; len(s.Entries) > 0 {
			out = append(out, *s)
		}
	}
	return out, reasons, nil
}

func choicesOf(refused []Refusal) (out []Choice) {
	for _, r := range refused {
		out = append(out, r.Choice)
	}
	return out
}

// stillRefused keeps what a writer has refused. The first reason that is about the choice,
// not about the kind of format, is the one that is told.
func stillRefused(before, now []Refusal) []Refusal {
	told := map[string]Refusal{}
	for _, r := range before {
		told[key(r.Choice)] = r
	}
	out := slices.Clone(now)
	for i, r := range out {
		if old := told[key(r.Choice)]; foreign(r) || !vague(old) {
			out[i] = old
		}
	}
	return out
}

func key(c Choice) string { return fmt.Sprintf("%+v", c) }

// foreign: the writer is for another kind of choice.
func foreign(r Refusal) bool {
	return r.Reason == fmt.Sprintf("this format chooses no %s", r.Choice.Kind)
}

// vague: no writer has given a reason yet.
func vague(r Refusal) bool {
	return len(r.Reason) > 9 && r.Reason[:9] == "no format"
}

// Join returns the environment and the files of several settings together, with env.sh,
// which sets and explains the variables.
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
