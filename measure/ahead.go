package measure

import (
	"os"
	"path/filepath"
	"syscall"
	"time"

	"pgmpi/guidelines"
	"pgmpi/measure/launch"
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
		argv:  launch.RankArgv(s.Manifest.Launch[shape.String()], s.RankPath, shape.NP),
		env:   environment(s.envOf(shape)),
		stall: time.Duration(s.Measure.Stall),
	}
	if jobFile != "" {
		m.argv, m.jobFile = append(m.argv, "--job", jobFile), true
	}
	return m, m.start()
}

// startAhead starts the mpirun after the one of p, if it is certain to come and
// may meet that one. If it cannot be started that is an error when its turn comes.
func (s *Session) startAhead(p Progress) {
	if p.Run == p.Runs || s.JobFile {
		return
	}
	shapes := s.Manifest.Plan.Shapes
	shape, run := shapes[p.Run%len(shapes)], p.Run/len(shapes)+1
	_, stopped := s.Manifest.Stopped[p.Mode]
	uncertain := s.MaxTime > 0 || stopped || s.looksAfter(p.Mode, run-1)
	if uncertain || s.Folder.Has(p.Mode, shape, run) || len(s.cases(p.Mode, shape)) == 0 || !s.mayMeet(shape) {
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
