package results

import (
	"iter"
	"runtime"

	"pgmpi/guidelines"
	"pgmpi/measure/protocol"
)

// Runs reads the finished mpiruns of one mode and shape and yields them in order.
// It reads one file per core at a time, and keeps no more in memory. After an error it stops.
func (f *Folder) Runs(mode protocol.Mode, shape guidelines.Shape, plan *guidelines.Plan) iter.Seq2[*Run, error] {
	type read struct {
		run *Run
		err error
	}
	return func(yield func(*Run, error) bool) {
		runs, err := f.Finished(mode, shape)
		if err != nil {
			yield(nil, err)
			return
		}
		var ahead []chan read // of runs, the next first
		for len(runs)+len(ahead) > 0 {
			for len(runs) > 0 && len(ahead) < runtime.GOMAXPROCS(0) {
				run, done := runs[0], make(chan read, 1)
				runs, ahead = runs[1:], append(ahead, done)
				go func() {
					r, err := f.ReadRun(mode, shape, run, plan)
					done <- read{r, err}
				}()
			}
			r := <-ahead[0]
			ahead = ahead[1:]
			if !yield(r.run, r.err) || r.err != nil {
				return
			}
		}
	}
}
