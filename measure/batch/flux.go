package batch

import (
	"context"
	"fmt"
	"strconv"
	"time"
)

// Flux, after the manual pages of flux-core 0.66.
var flux = Scheduler{
	Name:     "flux",
	Untested: true,
	Submit:   "flux batch",
	jobID:    "FLUX_JOB_ID",
	ends: func(ctx context.Context, job string) (time.Time, error) {
		text, err := ask(ctx, "flux", "job", "timeleft", job)
		if err != nil {
			return time.Time{}, err
		}
		return fluxEnd(time.Now(), text)
	},
	directives: func(r *Request) []string {
		d := []string{"--job-name=pgmpi", fmt.Sprintf("--nslots=%d", r.NP), fmt.Sprintf("--time-limit=%dm", r.Minutes()), "--signal=SIGUSR1@90s", "--output=" + r.Log}
		if r.Nodes > 0 {
			d = append(d, fmt.Sprintf("--nodes=%d", r.Nodes))
		}
		for _, o := range [][2]string{{"--bank", r.Account}, {"--queue", r.Partition}, {"--requires", r.Constraint}} {
			if o[1] != "" {
				d = append(d, o[0]+"="+o[1])
			}
		}
		if r.Exclusive {
			d = append(d, "--exclusive")
		}
		return prefixed("#flux: ", append(d, r.Options...))
	},
	restarted: "${PGMPI_RESTARTS:-0}",
	again:     "flux batch --env=PGMPI_RESTARTS={next} {script}",
}

// fluxEnd reads the seconds that are left.
func fluxEnd(now time.Time, timeleft string) (time.Time, error) {
	s, err := strconv.ParseFloat(timeleft, 64)
	if err != nil || s <= 0 || s > 1e9 { // without a limit it is a huge number
		return time.Time{}, err
	}
	return now.Add(time.Duration(s * float64(time.Second))), nil
}
