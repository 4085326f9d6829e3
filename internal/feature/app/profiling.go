package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"pgmpi/internal/fail"
	"pgmpi/internal/feature/app/places"
	"pgmpi/internal/feature/app/profile"
	"pgmpi/internal/regular"
)

const profileName = "profile" // in a folder for one command alone

// Profile runs the program with the library that counts, and writes a profile to a file. Only a profile replaces
// that file, and only if it is a profile or empty. If the program fails and its ranks left a profile, Profile
// returns both the profile and an error.
func (p *Program) Profile(ctx context.Context, out string) (*profile.Profile, error) {
	if err := replaceable(out); err != nil {
		return nil, fail.AsSetup(err)
	}
	// No other command's program can write here.
	folder, err := os.MkdirTemp(filepath.Dir(out), regular.TempPrefix+filepath.Base(out)+"-")
	if err != nil {
		return nil, fail.Setupf("%s (--out) cannot be written: %w", out, err)
	}
	defer os.RemoveAll(folder)
	stdin := p.Stdin
	if p.isTerminal() {
		if stdin, err = os.Open(os.DevNull); err != nil {
			return nil, fail.AsSetup(err)
		}
		defer stdin.Close()
	}
	path := filepath.Join(folder, profileName)
	_, failed := p.run(ctx, Setting{Ranks: p.counting(path)}, stdin)
	parentFirst(path)
	got, err := counted(path)
	if err == nil && got == nil {
		err = p.noProfile(path, failed)
	}
	if err == nil {
		started(got, p.Argv, os.Environ())
		places.Name(ctx, got.Sites, stopWithin)
		err = got.Store(path)
	}
	if err == nil {
		err = p.keep(path, out)
	}
	if err != nil {
		failed = &fail.Failed{Err: errors.Join(failed, err)}
	}
	return got, failed
}

// counting returns the variables by which the ranks count.
func (p *Program) counting(path string) map[string]string {
	set := map[string]string{"PGMPI_PROFILE": path}
	if p.Sites {
		set["PGMPI_SITES"] = "1"
	}
	if p.Sync {
		set["PGMPI_SYNC"] = "1"
	}
	return set
}

// replaceable refuses what holds anything but a profile.
func replaceable(out string) error {
	if _, err := os.Lstat(out); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	const remedy = "give another file with --out, or move it away"
	f, err := regular.Open(out)
	if err != nil {
		return fmt.Errorf("%w; %s", err, remedy)
	}
	defer f.Close()
	var is struct{ Schema string }
	err = json.NewDecoder(io.LimitReader(f, profile.MostFile)).Decode(&is)
	if errors.Is(err, io.EOF) || err == nil && strings.HasPrefix(is.Schema, "pgmpi-profile/") {
		return nil
	}
	return fmt.Errorf("%s is there and no profile, and is left as it is: %s", out, remedy)
}

// counted reads the profile, or joins the files of ranks that did not finish. It returns nil if there is nothing.
func counted(path string) (*profile.Profile, error) {
	got, err := profile.Read(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return got, err
	}
	return profile.Parts(path)
}

// parentFirst exchanges the first profile with one of a job that no other has spawned: a child ends before its parent.
func parentFirst(path string) {
	first, err := profile.Read(path)
	if err != nil || !first.Spawned {
		return
	}
	for n := 2; ; n++ {
		more := fmt.Sprintf("%s.%d", path, n)
		p, err := profile.Read(more)
		if err != nil {
			return
		}
		if !p.Spawned && os.Rename(path, path+".child") == nil {
			os.Rename(more, path)
			os.Rename(path+".child", more)
			return
		}
	}
}

// keep gives the profile its name; the profiles of the command's other jobs become FILE.2, FILE.3 and so on.
func (p *Program) keep(path, out string) error {
	err := os.Rename(path, out)
	for n := 2; err == nil; n++ {
		more := fmt.Sprintf(".%d", n)
		if _, missing := os.Lstat(path + more); missing != nil {
			return nil
		}
		if err = replaceable(out + more); err == nil {
			err = os.Rename(path+more, out+more)
			fmt.Fprintf(p.Stderr, "Note: the command ran more than one job; another's profile is in %s\n", out+more)
		}
	}
	return err
}

// noProfile says why there is no profile.
func (p *Program) noProfile(path string, failed error) error {
	begun, _ := os.ReadDir(filepath.Dir(path))
	wrote := regular.Write(filepath.Join(filepath.Dir(path), "try"), func(w io.Writer) error {
		_, err := w.Write(make([]byte, 1<<16))
		return err
	})
	switch {
	case wrote != nil:
		return fmt.Errorf("the profile cannot be written: %w; %s", wrote, fail.Remedy(wrote))
	case len(begun) > 0:
		return errors.New("the program called MPI_Init, but no rank has left what it had counted: each writes it in " +
			"MPI_Finalize and MPI_Abort, at exit, once a minute, " +
			"and where SIGTERM or SIGINT ends it, but not at _exit or SIGKILL, nor where the file cannot be written, " +
			"which it says")
	case failed != nil:
		return errors.New("no rank came through MPI_Init, so that nothing was counted")
	}
	return fmt.Errorf("the program has written no profile: no rank of it called MPI_Init of the library that %s "+
		"is built for, it was linked statically or has an LD_PRELOAD of its own, or it does not see %s",
		p.Preload, filepath.Dir(path))
}
