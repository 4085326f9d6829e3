package tuning

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// EnvFile is the name of the file that sets the variables of a setting in a shell.
const EnvFile = "env.sh"

// EnvSh is a file for `. env.sh`; notes come before the variables, as comments.
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
		fmt.Fprintf(&b, "export %s='%s'\n", name, strings.ReplaceAll(env[name], "'", `'\''`))
	}
	return []byte(b.String()), nil
}

// ReadEnv reads lines NAME=VALUE, with "export" and single quotes as EnvSh writes them,
// blank lines and comments.
func ReadEnv(name string, text []byte) (map[string]string, error) {
	out := map[string]string{}
	err := eachVariable(name, text, func(line int, variable, value string) error {
		if _, twice := out[variable]; twice {
			return fmt.Errorf("%s:%d: %s is set above already", name, line, variable)
		}
		out[variable] = value
		return nil
	})
	return out, err
}

func eachVariable(file string, text []byte, do func(line int, name, value string) error) error {
	for i, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		fail := func(format string, args ...any) error {
			return fmt.Errorf("%s:%d: %s", file, i+1, fmt.Sprintf(format, args...))
		}
		name, value, ok := strings.Cut(strings.TrimPrefix(line, "export "), "=")
		if !ok {
			return fail("%.60q is not NAME=VALUE", line)
		}
		value, ok = unquoted(value)
		if !ok {
			return fail("the value of %.40q is not in single quotes as a whole, and has characters that a shell would take apart", name)
		}
		if err := checkVariable(name, value); err != nil {
			return fail("%v", err)
		}
		if err := do(i+1, name, value); err != nil {
			return err
		}
	}
	return nil
}

// unquoted reads a word of a shell without quotes, or in single quotes.
func unquoted(text string) (string, bool) {
	if !strings.HasPrefix(text, "'") {
		return text, !strings.ContainsAny(text, "'\"\\ \t$`;&|<>(){}*?!~#")
	}
	inner, ok := strings.CutSuffix(text[1:], "'")
	if !ok {
		return "", false
	}
	parts := strings.Split(inner, `'\''`)
	for _, p := range parts {
		if strings.Contains(p, "'") {
			return "", false
		}
	}
	return strings.Join(parts, "'"), true
}

// readVariables is a reader of lines NAME=VALUE. functionOf is the collective of which a
// variable chooses the algorithm; other variables are left out.
func readVariables(functionOf func(name string) string) func(string, []byte) ([]Rule, error) {
	return func(file string, text []byte) (out []Rule, err error) {
		seen := map[string]bool{}
		err = eachVariable(file, text, func(line int, name, value string) error {
			if seen[name] {
				return fmt.Errorf("%s:%d: %s is set above already", file, line, name)
			}
			seen[name] = true
			if f := functionOf(name); f != "" {
				out = append(out, Rule{Line: line, Function: f, Algorithm: value})
			}
			return nil
		})
		return out, err
	}
}
