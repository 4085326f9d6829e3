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

func ChoosesAlgorithm(name string) bool {
	return switchedBy(name) != "" && (strings.HasSuffix(name, "_algorithm") || strings.HasSuffix(name, "_filename")) ||
		strings.HasPrefix(name, "MPIR_CVAR_") && (strings.HasSuffix(name, "_INTRA_ALGORITHM") || strings.HasSuffix(name, "_JSON_FILE"))
}

// Ignored returns a sentence for each of these variables that does nothing.
func (o *Once) Ignored(ctx context.Context, shape guidelines.Shape, env map[string]string, names []string) (out []string, err error) {
	variables := []string{tuningName(dynamicRules)}
	for _, name := range names {
		variables = append(variables, tuningName(name))
	}
	r, err := o.read(ctx, shape, nil, variables...)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if why := r.ignores(name, env); why != "" {
			out = append(out, name+" does nothing: "+why)
		}
	}
	return out, nil
}

func (r readings) ignores(name string, env map[string]string) string {
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

func (r readings) unknownValue(v protocol.Variable, value string) string {
	i := slices.IndexFunc(r.Collectives, func(a protocol.Algorithms) bool { return a.Variable == v.Name })
	if i < 0 || len(r.Collectives[i].Names) == 0 || value == "" {
		return ""
	}
	names := []string{}
	for _, a := range r.Collectives[i].Names {
		if a.Name == value || strconv.Itoa(a.Value) == value {
			return ""
		}
		names = append(names, a.Name)
	}
	if value == "0" || value == "ignore" || value == "auto" {
		return ""
	}
	return fmt.Sprintf("%s; its value stays %s", conf.Unknown("algorithm of "+r.Collectives[i].Collective, value, names), v.Value)
}
