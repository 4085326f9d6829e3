package check

import (
	"fmt"

	"pgmpi/analyze"
	"pgmpi/analyze/medians"
	"pgmpi/internal/document"
	"pgmpi/internal/phrase"
)

// counted compares what both sides do without a clock.
func counted(e *analyze.Explanation) []document.Section {
	v := e.Verdict
	if v.PageFaults == nil && v.Sent == nil {
		return nil
	}
	t := &document.Table{Head: []string{"a call of", "page faults", "lost its core", "messages", "sent"}, Align: "lrrrr", Flex: 0}
	add := func(name string, faults, switches *float64, s *medians.Sent) {
		messages, bytes := "-", "-"
		if s != nil {
			messages, bytes = phrase.Digits(s.Messages), phrase.Size(int64(s.Bytes+.5))
		}
		t.Add(name, CallsOf(faults), CallsOf(switches), messages, bytes)
	}
	add(fmt.Sprintf("%s at %s", e.Call.Function, phrase.Size(e.Call.Msize)), v.PageFaults, v.Switches, v.Sent)
	if e.Other != nil {
		add(fmt.Sprintf("%s at %s", e.Other.Function, phrase.Size(e.Other.Msize)), v.OtherPageFaults, v.OtherSwitches, v.OtherSent)
	}
	note := "page faults: memory that the kernel had to map first; lost its core: involuntary context switches; both in the median mpirun, at the rank that has most."
	if v.Sent != nil {
		note += " messages, sent: by all ranks together, inside of the library."
	} else {
		t.Drop(4)
		t.Drop(3)
	}
	return document.Tabled(t, note, "What a call does, counted without a clock")
}

// CallsOf is aCall of a number that may be unknown.
func CallsOf(n *float64) string {
	if n == nil {
		return "-"
	}
	return aCall(*n)
}
