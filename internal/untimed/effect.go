package untimed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pgmpi/analyze/report"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/lists"
	"pgmpi/internal/tuning"
	"pgmpi/measure"
	"pgmpi/measure/launch"
	"pgmpi/measure/protocol"
	"pgmpi/mockups"
)

// Effects tells, for an environment beside mpi.env, whether its entries are in force, in a few
// untimed mpiruns of each number of processes.
func (o *Once) Effects(ctx context.Context, env map[string]string, entries []tuning.Entry) ([]report.Effect, error) {
	out := make([]report.Effect, len(entries))
	var nps []int
	for i, e := range entries {
		out[i] = report.Effect{Entry: e, State: report.CannotTell, Text: "nothing that runs here shows it"}
		nps = lists.With(nps, e.Choice.NP)
	}
	for _, np := range nps {
		if err := o.effectsOn(ctx, guidelines.Shape{NP: np}, env, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (o *Once) effectsOn(ctx context.Context, shape guidelines.Shape, env map[string]string, all []report.Effect) error {
	var here, byMessages []*report.Effect
	for i := range all {
		if f := &all[i]; f.Entry.Choice.NP == shape.NP {
			if here = append(here, f); f.Entry.Proof == tuning.ByMessages || f.Entry.Proof == tuning.ByFile {
				byMessages = append(byMessages, f)
			}
		}
	}
	var names []string
	for _, f := range here {
		for _, name := range readFor(f.Entry) {
			if name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	seen, err := o.Read(ctx, shape, env, names...)
	if err != nil {
		return notUsable(ctx, err, here, "no MPI program starts with it")
	}
	for _, f := range here {
		seen.judge(f)
	}
	byMessages = slices.DeleteFunc(byMessages, func(f *report.Effect) bool { return f.State == report.NotInEffect })
	if len(byMessages) == 0 {
		return nil
	}
	return o.count(ctx, shape, env, byMessages)
}

// notUsable answers that an environment under which an mpirun fails is in force nowhere.
func notUsable(ctx context.Context, err error, here []*report.Effect, why string) error {
	var failed *measure.Error
	if ctx.Err() != nil || !errors.As(err, &failed) {
		return err
	}
	for _, f := range here {
		f.State, f.Text = report.NotInEffect, why+": "+failed.What
		if failed.Stderr != "" {
			f.Text += ": " + launch.LastLines(failed.Stderr, 1)
		}
	}
	return nil
}

func readFor(e tuning.Entry) []string {
	if e.Proof != tuning.ByRanks {
		return []string{Name(e.Variable), Name(SwitchedBy(e.Variable))}
	}
	var names []string
	for name := range e.Choice.Env {
		names = append(names, protocol.OfEnvironment+name)
	}
	return names
}

func (r Readings) judge(f *report.Effect) {
	no := func(format string, args ...any) { f.State, f.Text = report.NotInEffect, fmt.Sprintf(format, args...) }
	e := f.Entry
	variable := r.Of(e.Variable)
	switch {
	case e.Proof == tuning.ByRanks:
		r.judgeRanks(f)
	case r.SwitchedOff(e.Variable):
		no("Open MPI ignores %s: %s is not 1", e.Variable, DynamicRules)
	case !variable.Known:
		no("the library has no variable %s", e.Variable)
	case variable.Unread != "":
		no("%s", variable.Unread)
	case e.Proof == tuning.ByFile && variable.Value == "":
		no("%s is empty: the ranks do not get it", e.Variable)
	case e.Proof == tuning.ByFile:
		f.State, f.Text = report.InEffect, fmt.Sprintf("all ranks have %s = %s and can read it; MPICH takes it as its whole tree, or ends the program", e.Variable, variable.Value)
	case e.Proof == tuning.ByValue && variable.Value != e.Value:
		no("%s is %s, and not %s", e.Variable, cmp.Or(variable.Value, "empty"), e.Value)
	case e.Proof == tuning.ByValue:
		f.State, f.Text = report.InEffect, fmt.Sprintf("%s is %s for the library", e.Variable, variable.Value)
	case e.Proof == tuning.ByVariable:
		r.judgeForced(f)
	}
}

func (r Readings) judgeRanks(f *report.Effect) {
	f.State, f.Text = report.InEffect, "all ranks have "+f.Entry.Variable
	for _, name := range tuning.Variables(f.Entry.Choice.Env) {
		want, v := f.Entry.Choice.Env[name], r.Named(protocol.OfEnvironment+name)
		switch {
		case v.Unread != "":
			f.State, f.Text = report.NotInEffect, name+": "+v.Unread
		case !v.Known:
			f.State, f.Text = report.NotInEffect, "the ranks do not have "+name
		case v.Value != want:
			f.State, f.Text = report.NotInEffect, fmt.Sprintf("the ranks have %s = %.200q, not %.200q", name, v.Value, want)
		}
	}
}

func (r Readings) judgeForced(f *report.Effect) {
	c := f.Entry.Choice
	i := slices.IndexFunc(r.Collectives, func(a protocol.Algorithms) bool { return a.Collective == c.Function })
	if i < 0 {
		return
	}
	a := r.Collectives[i]
	k := slices.IndexFunc(a.Names, func(n protocol.Algorithm) bool { return n.Name == c.Algorithm })
	switch {
	case k < 0:
		f.State, f.Text = report.NotInEffect, "the library has no algorithm "+c.Algorithm+" of "+c.Function
	case a.Now != a.Names[k].Value:
		f.State, f.Text = report.NotInEffect, fmt.Sprintf("%s is %d, and %s is %d", a.Variable, a.Now, c.Algorithm, a.Names[k].Value)
	default:
		f.State, f.Text = report.InEffect, fmt.Sprintf("%s is %d, which is %s", a.Variable, a.Now, c.Algorithm)
	}
}

// count compares the messages inside the collectives under the setting with the messages of
// the algorithm that it should choose, and with the default's.
func (o *Once) count(ctx context.Context, shape guidelines.Shape, env map[string]string, effects []*report.Effect) error {
	if launch.ComparingEnv(o.Rank().Library) == nil {
		return nil
	}
	var own, plain []protocol.JobCase
	for _, f := range effects {
		c := f.Entry.Choice
		inside, outside := o.probes(f.Entry)
		for _, size := range slices.Concat(inside, outside) {
			plain = AddCase(plain, c.Function, size)
			own = AddCase(own, mockups.AlgorithmID(c.Function, mockups.DefaultAlgorithm), size)
		}
		for _, size := range inside {
			own = AddCase(own, mockups.AlgorithmID(c.Function, c.Algorithm), size)
		}
	}
	without, err := o.Count(ctx, shape, launch.AlgorithmEnv(o.Rank().Library), own, protocol.MessagesJob{})
	if err != nil {
		return err
	}
	with, err := o.Count(ctx, shape, env, plain, protocol.MessagesJob{})
	if err != nil {
		return notUsable(ctx, err, effects, "a plain call ends the mpirun under it")
	}
	for _, f := range effects {
		inside, outside := o.probes(f.Entry)
		file := *f
		if compareCounts(f, effects, append(inside, outside...), without, with); f.Entry.Proof == tuning.ByFile && f.State == report.CannotTell {
			f.State, f.Text = file.State, file.Text+". Which way it goes in the tree is not seen: "+f.Text
		}
	}
	return nil
}

func (o *Once) probes(e tuning.Entry) (inside, outside []int64) {
	f, _ := mockups.Get(e.Choice.Function)
	op, _ := guidelines.ResolveOp(o.Config.Job.Datatype, o.Config.Job.Op)
	d, _ := f.Elements(o.Config.Job.Datatype, op)
	return e.Probes(max(1, d.Bytes))
}

func compareCounts(f *report.Effect, beside []*report.Effect, sizes []int64, without, with Counts) {
	c := f.Entry.Choice
	var seen, same []string
	for _, size := range sizes {
		at := func(function string, in Counts) (protocol.Messages, bool) {
			m, ok := in[protocol.JobCase{Function: function, Msize: size}]
			return m, ok
		}
		now, known := at(c.Function, with)
		byDefault, knownDefault := at(mockups.AlgorithmID(c.Function, mockups.DefaultAlgorithm), without)
		want, where := byDefault, f.Entry.Covers(size)
		if where {
			forced, ok := at(mockups.AlgorithmID(c.Function, c.Algorithm), without)
			want, known = forced, known && ok
		}
		human := conf.HumanSize(size)
		switch {
		case !known || !knownDefault:
			f.State, f.Text = report.CannotTell, "the library has not counted its messages"
			return
		case where && want == byDefault && now == want:
			same = append(same, human)
		case now == want && where:
			text := fmt.Sprintf("%s: %d, %d by default", human, now.Count, byDefault.Count)
			if now.Count == byDefault.Count {
				text = fmt.Sprintf("%s: at most %d from one rank, %d by default", human, now.Most, byDefault.Most)
			}
			seen = append(seen, text)
		case now != want && where && now != byDefault && len(beside) > 1:
			f.State, f.Text = report.CannotTell, fmt.Sprintf("at %s it sends neither what the default nor what %s alone sends: other entries may act inside of it", human, c.Algorithm)
			return
		case now != want && where:
			f.State = report.NotInEffect
			f.Text = fmt.Sprintf("at %s it sends %d messages of %d bytes in all, and with %s %d of %d", human, now.Count, now.Bytes, c.Algorithm, want.Count, want.Bytes)
			return
		case now != want && !chosen(beside, c, size):
			f.State = report.NotInEffect
			f.Text = fmt.Sprintf("it also changes %s, where it sends %d messages, not %d as by default", human, now.Count, want.Count)
			return
		}
	}
	if len(seen) > 0 {
		f.State, f.Text = report.InEffect, fmt.Sprintf("by messages at %s, such as %s", conf.Plural(len(seen), "size"), seen[0])
		return
	}
	f.State, f.Text = report.CannotTell, fmt.Sprintf("at %s %s sends as much as the default: it cannot be told apart by messages", strings.Join(same, ", "), c.Algorithm)
}

func chosen(beside []*report.Effect, c tuning.Choice, size int64) bool {
	return slices.ContainsFunc(beside, func(f *report.Effect) bool {
		o := f.Entry.Choice
		return o.Function == c.Function && o.NP == c.NP && f.Entry.Covers(size)
	})
}
