package measure

import (
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/measure/protocol"
)

// OverlapConfig is the [overlap] section of gl.toml: how one computes beside a nonblocking call.
type OverlapConfig struct {
	Method string               `toml:"method" json:"method"` // of protocol.OverlapMethods
	Tests  guidelines.MsizeList `toml:"tests" json:"tests"`   // intervals of progress tests, bytes of msize
}

// DefaultOverlap is the [overlap] section of an empty gl.toml.
func DefaultOverlap() OverlapConfig {
	return OverlapConfig{Method: protocol.OverlapTime, Tests: guidelines.MsizeList{"1Mi", "64Ki", "4Ki"}}
}

func (c OverlapConfig) Validate() []conf.FieldError {
	var errs conf.FieldErrors
	errs.Name("method", "method", c.Method, protocol.OverlapMethods)
	_, err := c.intervals()
	errs.Check(err == nil, "tests", "%v", err)
	return errs
}

func (c OverlapConfig) intervals() ([]int64, error) {
	if len(c.Tests) == 0 {
		return nil, nil
	}
	sizes, _, err := guidelines.FitMsizes(c.Tests, 1)
	return sizes, err
}
