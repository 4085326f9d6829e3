// Package remedy turns the violations of a check, or the faster algorithms of an exploration, into settings.
//
// It chooses what may help: variables of the C library's malloc, the library's own algorithms, and
// other components of the library. Fresh mpiruns, without and with a setting in turn, prove that it
// helps and harms nothing; conformance calls and what the library tells show that it is right and in
// force. internal/tuning writes the files that put it into effect. What fails is dropped, and the rest
// is proved again.
package remedy

import (
	"context"
	"time"

	"pgmpi/internal/conf"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/document"
	"pgmpi/internal/feature"
	"pgmpi/measure/results"
)

// Feature is `pgmpi remedy`.
var Feature = &feature.Feature{
	Sections: []conf.Section{section},
	Commands: []feature.Command{{Group: "Mend", Before: "ab", Make: newCommand}},
	Submits: []feature.Submit{{Command: "remedy",
		Usage: "the job of pgmpi remedy: the argument is the results folder DIR, the script goes into DIR/remedy, and flags of remedy come after --",
		Of:    []results.Kind{results.Check, results.Explore}, Into: Folder, Takes: takes}},
	Documents: []document.Forms{kind, verified},
}

// takes returns an estimator for the time of a remedy that goes on in its folder.
func takes(config *glfile.File, check, version string) (func() (time.Duration, error), error) {
	x, err := Prepare(Request{Config: config, Check: check, Version: version, Resume: true})
	if err != nil {
		return nil, err
	}
	return func() (time.Duration, error) {
		_, takes, err := x.Planned(context.Background())
		return takes, err
	}, nil
}
