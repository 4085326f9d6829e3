package batch

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"
)

// OpenPBS and its relatives, after the OpenPBS user guide 20.0.
var pbs = Scheduler{
	Name:     "pbs",
	Untested: true,
	Submit:   "qsub",
	jobID:    "PBS_JOBID",
	ends: func(ctx context.Context, job string) (time.Time, error) {
		text, err := ask(ctx, "qstat", "-f", job)
		if err != nil {
			return time.Time{}, err
		}
		return pbsEnd(text)
	},
	directives: func(r *Request) []string {
		nodes, ppn := max(1, r.Nodes), r.PPN
		if ppn == 0 {
			ppn = (r.NP + nodes - 1) / nodes
		}
		d := []string{"-N pgmpi", fmt.Sprintf("-l select=%d:ncpus=%d:mpiprocs=%[2]d", nodes, ppn), "-l walltime=" + r.clock(), "-r y", "-j oe", "-o " + r.Log}
		if r.Constraint != "" {
			d[1] += ":" + r.Constraint
		}
		if r.Exclusive {
			d = append(d, "-l place=scatter:excl")
		}
		if r.Account != "" {
			d = append(d, "-A "+r.Account)
		}
		if r.Partition != "" {
			d = append(d, "-q "+r.Partition)
		}
		return prefixed("#PBS ", append(d, r.Options...))
	},
	restarted: "${PGMPI_RESTARTS:-0}",
	again:     "qsub -v PGMPI_RESTARTS={next} {script}",
}

var (
	pbsStart = regexp.MustCompile(`(?m)^\s*(?:stime|start_time) = (.+?)\s*$`) // OpenPBS, Torque
	pbsLimit = regexp.MustCompile(`(?m)^\s*Resource_List\.walltime = (\d+):(\d+):(\d+)\s*$`)
)

func pbsEnd(qstat string) (time.Time, error) {
	begun, limit := pbsStart.FindStringSubmatch(qstat), pbsLimit.FindStringSubmatch(qstat)
	if begun == nil || limit == nil {
		return time.Time{}, errors.New("qstat names no start or no walltime")
	}
	start, err := time.ParseInLocation(time.ANSIC, begun[1], time.Local)
	if err != nil {
		return time.Time{}, err
	}
	d, err := time.ParseDuration(limit[1] + "h" + limit[2] + "m" + limit[3] + "s")
	return start.Add(d), err
}
