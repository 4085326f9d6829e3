package launch

import (
	"errors"
	"fmt"
	"os"
	"os/exec"

	"pgmpi/measure/protocol"
)

const srunName = "srun"

// srun launches through Slurm, only when asked for: the library's own mpirun
// knows Slurm too. Standard input goes to rank 0 alone (without --input=0 the
// step hangs), a rank that dies ends the step (-K), and the way in which ranks
// find each other is the library's.
func srun(program string, rank protocol.RankInfo) ([]string, error) {
	if _, err := exec.LookPath(program); err != nil {
		return nil, fmt.Errorf("launcher %q: %w; it comes with Slurm", program, errors.Unwrap(err))
	}
	if os.Getenv("SLURM_JOB_ID") == "" {
		return nil, errors.New("srun would ask for an allocation for every mpirun: start pgmpi inside one, with salloc or sbatch")
	}
	known := find(rank.Library)
	if known == nil {
		return nil, fmt.Errorf("the rank program is built for %s: say how srun starts it, as in --launch \"srun -K --input=0 --mpi=pmix -n {np}\"", rank.BuiltFor)
	}
	return []string{program, "-K", "--input=0", "--mpi=" + known.pmi, "-n", "{np}"}, nil
}
