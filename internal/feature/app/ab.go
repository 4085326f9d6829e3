package app

import (
	"context"
	"fmt"
	"math/rand/v2"

	"pgmpi/internal/fail"
	"pgmpi/internal/stats"
)

// LeastPairs limits the pairs from below: a 95 % interval needs as many.
const LeastPairs = 6

// AB runs the program alternately without and with a setting. Each pair has a drawn order. One run before them, of
// either kind, does not count: it fills caches.
func (p *Program) AB(ctx context.Context, pairs int, with Setting, tell func(step string)) (*ProgramAB, error) {
	if pairs < LeastPairs {
		return nil, fail.Setupf("--ab %d: an interval of 95 %% needs at least %d pairs", pairs, LeastPairs)
	}
	tell("reading standard input")
	runs, err := p.runs(ctx, 2*(pairs+1))
	if err != nil {
		return nil, err
	}
	defer runs.close()
	x := &ProgramAB{}
	for i := range pairs + 1 {
		tell(fmt.Sprintf("pair %d of %d", i, pairs))
		var took [2]float64
		for _, side := range rand.Perm(2) {
			spent, err := runs.next(ctx, [2]Setting{{}, with}[side])
			if err != nil {
				return nil, err
			}
			took[side] = spent.Seconds()
		}
		if i > 0 {
			x.WithoutS, x.WithS = append(x.WithoutS, took[0]), append(x.WithS, took[1])
		}
	}
	e, err := stats.HodgesLehmannSignedRank(x.WithoutS, x.WithS)
	x.Ratio, x.RatioLo, x.RatioHi = e.Ratio, e.Lo95, e.Hi95
	return x, err
}
