package check

import (
	"fmt"
	"slices"

	"pgmpi/analyze"
	"pgmpi/analyze/medians"
	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/phrase"
)

func states(r *analyze.Report) []document.Section {
	var out []document.Section
	for _, shape := range r.Shapes {
		of := slices.DeleteFunc(slices.Clone(r.States), func(s medians.State) bool { return s.Shape != shape.Name })
		if len(of) > 0 {
			out = append(out, statesSection(of), byStateSection(r, shape.Name))
		}
	}
	return out
}

func statesSection(of []medians.State) document.Section {
	shape, by := of[0].Shape, of[0].By
	out := document.Titled("States of the machine, %s: %d, told apart by %s: %s", shape, len(of), by, analyze.StatesOf(of, shape))
	changed := 0
	for _, s := range of {
		reading := ""
		if ns := s.At(by); ns != nil {
			reading = fmt.Sprintf("%s %s; ", by, phrase.Nanoseconds(*ns))
		}
		out.Fact("State "+s.Name, "%smpiruns %s", reading, phrase.Join(", ", "%d", s.Mpiruns))
		changed += len(s.Changed)
	}
	if changed > 0 {
		out.Say("Within %s the machine changed its state; such an mpirun is in the state of most of its readings, and left out of answers by state.", conf.Plural(changed, "mpirun"))
	}
	return out
}

func byStateSection(r *analyze.Report, shape string) document.Section {
	var s document.Section
	t := &document.Table{Head: []string{"guideline", "size", "all mpiruns", "slower", "by state", "answer (mpiruns)"}, Align: "lrlrll", Flex: 5, Spare: []int{3, 4}}
	for _, v := range r.Where(func(v *analyze.Verdict) bool { return v.Shape == shape && v.ByState != nil }) {
		ratios, short := "", ""
		for i, in := range v.ByState {
			ratios += phrase.When(i > 0, ", ") + in.State + ": " + phrase.Ratio(in.Ratio)
			short += fmt.Sprintf("%s%s in state %s (%d)", phrase.When(i > 0, ", "), phrase.Words(in.Verdict), in.State, in.Mpiruns)
		}
		t.Add(v.Guideline+" "+phrase.Plain(v.Cell().Call()), phrase.Size(v.Msize), phrase.Words(v.Verdict), phrase.Ratio(v.Ratio), ratios, short)
	}
	if len(t.Rows) == 0 {
		s.Say("By state: %s.", r.StateAnswers(shape))
		return s
	}
	s.Table = t
	s.Note("By state: what the test says of the mpiruns of one state alone, at alpha = %g and not adjusted. It explains the verdict over all mpiruns, which stays.", r.Alpha)
	return s
}

// matters is the ratio from which states of the machine differ too much to overlook.
const matters = 1.2

// statesThatMatter names a shape's states of the machine if an answer depends on them. It also
// names them if they differ much.
func statesThatMatter(r *analyze.Report, each func([]medians.State, string) string) (out []string) {
	for _, shape := range r.Shapes {
		least, most := 1.0, 1.0
		for _, s := range r.States {
			if s.Shape == shape.Name && s.Ratio != nil {
				least, most = min(least, *s.Ratio), max(most, *s.Ratio)
			}
		}
		n := len(r.Where(func(v *analyze.Verdict) bool { return v.Shape == shape.Name && v.ByState != nil }))
		if n == 0 && most < matters*least {
			continue
		}
		out = append(out, fmt.Sprintf("of the machine%s: %s.", phrase.When(len(r.Shapes) > 1, ", %s", shape.Name), each(r.States, shape.Name)))
	}
	return out
}

func byStateReason(s *document.Section, v *analyze.Verdict) {
	if v.ByState == nil {
		return
	}
	s.Say("It depends on the state of the machine: %s.", v.ByState.String())
	for _, in := range v.ByState {
		s.Item("state %s: %s", in.State, effect(in.Effect))
	}
	s.Say("Each state is judged by its own mpiruns alone, not adjusted: that explains the verdict, and is none.")
}
