package host

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"pgmpi/internal/conf"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
	"pgmpi/internal/remark"
)

// Settings has the library's variables as MPI_T told them after the last case of an mpirun.
type Settings struct {
	InForce []Setting `json:"in_force"`          // about collectives and messages, and not as installed
	Unknown []Setting `json:"unknown,omitempty"` // set, and the library has no variable of that name
	Differ  []string  `json:"differ,omitempty"`  // nodes where others are in force than on the first
}

// Setting is a variable of the library.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value,omitempty"`
	From  string `json:"from"`           // a variable of the environment, or a file
	Near  string `json:"near,omitempty"` // the name that may be meant
	// Component is what Value leaves out and the library does not have.
	Component string `json:"component,omitempty"`
}

// Prefixes of the variables of the environment that set a library's.
const (
	OfOpenMPI = "OMPI_MCA_"
	OfMPICH   = "MPIR_CVAR_"
)

var (
	// about matches the names of variables that choose how collectives and messages go.
	about = regexp.MustCompile(`^(coll|pml|btl|mtl|bml|smsc|opal_common_ucx)(_|$)|^` + OfMPICH)
	// ofStarting matches names that the launcher reads, which ranks may not know.
	ofStarting = regexp.MustCompile(`^(orte|prte|pmix|plm|rmaps|ras|oob|odls|iof|ess|grpcomm|state|errmgr|filem|routed|schizo|rtc|` +
		`regx|hwloc|rml|snapc|sstore|dfs|notifier|reachable|if|prtereachable|prteif)(_|$)`)
	// tunes matches the variables of Open MPI that choose algorithms.
	tunes = regexp.MustCompile(`^coll_tuned_(\w+_algorithm|dynamic_rules_filename)$`)
	// ofSite matches the files that come with an installed library.
	ofSite     = regexp.MustCompile(`/openmpi-mca-params(-override)?\.conf$`)
	assignment = regexp.MustCompile(`(?m)^\s*([A-Za-z][A-Za-z0-9_]*)\s*=`)
)

// Chooses tells whether a variable chooses how collectives and messages go.
func Chooses(name string) bool { return about.MatchString(name) }

// NamesIn returns the variables that a file of Open MPI's sets, such as ~/.openmpi/mca-params.conf.
func NamesIn(text string) (names []string) {
	for _, at := range assignment.FindAllStringSubmatch(text, -1) {
		names = lists.With(names, at[1])
	}
	return names
}

// UnknownOf returns the variables that the library does not have. set names them as the environment does, each with
// where it is set.
func UnknownOf(set map[string]string, known []string) (out []Setting) {
	library := ""
	if slices.ContainsFunc(known, func(name string) bool { return strings.HasPrefix(name, OfMPICH) }) {
		library = OfMPICH
	} else if len(known) > 0 {
		library = OfOpenMPI
	}
	for _, name := range slices.Sorted(maps.Keys(set)) {
		own, is := strings.CutPrefix(name, library)
		if library == OfMPICH {
			own = name
		}
		if !is || library == "" || slices.Contains(known, own) || library == OfOpenMPI && ofStarting.MatchString(own) {
			continue
		}
		near := lists.First(known, func(k string) bool { return about.MatchString(k) && strings.HasSuffix(k, "_"+own) })
		if near == nil {
			bare := strings.TrimPrefix(own, OfMPICH)
			near = lists.First(known, func(k string) bool { return about.MatchString(k) && alike(k, bare) })
		}
		s := Setting{Name: own, From: set[name]}
		if near != nil {
			s.Near = *near
		}
		out = append(out, s)
	}
	return out
}

// LeftOut returns the settings that leave out a component (coll=^hann) which the library does not have, where another
// name is near. What is merely not built is left out in vain everywhere, and nobody minds.
func LeftOut(in []Setting, known []string) (out []Setting) {
	for _, s := range in {
		if !about.MatchString(s.Name) || strings.Contains(s.Name, "_") || ofSite.MatchString(s.From) {
			continue
		}
		names, excludes := strings.CutPrefix(s.Value, "^")
		if !excludes {
			continue
		}
		var components []string
		for _, k := range known {
			if rest, is := strings.CutPrefix(k, s.Name+"_"); is {
				component, _, _ := strings.Cut(rest, "_")
				components = lists.With(components, component)
			}
		}
		for name := range strings.SplitSeq(names, ",") {
			if near := conf.Nearest(name, components); near != "" && near != name {
				s.Component, s.Near = name, near
				out = append(out, s)
			}
		}
	}
	return out
}

// alike tells whether a name has all words of another, in their order.
func alike(name, other string) bool {
	words := strings.Split(strings.ToLower(name), "_")
	for _, word := range strings.Split(strings.ToLower(other), "_") {
		at := slices.Index(words, word)
		if at < 0 {
			return false
		}
		words = words[at+1:]
	}
	return true
}

// Settings returns what is in force on the layouts whose mpiruns told it. known is false if none did.
func (f *Factors) Settings() (in []Setting, known bool) {
	for i := range f.Layouts {
		if s := f.Layouts[i].Settings; s != nil {
			known = true
			for _, one := range s.InForce {
				in = lists.With(in, one)
			}
		}
	}
	return in, known
}

// Idle returns a sentence for each setting that does nothing.
func (s *Settings) Idle() (out []string) {
	if s == nil {
		return nil
	}
	for _, u := range s.Unknown {
		if u.Component != "" {
			out = append(out, fmt.Sprintf("%s (%s) does not leave out %s: the library has no component of that name (did you mean %s?)", u, u.From, u.Component, u.Near))
			continue
		}
		where := phrase.When(!strings.HasSuffix(u.From, u.Name), " in %s", u.From)
		out = append(out, fmt.Sprintf("%s%s does nothing: the library has no such variable%s",
			cmp.Or(phrase.When(where == "", "%s", u.From), u.Name), where, phrase.When(u.Near != "", " (did you mean %s?)", u.Near)))
	}
	return append(out, s.switchedOff()...)
}

// DynamicRules is the variable of Open MPI without which it ignores those that choose algorithms.
const DynamicRules = OfOpenMPI + "coll_tuned_use_dynamic_rules"

// switchedOff names what chooses algorithms of Open MPI while the variable that makes it look at them is not set.
func (s *Settings) switchedOff() (out []string) {
	for _, one := range s.InForce {
		if OfOpenMPI+one.Name == DynamicRules && one.Value != "0" && one.Value != "false" {
			return nil
		}
		if tunes.MatchString(one.Name) && one.Value != "" && one.Value != "0" && one.Value != "ignore" {
			where := phrase.When(!strings.HasSuffix(one.From, one.Name), " in %s", one.From)
			out = append(out, fmt.Sprintf("%s%s does nothing: %s is not 1", cmp.Or(phrase.When(where == "", "%s", one.From), one.Name), where, DynamicRules))
		}
	}
	return out
}

// remarks names what was set and does nothing, and nodes with other settings.
func (s *Settings) remarks() (out []remark.Remark) {
	for _, text := range s.Idle() {
		out = append(out, remark.New(remark.SettingIgnored, "", "%s", text))
	}
	if s != nil && len(s.Differ) > 0 {
		out = append(out, remark.New(remark.EnvDiffers, "", "on %s the library has other settings in force than on the first node", someOf(s.Differ)))
	}
	return out
}

// String is as files and documents name a setting: coll_tuned_alltoall_algorithm=1.
func (s Setting) String() string { return fmt.Sprintf("%s=%s", s.Name, s.Value) }
