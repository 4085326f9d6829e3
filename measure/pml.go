package measure

import (
	"maps"
	"os"

	"pgmpi/guidelines"
	"pgmpi/measure/protocol"
)

// Open MPI chooses its point-to-point messaging layer (PML) anew in every
// mpirun, and loads for that all that it does not take in the end: with Debian's
// Open MPI 4 two thirds of MPI_Init.

const (
	pmlVariable = "OMPI_MCA_pml"
	// pmlKept is the layer that is worth naming; the others load what they need.
	pmlKept = "ob1"
)

// seePML notes what an mpirun of a shape chose.
func (s *Session) seePML(shape guidelines.Shape, h *protocol.Hello) {
	if h.PML == "" {
		delete(s.Manifest.PML, shape.String())
		return
	}
	if s.Manifest.PML == nil {
		s.Manifest.PML = map[string]string{}
	}
	s.Manifest.PML[shape.String()] = h.PML
}

// envOf is what the ranks of a shape's next mpirun get: the configured variables,
// and the layer that the first one in this process chose, unless it was chosen by
// hand.
func (s *Session) envOf(shape guidelines.Shape) map[string]string {
	_, byHand := s.Env[pmlVariable]
	if !s.KeepPML || !s.seen[shape] || s.Manifest.PML[shape.String()] != pmlKept || byHand || os.Getenv(pmlVariable) != "" {
		return s.Env
	}
	env := map[string]string{pmlVariable: pmlKept}
	maps.Copy(env, s.Env)
	return env
}
