package tuning

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

const EnvFile = "env.sh"

// EnvSh returns a file for `. env.sh`; notes come before the variables, as comments.
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

// Steers tells whether a variable does what settings do: choose among a library's collectives,
// or keep memory. Others may load code into the ranks, or start other programs.
func Steers(name, value string) bool {
	if name == handedOn {
		return !slices.ContainsFunc(strings.Split(value, ";"), func(other string) bool { return !strings.HasPrefix(other, "MALLOC_") || strings.Contains(other, "=") })
	}
	return strings.HasPrefix(name, "OMPI_MCA_coll_") || strings.HasPrefix(name, "MPIR_CVAR_") || strings.HasPrefix(name, "MALLOC_") || name == "PGMPI_PARAMS"
}

// ReadEnv reads lines NAME=VALUE, with "export" and single quotes as EnvSh writes them,
// blank lines and comments.
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
		if value, ok = unquoted(value); !ok {
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

// unquoted reads a shell's word without quotes or in single quotes.
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
