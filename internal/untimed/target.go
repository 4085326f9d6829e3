package untimed

import (
	"context"
	"fmt"
	"path/filepath"

	"pgmpi/internal/fail"
	"pgmpi/internal/tuning"
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
	r, err := o.read(ctx, o.shapes()[0], nil)
	switch {
	case ctx.Err() != nil:
		return t, &fail.Interrupted{}
	case err != nil:
		return t, fail.AsSetup(err)
	case r.LibraryFile == "":
		return t, nil // then no tree is written
	}
	if t.Tree, err = tuning.FindTree(r.LibraryFile); err != nil {
		return t, fail.AsSetup(fmt.Errorf("the library's selection tree: %w", err))
	}
	return t, nil
}
