package measure

import (
	"maps"
	"os"

	"pgmpi/guidelines"
	"pgmpi/measure/results"
)

// Open MPI chooses its point-to-point messaging layer (PML) anew in every
// mpirun, and loads for that all that it does not take in the end: with Debian's
// Open MPI 4 two thirds of MPI_Init.

const (
	pmlVariable = "OMPI_MCA_pml"
	// pmlKept is the layer that is worth naming; the others load what they need.
	pmlKept = "ob1"
)

// seePML notes what the first mpirun of a shape in this process chose.
func (s *Session) seePML(shape guidelines.Shape, h *results.Hello) {
	if h.PML == "" {
		return
	}
	if s.pml == nil {
		s.pml = map[guidelines.Shape]string{}
	}
	if s.Manifest.PML == nil {
		s.Manifest.PML = map[string]string{}
	}
	s.pml[shape], s.Manifest.PML[shape.String()] = h.PML, h.PML
}

// envOf is what the ranks of a shape's next mpirun get: the configured variables,
// and the layer that the first one chose, unless it was chosen by hand.
func (s *Session) envOf(shape guidelines.Shape) map[string]string {
	_, byHand := s.Env[pmlVariable]
	if !s.KeepPML || s.pml[shape] != pmlKept || byHand || os.Getenv(pmlVariable) != "" {
		return s.Env
	}
	env := map[string]string{pmlVariable: pmlKept}
	maps.Copy(env, s.Env)
	return env
}
