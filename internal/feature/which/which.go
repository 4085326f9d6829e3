package which

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"pgmpi/analyze/chosen"
	"pgmpi/analyze/report"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/fail"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
	"pgmpi/internal/tuning"
	"pgmpi/internal/untimed"
	"pgmpi/measure"
	"pgmpi/measure/host"
	"pgmpi/measure/launch"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/mockups"
)

const (
	// whichMemory limits the buffers of all processes for a case.
	whichMemory = 1 << 28
	// mostLeftOut limits how many algorithms in a row may hang or end an mpirun.
	mostLeftOut = 8
	// twoProcesses ends an mpirun of more processes.
	twoProcesses = "two_proc"
)

// These say how the algorithm of a row was found.
const (
	fromMessages = "messages" // sent between the same processes, of the same bytes
	fromTree     = "tree"     // the library's selection tree
	// fromBoth means the tree, confirmed by the messages where no memory is shared.
	fromBoth = "tree and messages"
	// fromSetting means that the environment, or a file of the library's, forces it.
	fromSetting = "setting"
)

// choosing asks which algorithm a library takes for the calls of a plan or configuration.
type choosing struct {
	*untimed.Once
	*chosen.Which
	plan *guidelines.Plan
}

// ask finds which of its own algorithms the library takes, for every collective, size and shape. It takes the cases
// of a check (of), or if of is nil the cases of the configuration. Open MPI's algorithm is recognised by its
// messages, between which processes and of how many bytes; MPICH's is read from the library's selection tree.
func ask(ctx context.Context, config *glfile.File, of *results.Manifest, start measure.Starter) (*chosen.Which, error) {
	o, err := untimed.NewOnce(config, start)
	if err != nil {
		return nil, err
	}
	c := &choosing{Once: o, Which: &chosen.Which{Schema: chosen.WhichSchema, Library: o.Rank().LibVersion}}
	shapes := o.Shapes()
	if of != nil {
		c.plan, shapes = &of.Plan, of.Plan.Shapes
		if err := asMeasured(o, of); err != nil {
			return nil, err
		}
	}
	list, err := o.Algorithms(ctx)
	if err != nil {
		return nil, err
	}
	target, err := o.Target(ctx, ".")
	if err != nil {
		return nil, err
	}
	only := config.Check.Functions
	list.Collectives = slices.DeleteFunc(list.Collectives, func(a protocol.Algorithms) bool {
		return len(only) > 0 && !slices.Contains(only, a.Collective)
	})
	list.Collectives = c.withoutVariable(list.Collectives)
	for _, shape := range shapes {
		switch {
		case launch.Counts(o.Rank().Library):
			err = c.byMessages(ctx, shape, target.Library, list)
		case target.Tree != nil && shape.Nodes == 0:
			err = c.byTree(ctx, shape, target.Tree, list)
		default:
			err = fail.Setupf("what %s chooses on %s is not known: its messages are not counted, and it has no selection tree that is understood for that", phrase.ShortVersion(list.Library), shape)
		}
		if err != nil {
			return nil, err
		}
	}
	return c.Which, nil
}

func asMeasured(o *untimed.Once, m *results.Manifest) error {
	if was, is := m.Rank.LibVersion, o.Rank().LibVersion; was != is {
		return fail.Setupf("it was measured with %s, and the library is %s now", phrase.ShortVersion(was), phrase.ShortVersion(is))
	}
	now := measure.Env(host.Env(os.Environ()), o.Config.MPI.Env)
	for _, l := range m.Factors.Layouts {
		for _, k := range l.Kinds {
			for name := range measure.Env(now, k.Env) {
				if (name == host.DynamicRules || untimed.ChoosesAlgorithm(name)) && now[name] != k.Env[name] {
					return fail.Setupf("it was measured with %s=%q, and now it is %q: set it so again", name, k.Env[name], now[name])
				}
			}
		}
	}
	return nil
}

