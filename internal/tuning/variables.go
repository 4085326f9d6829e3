package tuning

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
	"pgmpi/mockups"
)

// The writers of what has no sizes.
const mcaName, cvarName = "mca", "cvar"

// mcaVariables force an algorithm for all sizes and all communicators.
var mcaVariables = Writer{
	Name: mcaName, Title: "MCA variables of Open MPI",
	For: isOpenMPI,
	Write: func(_ Target, choices []Choice) (*Setting, error) {
		refuses := func(c Choice) string {
			if rowOf(c.Function).counting == noRules {
				return "Open MPI has no variable for the algorithm of " + c.Function
			}
			if _, segment, fanout := mockups.Parameters(c.Algorithm); segment+int64(fanout) > 0 {
				return "its segments and fan-out are for some sizes, and a variable holds for all"
			}
			if c.Value < 1 {
				return fmt.Sprintf("%d is no number of an algorithm", c.Value)
			}
			return unsafe(c)
		}
		s := forced(mcaName, choices, refuses, func(c Choice) (string, string, Proof) {
			return "OMPI_MCA_coll_tuned_" + lower(c.Function) + "_algorithm", strconv.Itoa(c.Value), ByMessages
		})
		if len(s.Entries) > 0 {
			s.Env[useDynamicRules] = "1"
		}
		return s, nil
	},
}

var mpichVariables = Writer{
	Name: cvarName, Title: "variables (CVAR) of MPICH",
	For: func(l Library) bool { return l.Family == "mpich" },
	Write: func(_ Target, choices []Choice) (*Setting, error) {
		return forced(cvarName, choices, func(c Choice) string {
			switch c.Algorithm {
			case "":
				return "it names no algorithm"
			case powersOfTwo: // the others fall back
				return "noncommutative is for 2, 4, 8, … processes, and the variable holds for every communicator: MPICH would end the program on others"
			}
			return ""
		}, func(c Choice) (string, string, Proof) {
			return "MPIR_CVAR_" + strings.ToUpper(lower(c.Function)) + "_INTRA_ALGORITHM", c.Algorithm, ByVariable
		}), nil
	},
}

// forced writes choices for all measured sizes as one variable for each collective.
func forced(writer string, choices []Choice, refuses func(Choice) string, as func(Choice) (name, value string, p Proof)) *Setting {
	s := &Setting{Writer: writer, Env: map[string]string{}}
	functions, of := accepted(choices, s, func(c Choice) string {
		return cmp.Or(refuses(c), phrase.When(!c.Everywhere(), "a variable holds for all message sizes: only a choice for all measured sizes can be written, with --extend"))
	})
	for _, f := range functions {
		for _, c := range of[f] {
			name, value, proof := as(c)
			if old, ok := s.Env[name]; ok && old != value {
				s.reject(c, fmt.Sprintf("a variable holds for all numbers of processes, and %s is %s already", name, old))
				continue
			}
			s.Env[name] = value
			s.Entries = append(s.Entries, Entry{Choice: c, Where: name, Variable: name, Value: value, Proof: proof})
		}
	}
	if len(s.Entries) > 0 {
		s.Notes = append(s.Notes, "These variables hold for all message sizes, and for every communicator, whatever its number of processes.")
	}
	return s
}

var environment = Writer{
	Name: "env", Title: "environment",
	For: func(Library) bool { return true },
	Write: func(t Target, choices []Choice) (*Setting, error) {
		s := &Setting{Writer: "env", Env: map[string]string{}}
		for _, c := range choices {
			if why := refusesEnv(s.Env, c); why != "" {
				s.reject(c, why)
				continue
			}
			maps.Copy(s.Env, c.Env)
			foreign := lists.Keep(Variables(c.Env), func(name string) bool { return !strings.HasPrefix(name, "OMPI_") })
			if len(foreign) > 0 && isOpenMPI(t.Library) { // whose mpirun hands no other variables to remote ranks
				handed := append(strings.FieldsFunc(s.Env[handedOn], func(r rune) bool { return r == ';' }), foreign...)
				s.Env[handedOn] = strings.Join(slices.Compact(slices.Sorted(slices.Values(handed))), ";")
			}
			names := strings.Join(slices.Sorted(maps.Keys(c.Env)), ", ")
			entry := Entry{Choice: c, Where: names, Variable: names, Proof: ByRanks}
			if c.Kind == ByComponent {
				entry.Value, entry.Proof = c.Env[names], ByValue
				if known := c.component(); known != nil {
					entry.Value = known.read
				}
				if !isTold(names) {
					entry.Value, entry.Proof = "", ByRanks
				}
			}
			s.Entries = append(s.Entries, entry)
		}
		for _, name := range slices.Sorted(maps.Keys(s.Env)) {
			if cost := costs[name]; cost != "" {
				s.Notes = append(s.Notes, name+": "+cost)
			}
		}
		return s, nil
	},
}

// handedOn names the variables that Open MPI's mpirun hands to remote ranks besides its own.
const handedOn = "OMPI_MCA_mca_base_env_list"

