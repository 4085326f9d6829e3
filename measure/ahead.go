package measure

import (
	"os"
	"path/filepath"
	"syscall"
	"time"

	"pgmpi/guidelines"
	"pgmpi/measure/results"
)

// While an mpirun whose samples are on disk goes through MPI_Finalize, the next
// one goes through MPI_Init. It gets its job when the other has ended.

// started returns the mpirun for a shape, started ahead or now.
func (s *Session) started(shape guidelines.Shape, jobFile string) (*mpirun, error) {
	if m := s.ahead; m != nil {
		s.ahead = nil
		return m, nil
	}
	m := &mpirun{
		argv:  RankArgv(s.Manifest.Launch[shape.String()], s.RankPath, shape.NP),
		env:   environment(s.Env),
		stall: time.Duration(s.Measure.Stall),
	}
	if jobFile != "" {
		m.argv, m.jobFile = append(m.argv, "--job", jobFile), true
	}
	return m, m.start()
}

// startAhead starts mpirun number i of a stage, from 0, if it is certain to come
// and may meet the one before. If it cannot be started that is an error when
// its turn comes.
func (s *Session) startAhead(mode results.Mode, i, runs int) {
	shapes := s.Manifest.Plan.Shapes
	if i >= runs*len(shapes) || s.JobFile {
		return
	}
	shape, run := shapes[i%len(shapes)], i/len(shapes)+1
	_, stopped := s.Manifest.Stopped[mode]
	uncertain := s.MaxTime > 0 || stopped || s.looksAfter(mode, run-1)
	if uncertain || s.Folder.Has(mode, shape, run) || len(s.cases(mode, shape)) == 0 || !s.mayMeet(shape) {
		return
	}
	if m, err := s.started(shape, ""); err == nil {
		s.ahead = m
	}
}

// mayMeet tells whether two mpiruns of a shape take nothing from each other: all
// ranks are on this host, without a batch system that lets steps wait for each
// other's processors, without network adapters, whose contexts are few, and
// with shared memory enough.
func (s *Session) mayMeet(shape guidelines.Shape) bool {
	host, _ := os.Hostname()
	here := false
	for _, l := range s.Manifest.Factors.Layouts {
		if l.Shape == shape.String() {
			here = len(l.Nodes) == 1 && l.Nodes[0].Host == host
		}
	}
	infiniband, _ := filepath.Glob("/sys/class/infiniband/*")
	slingshot, _ := filepath.Glob("/sys/class/cxi/*")
	var shm syscall.Statfs_t
	return here && os.Getenv("SLURM_JOB_ID") == "" && len(infiniband)+len(slingshot) == 0 &&
		syscall.Statfs("/dev/shm", &shm) == nil && shm.Bfree > shm.Blocks/2
}

// dismiss ends an mpirun that was started ahead and is not needed.
func (s *Session) dismiss() {
	if s.ahead != nil {
		s.ahead.kill()
		s.ahead = nil
	}
}
