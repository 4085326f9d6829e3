package tuning

import (
	"slices"
	"strings"
)

// component is a part of a library with collectives of its own, and the variable that
// puts it before the others. It is for all sizes and all communicators.
type component struct {
	family          string
	name            string
	variable, value string
	read            string   // what MPI_T gives for the value: MPICH the number of a word
	functions       []string // that it has; nil: it may have any
}

// components are those that a library has beside what it takes by itself, in the order in
// which they should be tried.
var components = []component{
	{"openmpi", "sm", "OMPI_MCA_coll_sm_priority", "100", "100", []string{"MPI_Allreduce", "MPI_Barrier", "MPI_Bcast", "MPI_Reduce"}},
	{"openmpi", "adapt", "OMPI_MCA_coll_adapt_priority", "100", "100", []string{"MPI_Bcast", "MPI_Reduce"}},
	{"openmpi", "han", "OMPI_MCA_coll_han_priority", "100", "100", []string{"MPI_Allgather", "MPI_Allreduce", "MPI_Barrier", "MPI_Bcast", "MPI_Gather", "MPI_Reduce", "MPI_Scatter"}},
	{"mpich", "release_gather", "MPIR_CVAR_ALLREDUCE_POSIX_INTRA_ALGORITHM", "release_gather", "1", []string{"MPI_Allreduce"}},
	{"mpich", "release_gather", "MPIR_CVAR_BCAST_POSIX_INTRA_ALGORITHM", "release_gather", "1", []string{"MPI_Bcast"}},
	{"mpich", "release_gather", "MPIR_CVAR_REDUCE_POSIX_INTRA_ALGORITHM", "release_gather", "1", []string{"MPI_Reduce"}},
	{"mpich", "none of the device", "MPIR_CVAR_DEVICE_COLLECTIVES", "none", "1", nil},
}

// Components are the choices of components that have one of some collectives. Whether
// the library was built with them its variables tell (ByValue).
func Components(l Library, functions []string) (out []Choice) {
	for _, c := range components {
		has := func(f string) bool { return c.functions == nil || slices.Contains(c.functions, f) }
		if c.family == l.Family && slices.ContainsFunc(functions, has) {
			out = append(out, Choice{Kind: ByComponent, Component: c.name, Env: map[string]string{c.variable: c.value}})
		}
	}
	return out
}

// ComponentTitle is how a choice of a component is told.
func (c Choice) ComponentTitle() string {
	var set []string
	for name, value := range c.Env {
		set = append(set, name+"="+value)
	}
	slices.Sort(set)
	return "component " + c.Component + " (" + strings.Join(set, " ") + ")"
}
