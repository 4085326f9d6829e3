package overlap

import (
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/feature/overlap/work"
)

// Config is the [overlap] section of gl.toml. It says how to compute during a nonblocking call.
type Config struct {
	Method string               `json:"method"`
	Tests  guidelines.MsizeList `json:"tests"` // intervals of progress tests, bytes of msize
}

// section is [overlap].
var section = &conf.SectionOf[Config]{Name: "overlap", Measured: true, Rows: func(c *Config) []conf.Key {
	return []conf.Key{
		{Field: conf.OneOf(&c.Method, work.ByTime, "method", work.Methods),
			Text: "how `pgmpi overlap` computes beside a nonblocking call: `time`, as long as the call takes, by the clock; " +
				"`work`, steps of a loop that take as long where nothing else is done",
			More: "The flag `--method` of `pgmpi overlap` sets it; see [how-to-overlap.md](how-to-overlap.md#time-or-work)."},
		{Field: conf.At(&c.Tests, guidelines.MsizeList{"1Mi", "64Ki", "4Ki"}, func(tests *guidelines.MsizeList) []error {
			_, err := intervals(*tests)
			return conf.Unless(err == nil, "%w", err)
		}),
			Text: "bytes of msize from one progress test (MPI_Test) to the next, of which the best is searched; none at all is always tried",
			More: "The flag `--tests` sets it. A call has floor(msize/interval) + 1 tests; an interval that gives more than 4096 is not tried."},
	}
}}

func intervals(tests guidelines.MsizeList) ([]int64, error) {
	if len(tests) == 0 {
		return nil, nil
	}
	sizes, _, err := guidelines.FitMsizes(tests, 1)
	return sizes, err
}
