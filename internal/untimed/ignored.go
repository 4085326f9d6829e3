package untimed

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/measure/protocol"
)

// ChoosesAlgorithm tells whether a variable of the environment is for choosing algorithms.
func ChoosesAlgorithm(name string) bool {
	return switchedBy(name) != "" && (strings.HasSuffix(name, "_algorithm") || strings.HasSuffix(name, "_filename")) ||
		strings.HasPrefix(name, "MPIR_CVAR_") && (strings.HasSuffix(name, "_INTRA_ALGORITHM") || strings.HasSuffix(name, "_JSON_FILE"))
}

// Ignored returns a sentence for each of these variables that does nothing.
func (o *Once) Ignored(ctx context.Context, shape guidelines.Shape, env map[string]string, names []string) (out []string, err error) {
	read := &protocol.AlgorithmsJob{Variables: []string{tuningName(dynamicRules)}}
	for _, name := range names {
		read.Variables = append(read.Variables, tuningName(name))
	}
	got, err := o.do(ctx, shape, nil, &protocol.Job{StallNS: int64(forceStall), Algorithms: read}, nil)
	if err != nil {
		return nil, err
	}
	r := &readings{got.End.Algorithms.Collectives, got.End.Algorithms.Variables}
	for _, name := range names {
		if why := r.ignores(name, env); why != "" {
			out = append(out, name+" does nothing: "+why)
		}
	}
	return out, nil
}

// ignores returns why a variable does nothing, or "" if it may do something.
func (r *readings) ignores(name string, env map[string]string) string {
	v := r.of(name)
	if on := r.of(dynamicRules); switchedBy(name) != "" && on.Known && !isOn(on.Value) {
		return dynamicRules + " is not 1"
	}
	if !v.Known {
		return "the library has no such variable"
	}
	if v.Unread != "" {
		return v.Unread
	}
	for _, f := range SettingFiles {
		if f.Variable != name {
			continue
		}
		if _, _, err := RulesOf(env, f.Variable, f.Writer); err != nil {
			return "it is not in the library's format: " + err.Error()
		}
	}
	return r.unknownValue(v, env[name])
}

// unknownValue names a value that the library's list does not have.
func (r *readings) unknownValue(v protocol.Variable, value string) string {
	i := slices.IndexFunc(r.algorithms, func(a protocol.Algorithms) bool { return a.Variable == v.Name })
	if i < 0 || len(r.algorithms[i].Names) == 0 || value == "" {
		return ""
	}
	names := []string{}
	for _, a := range r.algorithms[i].Names {
		if a.Name == value || strconv.Itoa(a.Value) == value {
			return ""
		}
		names = append(names, a.Name)
	}
	if value == "0" || value == "ignore" || value == "auto" {
		return ""
	}
	return fmt.Sprintf("%s; its value stays %s", conf.Unknown("algorithm of "+r.algorithms[i].Collective, value, names), v.Value)
}
