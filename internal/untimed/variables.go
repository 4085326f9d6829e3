package untimed

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/lists"
	"pgmpi/internal/regular"
	"pgmpi/internal/tuning"
	"pgmpi/measure/host"
	"pgmpi/measure/protocol"
)

// Readings holds what a library tells of its algorithms and variables (MPI_T).
type Readings struct{ *protocol.AlgorithmsEnd }

// Read asks the library, under an environment besides mpi.env.
func (o *Once) Read(ctx context.Context, shape guidelines.Shape, env map[string]string, variables ...string) (r Readings, err error) {
	asked, err := protocol.ListAlgorithms.Ask(protocol.AlgorithmsJob{Variables: variables})
	if err != nil {
		return r, err
	}
	got, err := o.Do(ctx, shape, env, &protocol.Job{StallNS: int64(stall), Work: asked}, nil)
	if err == nil {
		r.AlgorithmsEnd, err = protocol.ListAlgorithms.Found(got.End.Answer)
	}
	return r, err
}

// stall limits a call that is not timed.
const stall = 30 * time.Second

// Name returns a library's name for a variable of the environment. It returns "" for a variable of
// another program.
func Name(variable string) string {
	if name, ok := strings.CutPrefix(variable, "OMPI_MCA_"); ok {
		return name
	}
	if strings.HasPrefix(variable, "MPIR_CVAR_") {
		return variable
	}
	return ""
}

// SwitchedBy returns the variable without which Open MPI ignores another, if any.
func SwitchedBy(variable string) string {
	if strings.HasPrefix(variable, "OMPI_MCA_coll_tuned_") && variable != host.DynamicRules {
		return host.DynamicRules
	}
	return ""
}

func (r Readings) Of(variable string) protocol.Variable { return r.Named(Name(variable)) }

func (r Readings) Named(name string) (v protocol.Variable) {
	if i := slices.IndexFunc(r.Variables, func(v protocol.Variable) bool { return v.Name == name }); i >= 0 && name != "" {
		return r.Variables[i]
	}
	return v
}

// SwitchedOff tells whether Open MPI ignores a variable for lack of another one.
func (r Readings) SwitchedOff(variable string) bool {
	on := r.Of(SwitchedBy(variable))
	return on.Known && on.Value != "1" && on.Value != "true"
}

// ChoosesAlgorithm tells whether a variable chooses algorithms of collectives.
func ChoosesAlgorithm(name string) bool {
	return SwitchedBy(name) != "" && (strings.HasSuffix(name, "_algorithm") || strings.HasSuffix(name, "_filename")) ||
		strings.HasPrefix(name, "MPIR_CVAR_") && (strings.HasSuffix(name, "_INTRA_ALGORITHM") || strings.HasSuffix(name, "_JSON_FILE"))
}

// Ignored returns a sentence for each of these variables that does nothing.
func (o *Once) Ignored(ctx context.Context, shape guidelines.Shape, env map[string]string, names []string) (out []string, err error) {
	variables := append([]string{Name(host.DynamicRules)}, lists.Map(names, Name)...)
	r, err := o.Read(ctx, shape, nil, variables...)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if why := r.ignores(name, env); why != "" {
			out = append(out, name+" does nothing: "+why)
		} else {
			out = append(out, r.idle(name, env, tuning.LibraryOf(o.Rank().Library, o.Rank().LibVersion))...)
		}
	}
	return out, nil
}

func (r Readings) ignores(name string, env map[string]string) string {
	v := r.Of(name)
	if r.SwitchedOff(name) {
		return host.DynamicRules + " is not 1"
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

// idle returns what does nothing in a file of rules that a variable names.
func (r Readings) idle(variable string, env map[string]string, l tuning.Library) []string {
	if variable != SettingFiles[0].Variable {
		return nil
	}
	path, rules, err := RulesOf(env, variable, SettingFiles[0].Writer)
	text, failed := regular.Read(path, largestRules)
	if err != nil || failed != nil || path == "" {
		return nil
	}
	return tuning.Idle(l, path, text, rules, func(function string) (names []string) {
		for _, a := range r.Collectives {
			if a.Collective != function {
				continue
			}
			for _, n := range a.Names {
				for len(names) < n.Value {
					names = append(names, "")
				}
				names[n.Value-1] = n.Name
			}
		}
		return names
	})
}

func (r Readings) unknownValue(v protocol.Variable, value string) string {
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

const largestRules = 16 << 20

// SettingFiles lists variables that name a file, and the writer of the file's format.
var SettingFiles = []struct{ Variable, Writer string }{
	{"OMPI_MCA_coll_tuned_dynamic_rules_filename", "openmpi-rules"},
	{"MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE", "mpich-json"},
}

// RulesOf reads the file that a variable of an environment names, if it names one.
func RulesOf(env map[string]string, variable, writer string) (path string, rules []tuning.Rule, err error) {
	if path = env[variable]; path == "" {
		return "", nil, nil
	}
	text, err := regular.Read(path, largestRules)
	if err != nil {
		return path, nil, err
	}
	w, _ := tuning.Get(writer)
	rules, err = w.Read(path, text)
	return path, rules, err
}
