//go:build cgo

package rank

import (
	"testing"
	"time"

	"pgmpi/measure/protocol"
	"pgmpi/nrep"
	"pgmpi/testkit/should"
)

func TestWindowIsDoubledOnlyAfterBadBatchesInARow(t *testing.T) {
	m := &measured{window: time.Millisecond}
	for _, invalid := range []int{9, 5, 4, 20, 5} {
		m.adjust(20, invalid)
	}
	should.Equal(t, m.window, time.Millisecond, "two bad batches, a good one and two bad ones")
	m.adjust(20, 5)
	should.Equal(t, m.window, 2*time.Millisecond, "three bad batches in a row")
}

// Ten repetitions that scatter too much to converge.
func TestAPredictionThatHasSpentItsBudgetEndsAtACheckOfTheMetrics(t *testing.T) {
	var scattered []protocol.Sample
	for i := range int64(10) {
		scattered = append(scattered, protocol.Sample{NS: 1000 * (1 + i)})
	}
	for _, c := range []struct {
		samples int
		took    time.Duration
		want    bool
	}{{10, 4 * time.Millisecond, true}, {10, 2 * time.Millisecond, false}, {9, 4 * time.Millisecond, false}} {
		b := &bench{job: &protocol.CallsJob{Predict: &protocol.PredictJob{NREP: nrep.Default()}}}
		var r protocol.CaseResult
		got := b.enough(nrep.NewPredictor(nrep.Default()), scattered[:c.samples], c.took, &r)
		should.Hold(t, got == c.want && r.Converged == c.want && (r.Reason != "") == c.want, "%d repetitions in %v: %t, %+v", c.samples, c.took, got, r)
	}
}
