package untimed

import (
	"context"
	"fmt"
	"path/filepath"

	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/fail"
	"pgmpi/internal/tuning"
	"pgmpi/measure/protocol"
)

// TuningTarget is what settings are written for: the library of the configuration, asked in an
// mpirun of its own, and the folder that their files will lie in.
func TuningTarget(ctx context.Context, config *glfile.File, folder string) (tuning.Target, error) {
	o, err := NewOnce(config, nil)
	if err != nil {
		return tuning.Target{}, err
	}
	return o.Target(ctx, folder)
}

func (o *Once) Target(ctx context.Context, folder string) (t tuning.Target, err error) {
	t.Library = tuning.LibraryOf(o.ranks.Info.Library, o.ranks.Info.LibVersion)
	if t.Folder, err = filepath.Abs(folder); err != nil {
		return t, fail.AsSetup(err)
	}
	if o.ranks.Info.Library != "mpich" {
		return t, nil
	}
	got, err := o.do(ctx, o.shapes()[0], nil, &protocol.Job{StallNS: int64(forceStall), Algorithms: &protocol.AlgorithmsJob{}}, nil)
	switch {
	case ctx.Err() != nil:
		return t, &fail.Interrupted{}
	case err != nil:
		return t, fail.AsSetup(err)
	case got.End.Algorithms.LibraryFile == "":
		return t, nil // then no tree is written
	}
	if t.Tree, err = tuning.FindTree(got.End.Algorithms.LibraryFile); err != nil {
		return t, fail.AsSetup(fmt.Errorf("the library's selection tree: %w", err))
	}
	return t, nil
}
