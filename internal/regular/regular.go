// Package regular opens and makes files in folders that somebody else may have prepared.
//
// Paths go in; out comes a regular file, or an error that says what the path is instead. Reading never waits for a
// pipe and never takes more than the limit; writing never follows a link, and a file appears only when it is whole.
package regular

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
)

func Open(path string) (*os.File, error) { return open(path, os.O_RDONLY) }

// Within opens a file of at most limit bytes, and follows no link: anybody may have written into the folder.
func Within(path string, limit int64) (*os.File, error) {
	f, err := open(path, os.O_RDONLY|syscall.O_NOFOLLOW)
	if errors.Is(err, syscall.ELOOP) {
		return nil, fmt.Errorf("%s is a link; name the file that it leads to", path)
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.Size() > limit {
		err = fmt.Errorf("%s has %d MiB; at most %d are read", path, info.Size()>>20, limit>>20)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Lock opens a file to lock it, and makes it if it is missing.
func Lock(path string) (*os.File, error) {
	f, err := open(path, os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW)
	if errors.Is(err, syscall.ELOOP) {
		return nil, fmt.Errorf("%s is a link, and a file is wanted", path)
	}
	return f, err
}

func open(path string, flags int) (*os.File, error) {
	f, err := os.OpenFile(path, flags|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0o666)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is %s, and a file is wanted", path, kind(info.Mode()))
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func kind(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	case mode&fs.ModeSymlink != 0:
		return "a link"
	}
	return "no regular file"
}

func Read(path string, limit int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = fmt.Errorf("%s has more than %d bytes", path, limit)
	}
	return text, err
}

// TempPrefix begins the names of files that are being written.
const TempPrefix = ".tmp-"

// Write makes a file from what fill writes: first under a name .tmp-NAME-NUMBER that nobody else has, then, when
// that is on disk, under its own.
func Write(path string, fill func(io.Writer) error) error {
	file, err := temporary(path)
	if err != nil {
		return err
	}
	if err = fill(file); err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		os.Remove(file.Name())
		return fmt.Errorf("writing %s: %w", path, err)
	}
	d, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// temporary makes a new file next to path. It has the permissions of any new file, which os.CreateTemp does not
// give.
func temporary(path string) (*os.File, error) {
	for tries := 0; ; tries++ {
		name := fmt.Sprintf("%s%s-%08x", TempPrefix, filepath.Base(path), rand.Uint32())
		f, err := New(filepath.Join(filepath.Dir(path), name))
		if err == nil || !errors.Is(err, fs.ErrExist) || tries == 100 {
			return f, err
		}
	}
}

// New makes a file where nothing exists yet, not even a link.
func New(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY|syscall.O_NOFOLLOW, 0o666)
}
