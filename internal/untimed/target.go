package untimed

import (
	"context"
	"fmt"
	"path/filepath"

	"pgmpi/internal/fail"
	"pgmpi/internal/tuning"
	"pgmpi/measure/protocol"
)

// Target returns the library of the configuration, asked in an mpirun of its own, and the folder
// for the files of settings.
func (o *Once) Target(ctx context.Context, folder string) (t tuning.Target, err error) {
	t.Library = tuning.LibraryOf(o.ranks.Info.Library, o.ranks.Info.LibVersion)
	if t.Folder, err = filepath.Abs(folder); err != nil {
		return t, fail.AsSetup(err)
	}
	if o.ranks.Info.Library != "mpich" {
		return t, nil
	}
	got, err := o.ask(ctx, o.shapes()[0], nil, &protocol.Job{StallNS: int64(forceStall), Algorithms: &protocol.AlgorithmsJob{}})
	switch {
	case err != nil:
		return t, err
	case got.End.Algorithms.LibraryFile == "":
		return t, nil // then no tree is written
	}
	if t.Tree, err = tuning.FindTree(got.End.Algorithms.LibraryFile); err != nil {
		return t, fail.AsSetup(fmt.Errorf("the library's selection tree: %w", err))
	}
	return t, nil
}