// sizesOf returns the sizes of a collective, and the bytes of an element. The sizes are from the plan, or by its
// datatype.
func (o *choosing) sizesOf(collective string, shape guidelines.Shape) (sizes []int64, element int64, err error) {
	f, _ := mockups.Get(collective)
	op, _ := guidelines.ResolveOp(o.Config.Job.Datatype, o.Config.Job.Op)
	d, _ := f.Elements(o.Config.Job.Datatype, op)
	element = int64(max(1, d.Bytes))
	if o.plan != nil {
		for _, i := range o.plan.CasesOf(shape) {
			if k := o.plan.Cases[i]; k.Function == collective {
				sizes = append(sizes, k.Msize)
			}
		}
		slices.Sort(sizes)
		return sizes, element, nil
	}
	all, _, err := guidelines.FitMsizes(o.Config.Job.Msizes, 1)
	if err != nil || !guidelines.HasSize(collective) {
		return []int64{0}, 1, err
	}
	return slices.DeleteFunc(all, func(size int64) bool { return size%element != 0 }), element, nil
}

// byTree asks the tree. Where messages between hosts can be counted, a plain call must send the same as the
// algorithm that the tree names.
func (o *choosing) byTree(ctx context.Context, shape guidelines.Shape, tree *tuning.Tree, list *report.Algorithms) error {
	choose, err := tree.Chooser()
	if err != nil {
		return fail.AsSetup(err)
	}
	var rows []chosen.WhichRow
	var plain, named []protocol.JobCase
	for _, a := range list.Collectives {
		sizes, element, err := o.sizesOf(a.Collective, shape)
		if err != nil {
			return err
		}
		if forced := lists.First(a.Names, func(x protocol.Algorithm) bool { return x.Value == a.Now && x.Value != 0 }); forced != nil {
			for _, size := range sizes {
				rows = append(rows, chosen.WhichRow{Collective: a.Collective, Shape: shape.String(), Msize: size, Algorithms: []string{forced.Name}, By: fromSetting})
			}
			continue
		}
		f, _ := mockups.Get(a.Collective)
		for _, size := range sizes {
			name, err := choose(tuning.Call{Function: a.Collective, NP: shape.NP, Block: size, Elements: size / element})
			row := chosen.WhichRow{Collective: a.Collective, Shape: shape.String(), Msize: size, Algorithms: []string{name}, By: fromTree}
			if err != nil {
				row.Algorithms, row.Why = nil, err.Error()
			} else if f.Memory(size/element, element, shape.NP).Sum() <= whichMemory/int64(shape.NP) && slices.ContainsFunc(a.Names, func(x protocol.Algorithm) bool { return x.Name == name }) {
				plain, named = untimed.AddCase(plain, a.Collective, size), untimed.AddCase(named, mockups.AlgorithmID(a.Collective, name), size)
			}
			rows = append(rows, row)
		}
	}
	now, err := o.countAll(ctx, shape, nil, plain)
	if err != nil {
		return err
	}
	of, err := o.countAll(ctx, shape, launch.AlgorithmEnv(o.Rank().Library), named)
	if err != nil {
		return err
	}
	for i := range rows {
		r := &rows[i]
		a, counted := now[protocol.JobCase{Function: r.Collective, Msize: r.Msize}]
		b, forced := of[protocol.JobCase{Function: mockups.AlgorithmID(r.Collective, r.Name()), Msize: r.Msize}]
		switch {
		case !counted || !forced:
		case a == b:
			r.By, r.Sent = fromBoth, a
		default:
			r.Algorithms, r.Why, r.Sent = nil, "it sends other messages than "+r.Name()+", which the tree names", a
		}
	}
	o.Rows = append(o.Rows, rows...)
	return nil
}

type calls struct {
	plain, forced, segmented []protocol.JobCase // of each algorithm, and of each with given segments
	fixed                    []protocol.Algorithms
	free                     map[string]string // without what the environment forces
}

