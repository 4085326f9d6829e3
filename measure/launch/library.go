package launch

import (
	"regexp"
	"strings"
)

// libraries has a row for every family of MPI libraries. The first whose text
// is found in a version counts: MVAPICH's may name MPICH.
var libraries = []*library{&openMPI, &intel, &mvapich, &mpich}

// library is all that pgmpi knows of starting one family.
type library struct {
	family    string // as in RankInfo.Library
	says      string // is found in the text of MPI_Get_library_version
	pmi       string // of srun --mpi: how ranks find each other
	launchers []launcher
	startUp   StartUp
}

// launcher is one of the programs that start a library's ranks on this machine.
type launcher struct {
	programs []string       // in the order they are tried
	says     *regexp.Regexp // is found in the output of PROGRAM --version
	words    []string       // after the program, where every rank has a core
	shared   []string       // where ranks share cores
	refuses  func() error   // why it would not start anything; nil if it would
}

// StartUp is what an mpirun costs without its cases, and a step of a collective
// where ranks share cores, in seconds: the estimate before the first mpirun.
type StartUp struct {
	Fixed, PerRank float64
	Choice         float64 // more, where the messaging layer is chosen anew (mpi.keep_pml)
	SharedStep     float64
}

// A library that gives its core away waits less for the others.
const (
	yieldingStep = 4e-6
	spinningStep = 6e-3
)

// StartUpOf is the start-up of a family, or of any other library.
func StartUpOf(family string) StartUp {
	if l := find(family); l != nil && l.startUp != (StartUp{}) {
		return l.startUp
	}
	return StartUp{Fixed: 0.5, PerRank: 0.065, SharedStep: spinningStep}
}

// Family is the family of MPI libraries that the text of
// MPI_Get_library_version belongs to, as in RankInfo.Library; "" if unknown.
func Family(version string) string {
	for _, l := range libraries {
		if strings.Contains(version, l.says) {
			return l.family
		}
	}
	return ""
}

// find returns the row of a family; nil if there is none.
func find(family string) *library {
	for _, l := range libraries {
		if l.family == family {
			return l
		}
	}
	return nil
}