var costs = map[string]string{
	"MALLOC_TRIM_THRESHOLD_": "the C library gives no memory that was freed back to the system below this size; a process keeps the most that it ever had",
	"MALLOC_MMAP_THRESHOLD_": "memory of up to this size comes from the heap, and stays in the process when it is freed",
}

func refusesEnv(env map[string]string, c Choice) string {
	if c.Kind != ByEnv && c.Kind != ByComponent {
		return c.wrongKind()
	}
	if len(c.Env) == 0 {
		return "it has no variable"
	}
	if c.Kind == ByComponent && len(c.Env) > 1 {
		return "a component is chosen by one variable"
	}
	for name, value := range c.Env {
		if err := checkVariable(name, value); err != nil {
			return err.Error()
		}
		if old, ok := env[name]; ok && old != value {
			return fmt.Sprintf("%s is %s already", name, old)
		}
	}
	return ""
}

// checkVariable refuses characters that a shell or a launcher would interpret.
func checkVariable(name, value string) error {
	for i, r := range name {
		if r != '_' && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && (i == 0 || r < '0' || r > '9') {
			return fmt.Errorf("%.40q is no name of a variable", name)
		}
	}
	if name == "" {
		return fmt.Errorf("a variable has no name")
	}
	for _, r := range value {
		if r < ' ' || r == 0x7f || r == 0xfffd {
			return fmt.Errorf("the value of %s has a character that no variable should have", name)
		}
	}
	return nil
}

// component describes a part of a library with its own collectives. Its variable puts it before the
// others, or behind them, for all sizes and all communicators.
type component struct {
	family          string
	from, before    int // major versions of the library in which it may change something; 0: no limit
	name            string
	variable, value string
	read            string   // the value as MPI_T returns it: in MPICH the number of a word; "" if it has none
	functions       []string // its collectives; nil if it may have any
}

var (
	ofHan = []string{"MPI_Allgather", "MPI_Allreduce", "MPI_Barrier", "MPI_Bcast", "MPI_Gather", "MPI_Reduce", "MPI_Scatter"}
	ofXHC = []string{"MPI_Allreduce", "MPI_Barrier", "MPI_Bcast", "MPI_Reduce"}
)

// components lists parts that a library does not use by default, in order of trial, and one that it does: since 5.0
// Open MPI's han comes first on several nodes, and a higher priority changes nothing.
var components = []component{
	{"openmpi", 5, 0, "without han", "OMPI_MCA_coll_han_priority", "0", "0", nil},
	{"openmpi", 0, 6, "sm", "OMPI_MCA_coll_sm_priority", "100", "100", ofXHC},
	{"openmpi", 6, 0, "xhc", "OMPI_MCA_coll_xhc_priority", "100", "100", ofXHC},
	{"openmpi", 6, 0, "acoll", "OMPI_MCA_coll_acoll_priority", "100", "100", nil},
	{"openmpi", 0, 0, "adapt", "OMPI_MCA_coll_adapt_priority", "100", "100", []string{"MPI_Bcast", "MPI_Reduce"}},
	{"openmpi", 0, 5, "han", "OMPI_MCA_coll_han_priority", "100", "100", ofHan},
	{"mpich", 0, 0, "release_gather", "MPIR_CVAR_ALLREDUCE_POSIX_INTRA_ALGORITHM", "release_gather", "1", []string{"MPI_Allreduce"}},
	{"mpich", 0, 0, "release_gather", "MPIR_CVAR_BCAST_POSIX_INTRA_ALGORITHM", "release_gather", "1", []string{"MPI_Bcast"}},
	{"mpich", 0, 0, "release_gather", "MPIR_CVAR_REDUCE_POSIX_INTRA_ALGORITHM", "release_gather", "1", []string{"MPI_Reduce"}},
	{"mpich", 0, 0, "without device collectives", "MPIR_CVAR_DEVICE_COLLECTIVES", "none", "1", nil},
}

// Part names what a choice of a component sets: "the component sm", "leaving out han", "a larger eager limit".
func (c Choice) Part() string {
	if c.Component == eagerLimit {
		return "a " + eagerLimit
	}
	if left, out := strings.CutPrefix(c.Component, "without "); out {
		return "leaving out " + left
	}
	return "the component " + c.Component
}

// Concerns tells whether a component has a collective, so that choosing it can change that.
func (c Choice) Concerns(function string) bool {
	known := c.component()
	return known == nil || known.functions == nil || slices.Contains(known.functions, function)
}

// component returns the row of a choice, or nil if it has none.
func (c Choice) component() *component {
	return lists.First(components, func(x component) bool {
		return x.name == c.Component && c.Env[x.variable] == x.value
	})
}

// Components returns the choices of components that have one of the collectives. Their
// variables tell whether the library was built with them (ByValue).
func Components(l Library, functions []string) (out []Choice) {
	for _, c := range components {
		has := func(f string) bool { return c.functions == nil || slices.Contains(c.functions, f) }
		in := l.Major >= c.from && (c.before == 0 || l.Major < c.before)
		if c.family == l.Family && in && slices.ContainsFunc(functions, has) {
			out = append(out, Choice{Kind: ByComponent, Component: c.name, Env: map[string]string{c.variable: c.value}})
		}
	}
	return out
}
