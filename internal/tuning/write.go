package tuning

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"pgmpi/internal/lists"
)

// Ways returns a choice as each format of a library can write it, or why none can. A format without sizes lets it hold
// at all of them.
func Ways(t Target, c Choice) (out []Choice, why string) {
	for _, w := range writers {
		if !w.For(t.Library) {
			continue
		}
		one := c
		if one.Way = w.Name; one.Always() {
			one.Sizes, one.Ranges = one.Measured, nil
		}
		_, refused, err := Write(t, []Choice{one})
		switch {
		case err != nil:
			why = cmp.Or(why, err.Error())
		case len(refused) == 0:
			out = append(out, one)
		case refused[0].Reason != c.wrongKind():
			why = cmp.Or(why, refused[0].Reason)
		}
	}
	return out, cmp.Or(why, noFormat(t))
}

func noFormat(t Target) string { return fmt.Sprintf("no format that %s takes can say it", t.Library) }

// Write gives every choice to the first writer for the library that can write it. It returns one
// setting for each writer that wrote something; Join merges them.
func Write(t Target, choices []Choice) (out []Setting, refused []Rejected, err error) {
	why := map[string]string{} // the first reason about the choice, not about the kind of format
	left := choices
	for _, w := range lists.Keep(writers, func(w Writer) bool { return w.For(t.Library) }) {
		mine := func(c Choice) bool { return c.Way == "" || c.Way == w.Name }
		s, err := w.Write(t, lists.Keep(left, mine))
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", w.Title, err)
		}
		left = slices.DeleteFunc(slices.Clone(left), mine)
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
		refused = append(refused, c.Rejected(cmp.Or(why[c.Key()], noFormat(t))))
	}
	return out, refused, nil
}

// Join merges the environment and the files of several settings. It adds env.sh, which sets and
// explains the variables.
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

const EnvFile = "env.sh"

// AllFiles names every file that a setting may have.
var AllFiles = []string{EnvFile, RulesFile, RulesJSON, TreeFile}

// Preload names the variable through which a shell may load libraries, such as a malloc. These must
// stay loaded.
const Preload = "LD_PRELOAD"

// Loading returns the value of Preload that loads a library before the present ones.
func Loading(library string) string { return strings.Trim(library+":"+os.Getenv(Preload), ":") }

// kept holds the text after the value in env.sh, to set what Loading returns.
var kept = map[string]string{Preload: `"${LD_PRELOAD:+:$LD_PRELOAD}"`}

// EnvSh returns a file for `. env.sh`, in which notes come before the variables, as comments.
func EnvSh(env map[string]string, notes []string) ([]byte, error) {
	var b strings.Builder
	b.WriteString("# Variables for the ranks: read this with `. ./env.sh` before mpirun.\n")
	for _, n := range notes {
		fmt.Fprintf(&b, "# %s\n", strings.Join(strings.Fields(n), " "))
	}
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if err := checkVariable(name, env[name]); err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "export %s='%s'%s\n", name, strings.ReplaceAll(env[name], "'", `'\''`), kept[name])
	}
	return []byte(b.String()), nil
}

// Steers tells whether a variable does what settings do: choose among a library's collectives,
// keep memory, or limit messages that are sent at once. Others may load code into the ranks, or start other programs.
func Steers(name, value string) bool {
	if name == handedOn {
		return !slices.ContainsFunc(strings.Split(value, ";"), func(other string) bool {
			return !strings.HasPrefix(other, "MALLOC_") && !IsLimit(other) || strings.Contains(other, "=")
		})
	}
	return IsLimit(name) || strings.HasPrefix(name, "OMPI_MCA_coll_") || strings.HasPrefix(name, "MPIR_CVAR_") || strings.HasPrefix(name, "MALLOC_") || name == "PGMPI_PARAMS"
}

// ReadEnv reads lines NAME=VALUE, as EnvSh writes them, blank lines and comments. Lines may have
// "export" and single quotes.
func ReadEnv(file string, text []byte) (map[string]string, error) {
	out := map[string]string{}
	for i, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		fail := func(format string, args ...any) (map[string]string, error) {
			return nil, fmt.Errorf("%s:%d: %s", file, i+1, fmt.Sprintf(format, args...))
		}
		name, value, ok := strings.Cut(strings.TrimPrefix(line, "export "), "=")
		if !ok {
			return fail("%.60q is not NAME=VALUE", line)
		}
		if value, ok = unquoted(strings.TrimSuffix(value, kept[name])); !ok {
			return fail("the value of %.40q is not in single quotes as a whole, and has characters that a shell would take apart", name)
		}
		if err := checkVariable(name, value); err != nil {
			return fail("%v", err)
		}
		if _, twice := out[name]; twice {
			return fail("%s is set above already", name)
		}
		out[name] = value
	}
	return out, nil
}

func unquoted(text string) (string, bool) {
	if !strings.HasPrefix(text, "'") {
		return text, !strings.ContainsAny(text, "'\"\\ \t$`;&|<>(){}*?!~#")
	}
	inner, ok := strings.CutSuffix(text[1:], "'")
	if !ok || strings.Contains(strings.ReplaceAll(inner, `'\''`, ""), "'") {
		return "", false
	}
	return strings.ReplaceAll(inner, `'\''`, "'"), true
}
