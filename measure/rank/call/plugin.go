//go:build cgo

package call

/*
#include <stdlib.h>
#include "plugin.h"

static const pg_mockup *own_row(const pg_plugin *p, int i) { return p->rows + i; }
static int whole(const pg_mockup *m)
{
    return m->call.id != NULL && m->call.prepare != NULL && m->call.run != NULL && m->call.release != NULL &&
           m->temps.one >= 0 && m->temps.per_rank >= 0 && m->temps.padded >= 0;
}
*/
import "C"

import (
	"crypto/sha256"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unsafe"

	"pgmpi/internal/conf"
	"pgmpi/internal/regular"
	"pgmpi/measure/protocol"
	"pgmpi/measure/rank/native"
	"pgmpi/mockups"
)

// LoadMockups loads the shared libraries of a job, all ranks together: a fault at any of
// them is one of all. Their constructors are announced.
func (c *Caller) LoadMockups(files []protocol.Mockups, announce func(string) (done func())) error {
	for i := range files {
		f := &files[i]
		loaded := announce(protocol.MockupFault + " " + f.File)
		hash, err := c.loadFile(f)
		if err != nil {
			err = fmt.Errorf("%s %s: %w", protocol.MockupFault, f.File, err)
		}
		if err := c.Agree(err); err != nil {
			return err
		}
		loaded()
		same, err := c.Text([]byte(hash), 0)
		if err == nil && string(same) != hash {
			err = fmt.Errorf("%s %s: it is another file than rank 0 has", protocol.MockupFault, f.File)
		}
		if err := c.Agree(err); err != nil {
			return err
		}
		f.Hash = hash
	}
	return nil
}

func (c *Caller) loadFile(f *protocol.Mockups) (hash string, err error) {
	if hash, err = inspect(f); err != nil {
		return "", err
	}
	path := C.CString(f.File)
	defer C.free(unsafe.Pointer(path))
	var why *C.char
	plugin := C.pg_load_plugin(path, &why)
	if plugin == nil {
		return "", errors.New(strings.TrimPrefix(C.GoString(why), f.File+": "))
	}
	// The text may lack its end.
	builtFor, _, _ := strings.Cut(C.GoStringN(&plugin.library[0], C.int(len(plugin.library))), "\x00")
	switch {
	case plugin.version != C.PG_PLUGIN_VERSION:
		return "", fmt.Errorf("it has version %d of mockups.h, this pgmpi has %d", plugin.version, C.PG_PLUGIN_VERSION)
	case builtFor != C.PG_LIBRARY:
		return "", fmt.Errorf("it was compiled for %s, and the rank program for %s", builtFor, C.PG_LIBRARY)
	}
	rows := map[string]*C.pg_mockup{}
	for i := range int(plugin.n) {
		row := C.own_row(plugin, C.int(i))
		if C.whole(row) == 0 {
			return "", fmt.Errorf("row %d lacks its id, prepare, run or release, or has fewer than no temporaries", i)
		}
		rows[C.GoString(row.call.id)] = row
	}
	for _, id := range f.IDs {
		row := rows[id]
		if row == nil {
			ids := slices.Sorted(maps.Keys(rows))
			return "", fmt.Errorf("%s; it has %s", conf.Unknown("row", id, ids), strings.Join(ids, ", "))
		}
		t := row.temps
		c.rows[id] = (*native.Function)(unsafe.Pointer(&row.call))
		c.own[id] = mockups.Temp{One: int(t.one), PerRank: int(t.per_rank), Padded: int(t.padded)}
	}
	return hash, nil
}

// inspect looks at a shared library before it is loaded: loading one that is
// linked with another MPI library would load that library, too.
func inspect(f *protocol.Mockups) (hash string, err error) {
	file, err := regular.Open(f.File)
	if err != nil {
		return "", err
	}
	defer file.Close()
	h := sha256.New()
	if _, err := io.Copy(h, file); err != nil {
		return "", err
	}
	hash = fmt.Sprintf("%x", h.Sum(nil))[:16]
	if f.Hash != "" && f.Hash != hash {
		return "", fmt.Errorf("it has changed (%s) since this results folder was begun (%s)", hash, f.Hash)
	}
	object, err := elf.NewFile(file)
	if err != nil {
		return "", errors.New("it is no shared library")
	}
	return hash, sameLibrary(object)
}

// mpiLibrary is the name of a library with the calls of C.
var mpiLibrary = regexp.MustCompile(`^libmpi(ch)?\.so`)

// sameLibrary refuses a shared library that would load another MPI library.
func sameLibrary(object *elf.File) error {
	self, err := elf.Open("/proc/self/exe")
	if err != nil {
		return err
	}
	defer self.Close()
	ours, err := self.ImportedLibraries()
	if err != nil {
		return err
	}
	needed, err := object.ImportedLibraries()
	if err != nil {
		return errors.New("it is no shared library")
	}
	isMPI := func(name string) bool { return mpiLibrary.MatchString(name) }
	has := slices.IndexFunc(ours, isMPI)
	for _, name := range slices.DeleteFunc(needed, func(name string) bool { return !isMPI(name) }) {
		if has >= 0 && !slices.Contains(ours, name) {
			return fmt.Errorf("it was built for another MPI library: it needs %s, and the ranks have %s", name, ours[has])
		}
	}
	return nil
}
