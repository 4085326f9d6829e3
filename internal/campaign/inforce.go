package campaign

import (
	"context"
	"errors"

	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/tuning"
)

// Force says whether an entry of a setting is in force.
type Force struct {
	Entry tuning.Entry `json:"entry"`
	State ForceState   `json:"state"`
	// Text says by what it is seen, or why it is not in force.
	Text string `json:"text"`
}

// ForceState is an answer to "is it in force?".
type ForceState string

const (
	InForce    ForceState = "in force"
	NotInForce ForceState = "not in force"
	// CannotTell: nothing that the library tells differs with and without it.
	CannotTell ForceState = "cannot be told apart"
)

// ReadForce tells, for an environment (beyond mpi.env), whether what it is to choose is
// chosen, in an mpirun or two for each number of processes that times nothing.
func ReadForce(ctx context.Context, config *glfile.File, env map[string]string, entries []tuning.Entry) ([]Force, error) {
	return nil, errors.New("not built yet")
}
