package results

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/klauspost/compress/gzip"

	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/measure/protocol"
)

// Folder is a results folder on disk.
type Folder struct {
	Path string
	lock *os.File
}

const (
	manifestName = "manifest.json"
	rawName      = "raw"
	lockName     = ".lock"
)

// Create makes a results folder, or takes an existing one, and locks it for this
// process until Close; the kernel unlocks it when the process dies.
func Create(path string) (*Folder, error) {
	if err := os.MkdirAll(filepath.Join(path, rawName), 0o777); err != nil {
		return nil, fmt.Errorf("results folder: %w; choose another with --out", err)
	}
	lock, err := os.OpenFile(filepath.Join(path, lockName), os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return nil, fmt.Errorf("results folder: %w; choose another with --out", err)
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		lock.Close()
		return nil, fmt.Errorf("%s is in use by another pgmpi; wait for it, or choose another folder with --out", path)
	}
	// What a killed driver was still writing; only the owner of the lock may delete it.
	for _, dir := range []string{path, filepath.Join(path, rawName)} {
		names, _ := filepath.Glob(filepath.Join(dir, ".tmp-*"))
		for _, n := range names {
			os.Remove(n)
		}
	}
	return &Folder{Path: path, lock: lock}, nil
}

// Close unlocks the folder.
func (f *Folder) Close() error { return f.lock.Close() }

// Open takes an existing results folder for reading, without a lock: a file is
// there whole or not at all.
func Open(path string) (*Folder, *Manifest, error) {
	f := &Folder{Path: path}
	m, err := f.Manifest()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("%s is no results folder: it has no %s", path, manifestName)
	}
	return f, m, err
}

// IsFresh tells whether nothing has been measured at path yet. The manifest of
// a check that failed before its first mpirun was finished does not count.
func IsFresh(path string) bool {
	entries, err := os.ReadDir(path)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	return !slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		switch e.Name() {
		case lockName, manifestName:
			return false
		case rawName:
			raw, err := os.ReadDir(filepath.Join(path, rawName))
			return err != nil || len(raw) > 0
		}
		return true
	})
}

// Manifest reads manifest.json.
func (f *Folder) Manifest() (*Manifest, error) {
	path := filepath.Join(f.Path, manifestName)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var m Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, fmt.Errorf("%s: %w; the file is damaged", path, err)
	}
	if m.Schema != ManifestSchema {
		return nil, fmt.Errorf("%s: schema %q, this pgmpi reads %q", path, m.Schema, ManifestSchema)
	}
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("%s: %w; the file is damaged", path, err)
	}
	return &m, nil
}

// WriteManifest writes manifest.json.
func (f *Folder) WriteManifest(m *Manifest) error {
	m.Schema = ManifestSchema
	return f.WriteJSON(manifestName, m)
}

// WriteJSON writes a value as indented JSON into a file of the folder.
func (f *Folder) WriteJSON(name string, v any) error {
	return f.WriteFile(name, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", " ")
		return e.Encode(v)
	})
}

// WriteFile makes a file of the folder of what fill writes: first under the name
// .tmp-NAME, then, when that is on disk, under its own.
func (f *Folder) WriteFile(name string, fill func(io.Writer) error) error {
	path := filepath.Join(f.Path, name)
	tmp := filepath.Join(filepath.Dir(path), ".tmp-"+filepath.Base(path))
	file, err := os.Create(tmp)
	if err != nil {
		return err
	}
	if err = fill(file); err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(tmp, path)
	}
	if err != nil {
		os.Remove(tmp)
		return fmt.Errorf("writing %s: %w", path, err)
	}
	d, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// WriteJob writes the protocol lines of a job to a file and returns its
// absolute path, for launchers that forward no standard input.
func (f *Folder) WriteJob(j *protocol.Job) (string, error) {
	lines, err := protocol.EncodeJob(j)
	if err != nil {
		return "", err
	}
	path, err := filepath.Abs(filepath.Join(f.Path, ".tmp-job"))
	if err != nil {
		return "", err
	}
	return path, os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o666)
}

// Has tells whether an mpirun is finished.
func (f *Folder) Has(mode protocol.Mode, shape guidelines.Shape, run int) bool {
	_, err := os.Stat(f.rawPath(mode, shape, run))
	return err == nil
}

func (f *Folder) rawPath(mode protocol.Mode, shape guidelines.Shape, run int) string {
	return filepath.Join(f.Path, rawName, RawName(mode, shape, run))
}

// WriteRun stores a finished mpirun.
func (f *Folder) WriteRun(r *Run) error {
	return f.WriteFile(filepath.Join(rawName, RawName(r.Mode, r.Shape, r.Run)), func(w io.Writer) error {
		z := gzip.NewWriter(w)
		b := bufio.NewWriterSize(z, 1<<16)
		if err := encodeRaw(b, r); err != nil {
			return err
		}
		return errors.Join(b.Flush(), z.Close())
	})
}

// ReadRun reads one finished mpirun and checks that it belongs to the Plan.
func (f *Folder) ReadRun(mode protocol.Mode, shape guidelines.Shape, run int, plan *guidelines.Plan) (*Run, error) {
	path := f.rawPath(mode, shape, run)
	r, err := ReadRaw(path)
	if err != nil {
		return nil, err
	}
	if r.Mode != mode || r.Shape != shape || r.Run != run {
		return nil, fmt.Errorf("%s: it holds mpirun %d of %s in %s: move it away, --resume measures this mpirun again", path, r.Run, r.Mode, r.Shape)
	}
	for i, c := range r.Cases {
		if c.Plan < 0 || c.Plan >= len(plan.Cases) ||
			plan.Cases[c.Plan].Function != c.Function || plan.Cases[c.Plan].Msize != c.Msize || plan.Cases[c.Plan].Shape != shape {
			return nil, fmt.Errorf("%s:1: case %d (%s at %s) is not that of the manifest: the file belongs to another plan: move it away, --resume measures this mpirun again", path, i, c.Function, conf.HumanSize(c.Msize))
		}
	}
	return r, nil
}

// Finished lists the runs of one mode and shape that are there, ascending.
func (f *Folder) Finished(mode protocol.Mode, shape guidelines.Shape) ([]int, error) {
	entries, err := os.ReadDir(filepath.Join(f.Path, rawName))
	if err != nil {
		return nil, err
	}
	var runs []int
	name := fmt.Sprintf("%s-%s-%%d.tsv.gz", mode, shape)
	for _, e := range entries {
		var run int
		if _, err := fmt.Sscanf(e.Name(), name, &run); err == nil && RawName(mode, shape, run) == e.Name() {
			runs = append(runs, run)
		}
	}
	slices.Sort(runs) // by name 100 comes before 11
	return runs, nil
}
