package untimed

import (
	"context"
	"path/filepath"

	"pgmpi/analyze/report"
	"pgmpi/guidelines"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/fail"
	"pgmpi/internal/tuning"
	"pgmpi/measure"
	"pgmpi/measure/host"
	"pgmpi/measure/launch"
	"pgmpi/measure/protocol"
)

// Once does untimed jobs, each in an mpirun of its own.
type Once struct {
	Config *glfile.File
	ranks  *measure.Outside
}

// NewOnce finds the rank program of a configuration. By default it starts by measure.Exec.
func NewOnce(config *glfile.File, start measure.Starter) (*Once, error) {
	ranks, err := measure.FindRanks(config.MPI, start)
	if err != nil {
		return nil, fail.AsSetup(err)
	}
	return &Once{config, ranks}, nil
}

// OnceWith takes a rank program that has been found and probed already.
func OnceWith(config *glfile.File, start measure.Starter, path string, info protocol.RankInfo) *Once {
	return &Once{config, &measure.Outside{MPI: config.MPI, Start: start, Path: path, Info: info}}
}

// Shapes returns the shapes that the configuration asks for.
func (o *Once) Shapes() []guidelines.Shape {
	return o.Config.Job.On(o.Config.Job.NPOr(launch.DefaultNP))
}

// Few returns the first shape, with two processes if it names no nodes: enough for what does not
// depend on the number of processes.
func (o *Once) Few() guidelines.Shape {
	shape := o.Shapes()[0]
	if shape.Nodes == 0 {
		shape.NP = min(shape.NP, 2)
	}
	return shape
}

// Do does a job on a shape, under an environment besides mpi.env. If the mpirun fails, the error
// is a *measure.Error.
func (o *Once) Do(ctx context.Context, shape guidelines.Shape, env map[string]string, job *protocol.Job,
	progress func(done, total int, name string)) (*protocol.Output, error) {
	out, err := o.ranks.Do(ctx, shape, env, job, progress)
	if ctx.Err() == nil && !fail.Is[*measure.Error](err) {
		err = fail.AsSetup(err)
	}
	return out, err
}

// ReadAlgorithms asks the library in an mpirun of its own; start is measure.Exec by default.
func ReadAlgorithms(ctx context.Context, config *glfile.File, start measure.Starter) (*report.Algorithms, error) {
	o, err := NewOnce(config, start)
	if err != nil {
		return nil, err
	}
	return o.Algorithms(ctx)
}

// Algorithms returns the library's own algorithms.
func (o *Once) Algorithms(ctx context.Context) (*report.Algorithms, error) {
	env := measure.Env(launch.AlgorithmEnv(o.Rank().Library), o.Config.MPI.Env)
	asked, err := protocol.ListAlgorithms.Ask(protocol.AlgorithmsJob{})
	if err != nil {
		return nil, err
	}
	out, err := o.Ask(ctx, o.Few(), env, &protocol.Job{StallNS: int64(measure.Default().Stall), Work: asked})
	if err != nil {
		return nil, err
	}
	found, err := protocol.ListAlgorithms.Found(out.End.Answer)
	if err != nil {
		return nil, err
	}
	return &report.Algorithms{Schema: report.AlgorithmsSchema, Library: o.Rank().LibVersion, Collectives: found.Collectives}, nil
}

// Ask does a job on a shape. If the mpirun fails, nothing can be measured.
func (o *Once) Ask(ctx context.Context, shape guidelines.Shape, env map[string]string, job *protocol.Job) (*protocol.Output, error) {
	out, err := o.Do(ctx, shape, env, job, nil)
	switch {
	case ctx.Err() != nil:
		return nil, &fail.Interrupted{}
	case err != nil:
		return nil, fail.AsSetup(err)
	}
	return out, nil
}

func (o *Once) Layouts(ctx context.Context) (all []host.Layout, err error) {
	for _, shape := range o.Shapes() {
		out, err := o.Ask(ctx, shape, nil, &protocol.Job{StallNS: int64(o.Config.Measure.Stall), Layout: true})
		if err != nil {
			return nil, err
		}
		all = append(all, *out.Layout)
	}
	return all, nil
}

func (o *Once) Rank() protocol.RankInfo { return o.ranks.Info }

// Target returns the library of the configuration, and the folder for the files of settings. It
// asks the library in an mpirun of its own.
func (o *Once) Target(ctx context.Context, folder string) (t tuning.Target, err error) {
	t.Library = tuning.LibraryOf(o.Rank().Library, o.Rank().LibVersion)
	if t.Folder, err = filepath.Abs(folder); err != nil {
		return t, fail.AsSetup(err)
	}
	if o.Rank().Library != "mpich" {
		return t, nil
	}
	r, err := o.Read(ctx, o.Few(), nil)
	switch {
	case ctx.Err() != nil:
		return t, &fail.Interrupted{}
	case err != nil:
		return t, fail.AsSetup(err)
	}
	t.Tree = treeIn(r.LibraryFile)
	return t, nil
}

// treeIn returns nil where a library's tree is not found or not understood: none is read then, and none is written.
func treeIn(library string) *tuning.Tree {
	tree, err := tuning.FindTree(library)
	if err != nil {
		return nil
	}
	return tree
}
