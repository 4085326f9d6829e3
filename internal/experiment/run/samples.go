package run

import (
	"pgmpi/guidelines"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/document"
	"pgmpi/internal/fail"
	"pgmpi/internal/reading"
	"pgmpi/measure/results"
)

// Defaults returns a function that gives the defaults of gl.toml with changes.
func Defaults(change func(*glfile.File)) func() *glfile.File {
	return func() *glfile.File {
		f := glfile.Default()
		change(&f)
		return &f
	}
}

// UsualSizes are measured if [check] names no sizes that matter.
var UsualSizes = guidelines.MsizeList{"8", "1Ki", "16Ki", "64Ki", "256Ki", "1Mi"}

// JudgeSamples sums up all mpiruns of the only stage of a campaign.
func JudgeSamples[T any](c *Campaign, kind document.Kind[T], sum func(name string, runs []*results.Run) (*T, error)) (*Found, error) {
	var runs []*results.Run
	for _, shape := range c.Manifest.Plan.Shapes {
		for r, err := range c.Folder().Runs(c.Stages[0].Mode, shape, &c.Manifest.Plan) {
			if err != nil {
				return nil, err
			}
			runs = append(runs, r)
		}
	}
	name, err := reading.Name(c.Path)
	if err != nil {
		return nil, err
	}
	t, err := sum(name, runs)
	if err != nil {
		return nil, fail.Setupf("%s: %w", c.Path, err)
	}
	return &Found{Document: kind.Document(t)}, nil
}
