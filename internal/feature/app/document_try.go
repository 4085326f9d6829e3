package app

import (
	"fmt"

	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/fail"
	"pgmpi/internal/phrase"
	"pgmpi/internal/picture"
	"pgmpi/internal/stats"
)

// tries makes the documents of `pgmpi try`.
var tries = document.Kind[TryResult]{Name: "try", JSON: true, Sections: trySections,
	Exit: func(r *TryResult) error {
		if r.AB.RatioLo <= 1 {
			return &fail.Refused{Reason: fmt.Sprintf("%s is not shown to be faster with %s", r.Program, r.With)}
		}
		return nil
	}}

func trySections(r *TryResult) []document.Section {
	s, x := document.Section{}, r.AB
	seen := x.Seen()
	part := fmt.Sprintf("%s [%.1f, %.1f]", phrase.Percent(seen.S), 100*seen.Lo, 100*seen.Hi)
	switch {
	case x.RatioLo > 1:
		s.Say("%s gains %s of its run-time with %s.", r.Program, part, r.With)
	case x.RatioHi < 1:
		s.Say("%s is SLOWER with %s: it takes %s [%.1f, %.1f] longer.", r.Program, r.With, phrase.Percent(-seen.S), -100*seen.Hi, -100*seen.Lo)
		s.Tone = picture.Open
	default:
		s.Say("No gain is shown for %s with %s: %s of its run-time. Up to %.1f %% is not excluded; more pairs (--ab) tell more.",
			r.Program, r.With, part, 100*seen.Hi)
		s.Tone = picture.Open
	}
	without, with := stats.MedianFinite(x.WithoutS), stats.MedianFinite(x.WithS)
	s.Say("%s on %s, %s: median %s without it, %s with it, launcher included.", r.Program, conf.Plural(r.Processes, "rank"),
		conf.Plural(len(x.WithS), "alternating pair"), phrase.Duration(&without), phrase.Duration(&with))
	return []document.Section{s}
}