func (o *choosing) calls(shape guidelines.Shape, library tuning.Library, list *report.Algorithms) (all calls, err error) {
	tooLarge := 0
	all.free = launch.AlgorithmEnv(o.Rank().Library)
	for _, a := range list.Collectives {
		all.free = measure.Env(all.free, launch.ForceEnv(a.Variable, 0))
		sizes, element, err := o.sizesOf(a.Collective, shape)
		if err != nil {
			return all, err
		}
		f, _ := mockups.Get(a.Collective)
		for _, size := range sizes {
			if f.Memory(size/element, element, shape.NP).Sum() > whichMemory/int64(shape.NP) {
				tooLarge++
				continue
			}
			all.plain = untimed.AddCase(all.plain, a.Collective, size)
		}
		if a.Fixed {
			all.fixed = append(all.fixed, a)
			continue
		}
		for _, x := range a.Names { // each has a communicator
			all.forced = append(all.forced, casesOf(all.plain, a.Collective, x.Name, 0)...)
			for _, other := range tuning.Parameters(library, a.Collective, x.Name, shape.NP) {
				_, bytes, _ := mockups.Parameters(other)
				all.segmented = append(all.segmented, casesOf(all.plain, a.Collective, other, bytes)...)
			}
		}
	}
	if tooLarge > 0 {
		o.LeftOut(fmt.Sprintf("on %s %s whose buffers take more than %s in all", shape, conf.Plural(tooLarge, "call"), conf.HumanMemory(whichMemory)))
	}
	return all, nil
}

// byMessages compares the messages of plain calls with the messages of each algorithm. If none is the same, it
// compares them with each algorithm at segments of given sizes.
func (o *choosing) byMessages(ctx context.Context, shape guidelines.Shape, library tuning.Library, list *report.Algorithms) error {
	all, err := o.calls(shape, library, list)
	if err != nil {
		return err
	}
	plain := all.plain
	now, err := o.countAll(ctx, shape, nil, plain)
	if err != nil {
		return err
	}
	rows := make([]chosen.WhichRow, len(plain))
	for i, c := range plain {
		m, counted := now[c]
		rows[i] = chosen.WhichRow{Collective: c.Function, Shape: shape.String(), Msize: c.Msize, By: fromMessages, Sent: m}
		if !counted {
			rows[i].Why = "its messages were not counted"
		}
	}
	rowOf := func(c protocol.JobCase) *chosen.WhichRow {
		return &rows[slices.Index(plain, protocol.JobCase{Function: mockups.Collective(c.Function), Msize: c.Msize})]
	}
	turns := [][]protocol.JobCase{all.forced, all.segmented}
	for turn := 0; turn < len(turns) || slices.ContainsFunc(all.fixed, func(a protocol.Algorithms) bool { return turn < len(a.Names) }); turn++ {
		var cases []protocol.JobCase
		if turn < len(turns) {
			cases = slices.DeleteFunc(turns[turn], func(c protocol.JobCase) bool { return len(rowOf(c).Algorithms) > 0 })
		}
		env, now := all.free, map[string]string{} // set before the library starts; one of each fixed collective
		for _, a := range all.fixed {
			if turn < len(a.Names) && (a.Names[turn].Name != twoProcesses || shape.NP == 2) {
				now[a.Collective], env = a.Names[turn].Name, measure.Env(env, launch.ForceEnv(a.Variable, a.Names[turn].Value))
				cases = append(cases, slices.DeleteFunc(slices.Clone(plain), func(c protocol.JobCase) bool { return c.Function != a.Collective })...)
			}
		}
		cases = slices.DeleteFunc(cases, func(c protocol.JobCase) bool { return rowOf(c).Why != "" })
		of, err := o.countAll(ctx, shape, env, cases)
		if err != nil {
			return err
		}
		for _, c := range cases {
			r := rowOf(c)
			if m, ok := of[c]; ok && r.Sent == m {
				r.Algorithms = append(r.Algorithms, cmp.Or(mockups.Algorithm(c.Function), now[c.Function]))
			}
		}
	}
	unforced(rows, all.forced, shape.NP)
	if library.Major >= hanChooses {
		if err := o.byHan(ctx, shape, rows); err != nil {
			return err
		}
	}
	explainUnnamed(rows, list.Unknown())
	o.Rows = append(o.Rows, rows...)
	return nil
}

// hanChooses is the first Open MPI that gives collectives of several nodes to its component han.
const hanChooses = 5

