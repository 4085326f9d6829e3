package untimed

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"pgmpi/analyze/report"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/fail"
	"pgmpi/internal/tuning"
	"pgmpi/measure"
	"pgmpi/measure/launch"
	"pgmpi/measure/protocol"
	"pgmpi/mockups"
)

const (
	// whichMemory bounds the buffers of all processes for a case.
	whichMemory = 1 << 28
	// mostLeftOut algorithms may hang or end an mpirun.
	mostLeftOut = 8
)

// Which tells, for every collective, size and shape of the configuration, which of its own
// algorithms the library takes. Open MPI's is recognised by its messages, between which
// processes and of how many bytes; MPICH's is read from the library's selection tree.
func Which(ctx context.Context, config *glfile.File, start measure.Starter) (*report.Which, error) {
	o, err := NewOnce(config, start)
	if err != nil {
		return nil, err
	}
	list, err := o.algorithms(ctx)
	if err != nil {
		return nil, err
	}
	w := &report.Which{Schema: report.WhichSchema, Library: list.Library}
	target, err := o.Target(ctx, ".")
	if err != nil {
		return nil, err
	}
	only := config.Check.Functions
	list.Collectives = slices.DeleteFunc(list.Collectives, func(a protocol.Algorithms) bool {
		return len(a.Names) == 0 || len(only) > 0 && !slices.Contains(only, a.Collective)
	})
	for _, shape := range o.shapes() {
		switch {
		case launch.CountingEnv(o.ranks.Info.Library) != nil:
			err = o.byMessages(ctx, w, shape, target.Library, list)
		case target.Tree != nil && shape.Nodes == 0:
			err = o.byTree(w, shape, target.Tree, list)
		default:
			err = fail.Setupf("%s counts no messages and has no selection tree that can be read for %s: what it chooses cannot be told", list.Library, shape)
		}
		if err != nil {
			return nil, err
		}
	}
	return w, nil
}

// sizesOf returns the sizes of a collective that its datatype has, and the bytes of an element.
func (o *Once) sizesOf(collective string) (sizes []int64, element int64, err error) {
	all, _, err := guidelines.FitMsizes(o.config.Job.Msizes, 1)
	if err != nil || !guidelines.HasSize(collective) {
		return []int64{0}, 1, err
	}
	f, _ := mockups.Get(collective)
	op, _ := guidelines.ResolveOp(o.config.Job.Datatype, o.config.Job.Op)
	d, _ := f.Elements(o.config.Job.Datatype, op)
	element = int64(max(1, d.Bytes))
	return slices.DeleteFunc(all, func(size int64) bool { return size%element != 0 }), element, nil
}

func (o *Once) byTree(w *report.Which, shape guidelines.Shape, tree *tuning.Tree, list *report.Algorithms) error {
	chosen, err := tree.Chooser()
	if err != nil {
		return fail.AsSetup(err)
	}
	for _, a := range list.Collectives {
		sizes, element, err := o.sizesOf(a.Collective)
		if err != nil {
			return err
		}
		for _, size := range sizes {
			name, err := chosen(tuning.Call{Function: a.Collective, NP: shape.NP, Block: size, Elements: size / element})
			row := report.WhichRow{Collective: a.Collective, Shape: shape.String(), Msize: size, Algorithms: []string{name}, By: report.ByTree}
			if err != nil {
				row.Algorithms, row.Why = nil, err.Error()
			}
			w.Rows = append(w.Rows, row)
		}
	}
	return nil
}

