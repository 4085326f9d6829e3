// Package effect tells whether a setting is in force.
//
// An environment and the entries that it should choose come in, the answer and what shows it for each go out. It starts
// untimed mpiruns: Open MPI's messages are counted, variables read back. It never times anything.
package effect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/lists"
	"pgmpi/internal/tuning"
	"pgmpi/internal/untimed"
	"pgmpi/measure"
	"pgmpi/measure/host"
	"pgmpi/measure/launch"
	"pgmpi/measure/protocol"
	"pgmpi/mockups"
)

// Of tells whether the entries of an environment besides mpi.env are in force. It makes a few
// untimed mpiruns of each number of processes.
func Of(ctx context.Context, o *untimed.Once, env map[string]string, entries []tuning.Entry) ([]Effect, error) {
	out := make([]Effect, len(entries))
	var nps []int
	for i, e := range entries {
		out[i] = Effect{Entry: e, State: CannotTell, Text: "nothing that runs here shows it"}
		nps = lists.With(nps, e.Choice.NP)
	}
	for _, np := range nps {
		if err := effectOn(ctx, o, guidelines.Shape{NP: np}, env, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func effectOn(ctx context.Context, o *untimed.Once, shape guidelines.Shape, env map[string]string, all []Effect) error {
	var here, counted []*Effect
	for i := range all {
		if f := &all[i]; f.Entry.Choice.NP == shape.NP {
			if here = append(here, f); f.Entry.Proof == tuning.ByMessages || f.Entry.Proof == tuning.ByFile {
				counted = append(counted, f)
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
		judgeEffect(seen, f)
	}
	counted = slices.DeleteFunc(counted, func(f *Effect) bool { return f.State == NotInEffect })
	if len(counted) == 0 {
		return nil
	}
	return byMessages(ctx, o, shape, env, counted)
}

// notUsable answers that an environment under which an mpirun fails is in force nowhere.
func notUsable(ctx context.Context, err error, here []*Effect, why string) error {
	var failed *measure.Error
	if ctx.Err() != nil || !errors.As(err, &failed) {
		return err
	}
	for _, f := range here {
		f.State, f.Text = NotInEffect, why+": "+failed.What
		if failed.Stderr != "" {
			f.Text += ": " + launch.LastLines(failed.Stderr, 1)
		}
	}
	return nil
}

func readFor(e tuning.Entry) []string {
	if e.Proof != tuning.ByRanks {
		return []string{untimed.Name(e.Variable), untimed.Name(untimed.SwitchedBy(e.Variable))}
	}
	var names []string
	for name := range e.Choice.Env {
		names = append(names, protocol.OfEnvironment+name)
	}
	return names
}

func judgeEffect(r untimed.Readings, f *Effect) {
	no := func(format string, args ...any) { f.State, f.Text = NotInEffect, fmt.Sprintf(format, args...) }
	e := f.Entry
	variable := r.Of(e.Variable)
	switch {
	case e.Proof == tuning.ByRanks:
		judgeRanks(r, f)
	case r.SwitchedOff(e.Variable):
		no("Open MPI ignores %s: %s is not 1", e.Variable, host.DynamicRules)
	case !variable.Known:
		no("the library has no variable %s", e.Variable)
	case variable.Unread != "":
		no("%s", variable.Unread)
	case e.Proof == tuning.ByFile && variable.Value == "":
		no("%s is empty: the ranks do not get it", e.Variable)
	case e.Proof == tuning.ByFile:
		f.State, f.Text = InEffect, fmt.Sprintf("all ranks have %s = %s and can read it; MPICH takes it as its whole tree, or ends the program", e.Variable, variable.Value)
	case e.Proof == tuning.ByValue && variable.Value != e.Value:
		no("%s is %s, and not %s", e.Variable, cmp.Or(variable.Value, "empty"), e.Value)
	case e.Proof == tuning.ByValue:
		f.State, f.Text = InEffect, fmt.Sprintf("%s is %s for the library", e.Variable, variable.Value)
	case e.Proof == tuning.ByVariable:
		judgeForced(r, f)
	}
}

func judgeRanks(r untimed.Readings, f *Effect) {
	f.State, f.Text = InEffect, "all ranks have "+f.Entry.Variable
	for _, name := range tuning.Variables(f.Entry.Choice.Env) {
		want, v := f.Entry.Choice.Env[name], r.Named(protocol.OfEnvironment+name)
		switch {
		case v.Unread != "":
			f.State, f.Text = NotInEffect, name+": "+v.Unread
		case !v.Known:
			f.State, f.Text = NotInEffect, "the ranks do not have "+name
		case v.Value != want:
			f.State, f.Text = NotInEffect, fmt.Sprintf("the ranks have %s = %.200q, not %.200q", name, v.Value, want)
		}
	}
}

func judgeForced(r untimed.Readings, f *Effect) {
	c := f.Entry.Choice
	i := slices.IndexFunc(r.Collectives, func(a protocol.Algorithms) bool { return a.Collective == c.Function })
	if i < 0 {
		return
	}
	a := r.Collectives[i]
	k := slices.IndexFunc(a.Names, func(n protocol.Algorithm) bool { return n.Name == c.Algorithm })
	switch {
	case k < 0:
		f.State, f.Text = NotInEffect, "the library has no algorithm "+c.Algorithm+" of "+c.Function
	case a.Now != a.Names[k].Value:
		f.State, f.Text = NotInEffect, fmt.Sprintf("%s is %d, and %s is %d", a.Variable, a.Now, c.Algorithm, a.Names[k].Value)
	default:
		f.State, f.Text = InEffect, fmt.Sprintf("%s is %d, which is %s", a.Variable, a.Now, c.Algorithm)
	}
}

// byMessages compares the messages inside the collectives under the setting. It compares them with the
// messages of the algorithm that it should choose, and with the default's.
func byMessages(ctx context.Context, o *untimed.Once, shape guidelines.Shape, env map[string]string, effects []*Effect) error {
	if !launch.Compares(o.Rank().Library) {
		return nil
	}
	var own, plain []protocol.JobCase
	for _, f := range effects {
		c := f.Entry.Choice
		inside, outside := probesOf(o, f.Entry)
		for _, size := range slices.Concat(inside, outside) {
			plain = untimed.AddCase(plain, c.Function, size)
			own = untimed.AddCase(own, mockups.AlgorithmID(c.Function, mockups.DefaultAlgorithm), size)
		}
		for _, size := range inside {
			own = untimed.AddCase(own, mockups.AlgorithmID(c.Function, c.Algorithm), size)
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
		inside, outside := probesOf(o, f.Entry)
		file := *f
		if compareCounts(f, effects, append(inside, outside...), without, with); f.Entry.Proof == tuning.ByFile && f.State == CannotTell {
			f.State, f.Text = file.State, file.Text+". Which way it goes in the tree is not seen: "+f.Text
		}
	}
	return nil
}

func probesOf(o *untimed.Once, e tuning.Entry) (inside, outside []int64) {
	f, _ := mockups.Get(e.Choice.Function)
	op, _ := guidelines.ResolveOp(o.Config.Job.Datatype, o.Config.Job.Op)
	d, _ := f.Elements(o.Config.Job.Datatype, op)
	return e.Probes(max(1, d.Bytes))
}

func compareCounts(f *Effect, beside []*Effect, sizes []int64, without, with untimed.Counts) {
	c := f.Entry.Choice
	var seen, same []string
	for _, size := range sizes {
		at := func(function string, in untimed.Counts) (protocol.Messages, bool) {
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
			f.State, f.Text = CannotTell, "the library has not counted its messages"
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
			f.State, f.Text = CannotTell, fmt.Sprintf("at %s it sends neither what the default nor what %s alone sends: other entries may act inside of it", human, c.Algorithm)
			return
		case now != want && where:
			f.State = NotInEffect
			f.Text = fmt.Sprintf("at %s it sends %d messages of %d bytes in all, and with %s %d of %d", human, now.Count, now.Bytes, c.Algorithm, want.Count, want.Bytes)
			return
		case now != want && !chosen(beside, c, size):
			f.State = NotInEffect
			f.Text = fmt.Sprintf("it also changes %s, where it sends %d messages, not %d as by default", human, now.Count, want.Count)
			return
		}
	}
	if len(seen) > 0 {
		f.State, f.Text = InEffect, fmt.Sprintf("by messages at %s, such as %s", conf.Plural(len(seen), "size"), seen[0])
		return
	}
	f.State, f.Text = CannotTell, fmt.Sprintf("at %s %s sends as much as the default: it cannot be told apart by messages", strings.Join(same, ", "), c.Algorithm)
}

func chosen(beside []*Effect, c tuning.Choice, size int64) bool {
	return slices.ContainsFunc(beside, func(f *Effect) bool {
		o := f.Entry.Choice
		return o.Function == c.Function && o.NP == c.NP && f.Entry.Covers(size)
	})
}

// Effect says whether an entry of a setting is in force.
type Effect struct {
	Entry tuning.Entry `json:"entry"`
	State State        `json:"state"`
	// Text says by what it is seen, or why it is not in force.
	Text string `json:"text"`
}

type State string

const (
	InEffect    State = "in force"
	NotInEffect State = "not in force"
	// CannotTell means that nothing that the library tells differs with and without it.
	CannotTell State = "cannot be told"
)
