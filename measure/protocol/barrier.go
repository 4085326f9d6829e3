package protocol

import (
	"errors"
	"fmt"
)

// Exit is when one rank left MPI_Barrier, over many barriers: its stamp on the global
// clock less the stamp of the rank that left first (S-REVISITED §4.6). ns.
type Exit struct {
	Rank     int     `json:"rank"`
	MeanNS   float64 `json:"mean_ns"`
	CINS     float64 `json:"ci_ns"` // half of the 95 % interval of the mean
	MinNS    float64 `json:"min_ns"`
	P5NS     float64 `json:"p5_ns"`
	Q1NS     float64 `json:"q1_ns"`
	MedianNS float64 `json:"median_ns"`
	Q3NS     float64 `json:"q3_ns"`
	P95NS    float64 `json:"p95_ns"`
	MaxNS    float64 `json:"max_ns"`
	First    float64 `json:"first"` // the share of barriers that no rank left earlier
	Last     float64 `json:"last"`  // and later
	// How far the rank's global clock was ahead of rank 0's before and after the
	// barriers, and how far off that may be, as in ClockCheck.
	ErrorNS [2]int64 `json:"error_ns"`
	BoundNS [2]int64 `json:"bound_ns"`
}

// Barriers sums up the barriers whose exits were stamped.
type Barriers struct {
	ClockSync string `json:"clock_sync"` // of ClockSyncs
	Calls     int    `json:"calls"`      // that all ranks entered at the same global time
	Late      int    `json:"late"`       // that some rank entered later; they do not count
	// The last exit less the first, in the median and in 19 of 20 barriers, ns.
	ApartNS    float64 `json:"apart_ns"`
	ApartP95NS float64 `json:"apart_p95_ns"`
	TimeNS     float64 `json:"time_ns"` // from the first entry to the last exit, the median
}

func (b *Barriers) check() error {
	if b != nil && (b.Calls < 1 || b.Late < 0 || !(min(b.ApartNS, b.ApartP95NS, b.TimeNS) >= 0)) {
		return fmt.Errorf("barriers that cannot have been: %+v", *b)
	}
	return nil
}

func (o *OutputReader) exit(text []byte) (err error) {
	if o.job.Clocks == nil || o.job.Clocks.Barriers == 0 || len(o.out.Exits) == o.job.NP {
		return errors.New("more than the job asks for")
	}
	if o.out.Exits, err = with(o.out.Exits, text); err != nil {
		return err
	}
	i := len(o.out.Exits) - 1
	switch x := &o.out.Exits[i]; {
	case x.Rank != i:
		return fmt.Errorf("rank %d, expected %d", x.Rank, i)
	case min(x.MeanNS, x.CINS, x.MinNS, x.P5NS, x.Q1NS, x.MedianNS, x.Q3NS, x.P95NS, x.MaxNS, x.First, x.Last, float64(x.BoundNS[0]), float64(x.BoundNS[1])) < 0:
		return fmt.Errorf("rank %d has a negative time or share", i)
	}
	return nil
}