// byHan names han where calls without an algorithm of tuned's send other messages when han may not choose.
func (o *choosing) byHan(ctx context.Context, shape guidelines.Shape, rows []chosen.WhichRow) error {
	var cases []protocol.JobCase
	for _, r := range rows {
		if len(r.Algorithms) == 0 && r.Why == "" {
			cases = untimed.AddCase(cases, r.Collective, r.Msize)
		}
	}
	without := launch.WithoutHan()
	now := measure.Env(host.Env(os.Environ()), o.Config.MPI.Env)
	for name := range without {
		if now[name] != "" {
			return nil // somebody has chosen the components
		}
	}
	of, err := o.countAll(ctx, shape, without, cases)
	if err != nil {
		return err
	}
	for i := range rows {
		r := &rows[i]
		m, counted := of[protocol.JobCase{Function: r.Collective, Msize: r.Msize}]
		if len(r.Algorithms) == 0 && counted && m != r.Sent {
			r.Algorithms = []string{"han"}
		}
	}
	return nil
}

// unforced takes the names from rows that have all names of a collective. Between several processes not all
// algorithms send the same messages, so forcing one does nothing.
func unforced(rows []chosen.WhichRow, forced []protocol.JobCase, np int) {
	const several = 4
	for i := range rows {
		r := &rows[i]
		all := lists.Count(forced, func(c protocol.JobCase) bool {
			return mockups.Collective(c.Function) == r.Collective && c.Msize == r.Msize && mockups.Algorithm(c.Function) != twoProcesses
		})
		if np >= several && all >= several && len(r.Algorithms) >= all {
			r.Algorithms, r.Why = nil, "all of its algorithms send the same messages: forcing one has no effect here"
		}
	}
}

// explainUnnamed says of rows without an algorithm why they have none.
func explainUnnamed(rows []chosen.WhichRow, unknown []string) {
	for i := range rows {
		switch r := &rows[i]; {
		case len(r.Algorithms) > 0 || r.Why != "":
		case slices.Contains(unknown, r.Collective):
			r.Why = "its own algorithms are not known for this version of the library"
		default:
			r.Why = "none of its own algorithms sends the same messages"
		}
	}
}

// withoutVariable takes the collectives out for which MPI_T has no variable that is known, and says so.
func (o *choosing) withoutVariable(list []protocol.Algorithms) []protocol.Algorithms {
	without := lists.Keep(list, func(a protocol.Algorithms) bool { return a.Variable == "" })
	if len(without) > 0 {
		names := lists.Map(without, func(a protocol.Algorithms) string { return a.Collective })
		o.LeftOut(strings.Join(names, ", ") + ": no variable that chooses their algorithms is known in this library")
	}
	return lists.Keep(list, func(a protocol.Algorithms) bool { return a.Variable != "" })
}

func casesOf(plain []protocol.JobCase, collective, algorithm string, segment int64) (out []protocol.JobCase) {
	for _, c := range plain {
		if c.Function == collective && (segment == 0 || segment < c.Msize) {
			out = append(out, protocol.JobCase{Function: mockups.AlgorithmID(collective, algorithm), Msize: c.Msize})
		}
	}
	return out
}

// countAll counts the messages of a call of each case. It leaves out what ends an mpirun.
func (o *choosing) countAll(ctx context.Context, shape guidelines.Shape, env map[string]string, cases []protocol.JobCase) (untimed.Counts, error) {
	cases = slices.Clone(cases)
	for range mostLeftOut {
		if len(cases) == 0 {
			return untimed.Counts{}, nil
		}
		got, err := o.Count(ctx, shape, env, cases, protocol.MessagesJob{Calls: 1})
		var failed *measure.Error
		switch {
		case ctx.Err() != nil:
			return nil, &fail.Interrupted{}
		case err == nil || !errors.As(err, &failed) || failed.Hung+failed.Crashed == "":
			return got, err
		}
		bad := failed.Hung + failed.Crashed
		o.LeftOut(fmt.Sprintf("%s on %s: it ends the mpirun or does not return", bad, shape))
		cases = slices.DeleteFunc(cases, func(c protocol.JobCase) bool { return c.Function == bad })
	}
	return nil, fail.Setupf("%d functions in a row end their mpiruns", mostLeftOut)
}
