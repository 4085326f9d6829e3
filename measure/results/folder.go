package results

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/regular"
	"pgmpi/measure/protocol"
)

type Folder struct {
	Path   string
	lock   *lock
	opened fs.FileInfo // by Open
	Killed []Launcher  // of a killed driver, whose numbers hold here; by Create
}

const (
	manifestName = "manifest.json"
	rawName      = "raw"
	lockName     = ".lock"
	heldName     = ".lock-held" // where there is no flock
)

// Files that `pgmpi submit` puts into a folder before anything is measured there.
const (
	BatchScript = "batch.sh"
	BatchLog    = "batch.log" // what the job prints
	BatchJob    = "batch.json"
)

// Readme holds the whole report on a folder without mpiruns, such as a setting's.
const Readme = "README"

// Create makes a results folder, or takes an existing one. It locks the folder for this process until
// Close.
func Create(path string) (*Folder, error) {
	f, err := Lock(path)
	if err != nil {
		return nil, err
	}
	if err := f.Make(rawName); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Lock makes a folder, or takes an existing one. It locks the folder for this process until Close.
func Lock(path string) (*Folder, error) {
	if err := os.MkdirAll(path, 0o777); err != nil {
		return nil, fmt.Errorf("results folder: %w; choose another with --out", err)
	}
	lock, err := lockFolder(path, syscall.Flock)
	if err != nil {
		return nil, err
	}
	f := &Folder{Path: path, lock: lock}
	f.clear(".")
	return f, nil
}

// Make makes a folder in it, or takes an existing one.
func (f *Folder) Make(name string) error {
	path := filepath.Join(f.Path, name)
	if err := os.Mkdir(path, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("results folder: %w; choose another with --out", err)
	}
	if info, err := os.Lstat(path); err != nil || !info.IsDir() {
		return fmt.Errorf("results folder: %s is a link, and nothing is written through one; choose another with --out", path)
	}
	f.clear(name)
	return nil
}

// clear deletes temporary files, which a killed driver leaves; only the owner of the lock may.
func (f *Folder) clear(name string) {
	dir := filepath.Join(f.Path, name)
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), regular.TempPrefix) {
			f.Killed = append(f.Killed, killedIn(filepath.Join(dir, e.Name()))...)
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

func (f *Folder) ID() string {
	info, err := f.lock.file.Stat()
	if err != nil {
		return ""
	}
	return inode(info)
}

func inode(info fs.FileInfo) string {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return fmt.Sprint(s.Ino)
	}
	return ""
}

// Own tells whether a folder is this user's alone: nobody else owns it
// or may write to it, and its manifest was written into this folder and no other.
func Own(path string, m *Manifest) bool { return OwnFolder(path, manifestName, m.FolderID) }

// OwnFolder is Own for a folder in which another file than the manifest keeps Folder.ID.
func OwnFolder(path, file, id string) bool {
	info, err := os.Stat(filepath.Join(path, lockName))
	return err == nil && id == inode(info) && Private(path, ".", file, lockName)
}

// Private tells whether nobody but this user owns, or may write to, some files of a folder.
func Private(path string, names ...string) bool {
	for _, name := range names {
		info, err := os.Stat(filepath.Join(path, name))
		if err != nil {
			return false
		}
		const group, others = 0o020, 0o002
		s, ok := info.Sys().(*syscall.Stat_t)
		if !ok || int(s.Uid) != os.Geteuid() || info.Mode().Perm()&others != 0 {
			return false
		}
		if info.Mode().Perm()&group != 0 && !private(filepath.Join(path, name), s.Gid) {
			return false
		}
	}
	return true
}

// private tells whether those who may write as the group of a file are its owner alone: many
// systems give each user a group of that name. What only a directory service knows counts
// as shared, and so does a file with a list of more users.
func private(path string, gid uint32) bool {
	if n, err := syscall.Getxattr(path, "system.posix_acl_access", nil); err == nil && n > 0 {
		return false
	}
	me, err := user.Current()
	groups, unread := os.ReadFile("/etc/group")
	return err == nil && unread == nil && me.Gid == fmt.Sprint(gid) && aloneIn(string(groups), me.Username, me.Gid)
}

func aloneIn(groups, name, gid string) bool {
	for line := range strings.Lines(groups) {
		if f := strings.Split(strings.TrimSpace(line), ":"); len(f) == 4 && f[2] == gid {
			return f[0] == name && (f[3] == "" || f[3] == name)
		}
	}
	return false
}

func (f *Folder) Close() error { return f.lock.release() }

// Open takes an existing results folder of one of some kinds, or of any, for reading. It takes no lock:
// a file is there whole or not at all.
func Open(path string, kinds ...Kind) (*Folder, *Manifest, error) {
	f := &Folder{Path: path}
	f.opened, _ = os.Stat(path)
	m, err := f.Manifest()
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(filepath.Join(path, ABFile)); err == nil {
			return nil, nil, &OtherKind{path, AB}
		}
		if f.opened == nil {
			return nil, nil, fmt.Errorf("there is no folder %s", path)
		}
		return nil, nil, fmt.Errorf("%s is no results folder: it has no %s", path, manifestName)
	}
	if err == nil && len(kinds) > 0 && !slices.Contains(kinds, m.Kind) {
		return nil, nil, &OtherKind{path, m.Kind}
	}
	return f, m, err
}