// byMessages compares the messages of plain calls with what calls of each algorithm send, and then
// of each with segments of given sizes where none is the same.
func (o *Once) byMessages(ctx context.Context, w *report.Which, shape guidelines.Shape, library tuning.Library, list *report.Algorithms) error {
	var plain, forced, segmented []protocol.JobCase
	var fixed []protocol.Algorithms
	tooLarge := 0
	free := launch.AlgorithmEnv(o.ranks.Info.Library) // of what the environment forces
	for _, a := range list.Collectives {
		free = measure.Env(free, launch.ForceEnv(a.Variable, 0))
		sizes, element, err := o.sizesOf(a.Collective)
		if err != nil {
			return err
		}
		f, _ := mockups.Get(a.Collective)
		for _, size := range sizes {
			if f.Memory(size/element, element, shape.NP).Sum() > whichMemory/int64(shape.NP) {
				tooLarge++
				continue
			}
			plain = addCase(plain, a.Collective, size)
		}
		if a.Fixed {
			fixed = append(fixed, a)
			continue
		}
		for _, x := range a.Names { // each has a communicator
			forced = append(forced, casesOf(plain, a.Collective, x.Name, 0)...)
			for _, other := range tuning.Parameters(library, a.Collective, x.Name, shape.NP) {
				_, bytes, _ := mockups.Parameters(other)
				segmented = append(segmented, casesOf(plain, a.Collective, other, bytes)...)
			}
		}
	}
	if tooLarge > 0 {
		w.LeftOut(fmt.Sprintf("on %s %s whose buffers take more than %s in all", shape, conf.Plural(tooLarge, "call"), conf.HumanMemory(whichMemory)))
	}
	now, err := o.countAll(ctx, w, shape, nil, plain)
	if err != nil {
		return err
	}
	rows := make([]report.WhichRow, len(plain))
	for i, c := range plain {
		m, counted := now[c]
		rows[i] = report.WhichRow{Collective: c.Function, Shape: shape.String(), Msize: c.Msize, By: report.ByMessages, Sent: m}
		if !counted {
			rows[i].Why = "its messages were not counted"
		}
	}
	rowOf := func(c protocol.JobCase) *report.WhichRow {
		f, _ := mockups.Get(c.Function)
		return &rows[slices.Index(plain, protocol.JobCase{Function: f.Of, Msize: c.Msize})]
	}
	for _, cases := range [][]protocol.JobCase{forced, segmented} {
		cases = slices.DeleteFunc(cases, func(c protocol.JobCase) bool {
			return len(rowOf(c).Algorithms) > 0 || rowOf(c).Why != ""
		})
		of, err := o.countAll(ctx, w, shape, free, cases)
		if err != nil {
			return err
		}
		for _, c := range cases {
			r := rowOf(c)
			if m, ok := of[c]; ok && r.Sent == m {
				r.Algorithms = append(r.Algorithms, mockups.Algorithm(c.Function))
			}
		}
	}
	if err := o.byEnvironment(ctx, shape, free, rows, fixed); err != nil {
		return err
	}
	for i := range rows {
		if len(rows[i].Algorithms) == 0 && rows[i].Why == "" {
			rows[i].Why = "none of its own algorithms sends the same messages"
		}
	}
	w.Rows = append(w.Rows, rows...)
	return nil
}

// byEnvironment does the same, in an mpirun for each, with algorithms that can be chosen before the
// library starts only.
func (o *Once) byEnvironment(ctx context.Context, shape guidelines.Shape, free map[string]string, rows []report.WhichRow, fixed []protocol.Algorithms) error {
	for _, a := range fixed {
		var cases []protocol.JobCase
		for _, r := range rows {
			if r.Collective == a.Collective && r.Why == "" {
				cases = append(cases, protocol.JobCase{Function: r.Collective, Msize: r.Msize})
			}
		}
		for _, x := range a.Names {
			env := measure.Env(free, launch.ForceEnv(a.Variable, x.Value))
			got, err := o.countOn(ctx, shape, env, cases, protocol.MessagesJob{Calls: 1})
			var failed *measure.Error
			switch {
			case ctx.Err() != nil:
				return &fail.Interrupted{}
			case errors.As(err, &failed): // such as one for two processes only
				continue
			case err != nil:
				return err
			}
			for i := range rows {
				r := &rows[i]
				if m, ok := got[protocol.JobCase{Function: r.Collective, Msize: r.Msize}]; ok && r.Sent == m {
					r.Algorithms = append(r.Algorithms, x.Name)
				}
			}
		}
	}
	return nil
}

// casesOf makes cases of an algorithm at the sizes of a collective that are larger than its segments.
func casesOf(plain []protocol.JobCase, collective, algorithm string, segment int64) (out []protocol.JobCase) {
	for _, c := range plain {
		if c.Function == collective && (segment == 0 || segment < c.Msize) {
			out = append(out, protocol.JobCase{Function: mockups.AlgorithmID(collective, algorithm), Msize: c.Msize})
		}
	}
	return out
}

// countAll counts the messages of a call of each case, and leaves out what ends an mpirun.
func (o *Once) countAll(ctx context.Context, w *report.Which, shape guidelines.Shape, env map[string]string, cases []protocol.JobCase) (counts, error) {
	cases = slices.Clone(cases)
	for range mostLeftOut {
		if len(cases) == 0 {
			return counts{}, nil
		}
		got, err := o.countOn(ctx, shape, env, cases, protocol.MessagesJob{Calls: 1})
		var failed *measure.Error
		switch {
		case ctx.Err() != nil:
			return nil, &fail.Interrupted{}
		case err == nil || !errors.As(err, &failed) || failed.Hung+failed.Crashed == "":
			return got, err
		}
		bad := failed.Hung + failed.Crashed
		w.LeftOut(fmt.Sprintf("%s on %s: it ends the mpirun or does not return", bad, shape))
		cases = slices.DeleteFunc(cases, func(c protocol.JobCase) bool { return c.Function == bad })
	}
	return nil, fail.Setupf("%d functions in a row end their mpiruns", mostLeftOut)
}
