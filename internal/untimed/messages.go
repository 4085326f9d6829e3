package untimed

import (
	"context"

	"pgmpi/guidelines"
	"pgmpi/internal/lists"
	"pgmpi/measure"
	"pgmpi/measure/launch"
	"pgmpi/measure/protocol"
)

// Counts holds the messages of one call of each case.
type Counts map[protocol.JobCase]protocol.Messages

// AddCase adds a case once.
func AddCase(cases []protocol.JobCase, function string, size int64) []protocol.JobCase {
	return lists.With(cases, protocol.JobCase{Function: function, Msize: size})
}

// Count counts the messages of cases under an environment besides mpi.env. It leaves out what the
// library does not count.
func (o *Once) Count(ctx context.Context, shape guidelines.Shape, env map[string]string, cases []protocol.JobCase, job protocol.MessagesJob) (Counts, error) {
	op, wrong := guidelines.ResolveOp(o.Config.Job.Datatype, o.Config.Job.Op)
	for _, err := range wrong {
		return nil, err
	}
	calls := &protocol.CallsJob{Mode: protocol.ModeMessages, Messages: &job, Cases: cases, Datatype: o.Config.Job.Datatype, Op: op, Sync: protocol.SyncBarrier, Sample: protocol.SampleLocal,
		Clock: protocol.ClockMonotonic, ClockSync: protocol.ClockSyncShared, Cache: protocol.CacheWarm, TempMemory: 1 << 30}
	for i := range cases {
		calls.Order = append(calls.Order, i)
	}
	got, err := o.Do(ctx, shape, measure.Env(launch.ComparingEnv(o.Rank()), env), &protocol.Job{StallNS: int64(stall), CallsJob: calls}, nil)
	if err != nil {
		return nil, err
	}
	out := Counts{}
	for _, c := range got.Cases {
		if c.Messages != nil {
			out[cases[c.Case]] = *c.Messages
		}
	}
	return out, nil
}