// Still returns an error if the path has got another folder since this one was opened: its manifest and
// its mpiruns would be of two checks.
func (f *Folder) Still() error {
	if info, err := os.Stat(f.Path); f.opened != nil && (err != nil || !os.SameFile(info, f.opened)) {
		return fmt.Errorf("%s was replaced while it was read: read it again", f.Path)
	}
	return nil
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
		case lockName, heldName, manifestName, BatchScript, BatchLog, BatchJob:
			return false
		case rawName:
			raw, err := os.ReadDir(filepath.Join(path, rawName))
			return err != nil || len(raw) > 0
		}
		return true
	})
}

func (f *Folder) Manifest() (*Manifest, error) {
	path := filepath.Join(f.Path, manifestName)
	text, err := regular.Read(path, maxManifest)
	if err != nil {
		return nil, err
	}
	if err := bounded(text); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var m Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, fmt.Errorf("%s: %w; the file is damaged", path, err)
	}
	if m.Schema != ManifestSchema {
		return nil, fmt.Errorf("%s: schema %q, this pgmpi reads %q", path, m.Schema, ManifestSchema)
	}
	if err := cmp.Or(m.readOld(text), m.check()); err != nil {
		return nil, fmt.Errorf("%s: %w; the file is damaged", path, err)
	}
	m.Kind = cmp.Or(m.Kind, Check) // which older versions do not say
	return &m, nil
}

// WriteManifest writes manifest.json, unless it could not be read again.
func (f *Folder) WriteManifest(m *Manifest) error {
	m.Schema = ManifestSchema
	if err := m.check(); err != nil {
		return err
	}
	return f.WriteJSON(manifestName, m)
}

func (f *Folder) WriteJSON(name string, v any) error {
	return f.WriteFile(name, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", " ")
		return e.Encode(v)
	})
}

func (f *Folder) WriteFile(name string, fill func(io.Writer) error) error {
	return regular.Write(filepath.Join(f.Path, name), fill)
}

func (f *Folder) WriteText(name, text string) error {
	return f.WriteFile(name, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

// WriteJob writes the protocol lines of a job to a file. It returns the file's absolute path, for
// launchers that forward no standard input.
func (f *Folder) WriteJob(j *protocol.Job) (string, error) {
	lines, err := protocol.EncodeJob(j)
	if err != nil {
		return "", err
	}
	const name = regular.TempPrefix + "job"
	path, err := filepath.Abs(filepath.Join(f.Path, name))
	if err != nil {
		return "", err
	}
	return path, f.WriteText(name, strings.Join(lines, "\n")+"\n")
}

func (f *Folder) Has(mode protocol.Mode, shape guidelines.Shape, run int) bool {
	_, err := os.Stat(f.rawPath(mode, shape, run))
	return err == nil
}

func (f *Folder) rawPath(mode protocol.Mode, shape guidelines.Shape, run int) string {
	return filepath.Join(f.Path, rawName, RawName(mode, shape, run))
}

func (f *Folder) WriteRun(r *Run) error {
	err := f.writeRows(filepath.Join(rawName, RawName(r.Mode, r.Shape, r.Run)), r.encode)
	if err == nil {
		os.Remove(filepath.Join(f.Path, f.partName(r.Mode, r.Shape, r.Run)))
	}
	return err
}

// WritePart stores the finished cases of an mpirun that was cut off.
func (f *Folder) WritePart(r *Run) error {
	return f.writeRows(f.partName(r.Mode, r.Shape, r.Run), r.encode)
}

// Part returns the run that WritePart has stored, or nil if it cannot be used.
func (f *Folder) Part(mode protocol.Mode, shape guidelines.Shape, run int, plan *guidelines.Plan) *Run {
	r, _ := f.readRun(filepath.Join(f.Path, f.partName(mode, shape, run)), mode, shape, run, plan)
	return r
}

func (f *Folder) partName(mode protocol.Mode, shape guidelines.Shape, run int) string {
	return filepath.Join(rawName, "part-"+RawName(mode, shape, run))
}

// ReadRun reads one finished mpirun and checks that it belongs to the Plan.
func (f *Folder) ReadRun(mode protocol.Mode, shape guidelines.Shape, run int, plan *guidelines.Plan) (*Run, error) {
	return f.readRun(f.rawPath(mode, shape, run), mode, shape, run, plan)
}

func (f *Folder) readRun(path string, mode protocol.Mode, shape guidelines.Shape, run int, plan *guidelines.Plan) (*Run, error) {
	r, err := ReadRaw(path, mostCases(mode, plan))
	if err != nil {
		return nil, err
	}
	if r.Mode != mode || r.Shape != shape || r.Run != run {
		return nil, fmt.Errorf("%s: it holds mpirun %d of %s in %s: move it away, --resume measures this mpirun again", path, r.Run, r.Mode, r.Shape)
	}
	for i, c := range r.Cases {
		if c.Plan < 0 || c.Plan >= len(plan.Cases) ||
			plan.Cases[c.Plan].Function != c.Function || plan.Cases[c.Plan].Msize != c.Msize || plan.Cases[c.Plan].Shape != shape {
			return nil, fmt.Errorf("%s:1: case %d (%s at %s) is another than in the manifest: the file belongs to another plan: move it away, --resume measures this mpirun again", path, i, c.Function, conf.HumanSize(c.Msize))
		}
	}
	return r, nil
}

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

// Start returns how long the last mpirun that measured the first shape took to start, or 0 if unknown.
func (f *Folder) Start(plan *guidelines.Plan) time.Duration {
	there, err := f.Finished(protocol.ModeMeasure, plan.Shapes[0])
	if err != nil || len(there) == 0 {
		return 0
	}
	r, err := f.ReadRun(protocol.ModeMeasure, plan.Shapes[0], there[len(there)-1], plan)
	if err != nil {
		return 0
	}
	return time.Duration(r.LaunchNS)
}
