package app

import (
	"fmt"
	"path/filepath"

	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/fail"
	"pgmpi/internal/phrase"
	"pgmpi/internal/picture"
	"pgmpi/internal/tuning"
)

const ApplySchema = "pgmpi-apply/1"

// ApplyResult is written as apply.json: mock-ups that replace a program's calls, and the gain that runs have shown.
type ApplyResult struct {
	Schema    string        `json:"schema"` // ApplySchema
	Check     string        `json:"check"`
	Profile   string        `json:"profile"`
	Program   string        `json:"program"`
	Folder    string        `json:"folder"` // of the setting, or "" if there is none
	SameBits  bool          `json:"same_bits"`
	Rules     []AppliedRule `json:"rules"`
	WallS     float64       `json:"wall_s"`
	Predicted Saved         `json:"predicted"` // seconds
	AB        *ProgramAB    `json:"ab"`
	Legal     int           `json:"legal"` // conformance calls that went right under all rules at all sizes
	Why       string        `json:"why"`   // why there is no setting, or "" if there is one
}

// AppliedRule sends calls of From to To bytes to a mock-up.
type AppliedRule struct {
	Function  string `json:"function"`
	Processes int    `json:"processes"`
	From      int64  `json:"from"`
	To        int64  `json:"to"` // inclusive
	Mockup    string `json:"mockup"`
	Types     string `json:"types"` // all, exact or -
	Hits      int64  `json:"hits"`  // calls of all ranks that went through it, in all runs
}

// Line writes the rule as a line of a file for the preloaded library.
func (r AppliedRule) Line() string {
	return fmt.Sprintf("%s %d %d %d %s %s", r.Function, r.Processes, r.From, r.To, r.Mockup, r.Types)
}

// applications makes the documents of `pgmpi apply`.
var applications = document.Kind[ApplyResult]{Name: "apply", JSON: true, Sections: applySections,
	Exit: func(a *ApplyResult) error {
		if a.Why != "" {
			return &fail.Refused{Reason: a.Why}
		}
		return nil
	},
	Ending: func(a *ApplyResult, _ string) (e document.Ending) {
		if a.Folder != "" {
			e.Next = []document.Label{{Name: "Use it", Value: ". " + conf.Quote(filepath.Join(a.Folder, tuning.EnvFile))}}
		}
		return e
	}}

func applySections(a *ApplyResult) []document.Section {
	s := document.Section{}
	if a.Why != "" {
		s.Say("NO SETTING WRITTEN for %s: %s.", a.Program, a.Why)
		s.Tone = picture.Open
	} else {
		seen := a.AB.Seen()
		s.Say("%s gains %s [%.1f, %.1f] of its run-time by %s.", a.Program, phrase.Percent(seen.S), 100*seen.Lo, 100*seen.Hi, conf.Plural(len(a.Rules), "mock-up"))
	}
	if a.AB != nil {
		seen := a.AB.Seen()
		s.Say("Predicted: %s. Seen: %s [%.1f, %.1f] in %s.", a.Predicted.percent(a.WallS), phrase.Percent(seen.S), 100*seen.Lo, 100*seen.Hi, conf.Plural(len(a.AB.WithS), "alternating pair"))
	}
	if a.Legal > 0 {
		s.Say("%s were right with these mock-ups at every size.", conf.Plural(a.Legal, "conformance call"))
	}
	if !a.SameBits && a.Why == "" {
		s.Say("Reductions of floating-point numbers may differ in bits, as their order does; --same-bits leaves such calls out.")
	}
	out := []document.Section{s}
	if len(a.Rules) > 0 {
		t := document.Titled("Rules")
		t.Table = &document.Table{Head: []string{"call", "on", "size", "mock-up", "datatypes", "calls replaced"}, Align: "lllllr", Flex: 3}
		for _, r := range a.Rules {
			t.Table.Add(phrase.Function(r.Function), fmt.Sprintf("p%d", r.Processes), conf.HumanSize(r.From), r.Mockup, r.Types, fmt.Sprint(r.Hits))
		}
		out = append(out, t)
	}
	return out
}
