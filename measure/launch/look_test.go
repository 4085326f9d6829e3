package launch

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgmpi/guidelines"
	"pgmpi/measure/protocol"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// A rank program that would leave a trace if it was started.
func TestLookingAtARankProgramStartsNothing(t *testing.T) {
	dir := t.TempDir()
	path, trace := filepath.Join(dir, "pgmpi-rank"), filepath.Join(dir, "started")
	must.Do(t, os.WriteFile(path, fmt.Appendf(nil, "#!/bin/sh\ntouch %s\n", trace), 0o777))
	info, err := Look(path)
	should.Hold(t, err == nil && len(info.Hash) == 16 && info.LibVersion == "", "%+v, %v", info, err)
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	must.Do(t, os.Link(path, filepath.Join(dir, "mpirun.mpich")))
	argv, err := Likely(Config{}, protocol.RankInfo{Library: "mpich"}, guidelines.Shape{NP: 1})
	should.Hold(t, err == nil && slices.Equal(argv[:2], []string{filepath.Join(dir, "mpirun.mpich"), "-np"}), "%q, %v", argv, err)
	argv, err = Likely(Config{}, protocol.RankInfo{}, guidelines.Shape{NP: 1})
	should.Hold(t, argv == nil && err == nil, "of no family: %q, %v", argv, err)
	_, err = os.Stat(trace)
	should.Hold(t, err != nil, "it was started")
	must.Do(t, exec.Command(path).Run())
	_, err = os.Stat(trace)
	should.Do(t, err, "started, it leaves no trace")
}

// A dry run on a login node shows the words of a job, and only a measurement needs the job.
func TestLookingAtSrunNeedsNoAllocation(t *testing.T) {
	noBatch(t)
	onlyLaunchers(t, map[string]string{"srun": "slurm-wlm 22.05.8\n"})
	srun, shape := Config{Words: []string{"srun"}}, shapeOf(t, "1024x64")
	argv, err := Likely(srun, protocol.RankInfo{Library: "openmpi"}, shape)
	if want := []string{"srun", "-K", "--input=0", "--mpi=pmix", "-n", "{np}", "-N", "{nodes}", "--ntasks-per-node={ppn}", "--distribution=block"}; err != nil || !slices.Equal(argv, want) {
		t.Errorf("%q, %v", argv, err)
	}
	if argv, err := Likely(srun, protocol.RankInfo{}, shape); argv != nil || err != nil {
		t.Errorf("of no family: %q, %v", argv, err)
	}
	if _, err := Launch(srun, protocol.RankInfo{Library: "openmpi"}, shape); err == nil || !strings.Contains(err.Error(), "salloc or sbatch") {
		t.Errorf("measured without an allocation: %v", err)
	}
}

func TestFamilyIsReadFromTheNameOfTheWrapper(t *testing.T) {
	for mpicc, want := range map[string]string{"/usr/bin/mpicc.openmpi": "openmpi", "/opt/mpich/bin/mpicc": "mpich", "/opt/mvapich2/bin/mpicc": "", "": "", "/no/bin/mpicc": ""} {
		should.Equal(t, familyOf(mpicc), want, "%s", mpicc)
	}
}
