package tuning

import (
	"slices"
)

// component is a part of a library with its own collectives, and the variable that puts it
// before the others, for all sizes and all communicators.
type component struct {
	family          string
	name            string
	variable, value string
	read            string   // the value as MPI_T gives it: in MPICH the number of a word
	functions       []string // its collectives; nil if it may have any
}

// components lists parts that a library does not use by default, in the order in which they
// should be tried.
var components = []component{
	{"openmpi", "sm", "OMPI_MCA_coll_sm_priority", "100", "100", []string{"MPI_Allreduce", "MPI_Barrier", "MPI_Bcast", "MPI_Reduce"}},
	{"openmpi", "adapt", "OMPI_MCA_coll_adapt_priority", "100", "100", []string{"MPI_Bcast", "MPI_Reduce"}},
	{"openmpi", "han", "OMPI_MCA_coll_han_priority", "100", "100", []string{"MPI_Allgather", "MPI_Allreduce", "MPI_Barrier", "MPI_Bcast", "MPI_Gather", "MPI_Reduce", "MPI_Scatter"}},
	{"mpich", "release_gather", "MPIR_CVAR_ALLREDUCE_POSIX_INTRA_ALGORITHM", "release_gather", "1", []string{"MPI_Allreduce"}},
	{"mpich", "release_gather", "MPIR_CVAR_BCAST_POSIX_INTRA_ALGORITHM", "release_gather", "1", []string{"MPI_Bcast"}},
	{"mpich", "release_gather", "MPIR_CVAR_REDUCE_POSIX_INTRA_ALGORITHM", "release_gather", "1", []string{"MPI_Reduce"}},
	{"mpich", "none of the device", "MPIR_CVAR_DEVICE_COLLECTIVES", "none", "1", nil},
}

// Components returns the choices of components that have one of the collectives. Their
// variables tell whether the library was built with them (ByValue).
func Components(l Library, functions []string) (out []Choice) {
	for _, c := range components {
		has := func(f string) bool { return c.functions == nil || slices.Contains(c.functions, f) }
		if c.family == l.Family && slices.ContainsFunc(functions, has) {
			out = append(out, Choice{Kind: ByComponent, Component: c.name, Env: map[string]string{c.variable: c.value}})
		}
	}
	return out
}
