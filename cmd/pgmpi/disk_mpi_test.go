package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// disk makes the results folder lie on a file system of so many bytes.
func (b *bench) disk(bytes string) (mount string) {
	b.t.Helper()
	mount = filepath.Join(b.dir, "disk")
	if err := os.Mkdir(mount, 0o777); err != nil {
		b.t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", mount, "tmpfs", 0, "size="+bytes); err != nil {
		b.t.Skipf("a full disk needs a tmpfs of its own, and this user may not mount one: %v", err)
	}
	b.t.Cleanup(func() { _ = syscall.Unmount(mount, syscall.MNT_DETACH) })
	b.out = filepath.Join(mount, "out")
	return mount
}

const page = 4096

// fill leaves no more than so many pages of a file system free, and returns
// what frees it again.
func (b *bench) fill(mount string, pages int64) (free func()) {
	b.t.Helper()
	path := filepath.Join(mount, "filler")
	f, err := os.Create(path)
	if err != nil {
		b.t.Fatal(err)
	}
	defer f.Close()
	var n int64
	for ; ; n++ {
		if _, err := f.Write(bytes.Repeat([]byte{1}, page)); err != nil {
			break
		}
	}
	if err := f.Truncate(max(0, n-pages) * page); err != nil {
		b.t.Fatal(err)
	}
	return func() { os.Remove(path) }
}

func TestFullDiskWhileAnMpirunIsStored(t *testing.T) {
	b := newBench(t, libraries[1])
	mount := b.disk("4m")
	gl := b.toml(strings.Replace(quick, "fixed = 10", "fixed = 5000", 1))
	b.oneMpirun(gl)
	free := b.fill(mount, 5) // the manifest at the start, not the mpirun
	b.check("--resume", "--guidelines", gl).exits(t, 3).
		says(t, "run-p2-02.tsv.gz", "no space left on device", "make room", "--resume")
	free()
	b.noneLeft(3 * time.Second)
	if n := len(b.raw()); n != 1 {
		t.Errorf("%d raw files, want the first only", n)
	}
	b.goesOn(gl, 3)
}

func TestFullDiskWhileTheManifestIsStored(t *testing.T) {
	b := newBench(t, libraries[1])
	mount := b.disk("1m")
	gl := b.toml(quick)
	// Time to fill the disk before the first mpirun begins.
	slow := b.script("slow", `touch started; [ -e go ] || sleep 2; exec $MPIRUN "$@"`)
	cmd, out, err := b.command(b.checkArgs("--guidelines", gl, "--launch", slow)...)
	if e := cmd.Start(); e != nil {
		t.Fatal(e)
	}
	defer func() { _ = cmd.Process.Kill() }()
	b.waitFor("the launcher", 20*time.Second, func() bool {
		_, err := os.Stat(filepath.Join(b.dir, "started"))
		return err == nil
	})
	free := b.fill(mount, 1)
	_ = cmd.Wait()
	said{cmd.ProcessState.ExitCode(), out.String(), err.String()}.exits(t, 3).
		says(t, "manifest.json", "no space left on device", "make room", "--resume")
	free()
	before := b.raw()
	if len(before) != 1 {
		t.Errorf("%d raw files, want the first", len(before))
	}
	if err := os.WriteFile(filepath.Join(b.dir, "go"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	b.goesOn(gl, 3, "--launch", slow)
}

func TestFullDiskWhileTheReportIsStored(t *testing.T) {
	b := newBench(t, libraries[1])
	mount := b.disk("1m")
	b.check("--guidelines", b.toml(quick)).exits(t, 0, 1)
	free := b.fill(mount, 0)
	s := b.pgmpi("analyze", b.out, "--format", "csv").exits(t, 3).
		says(t, "report.csv", "no space left on device", "make room", "analyze "+b.out)
	if !strings.Contains(s.stdout, "MPI_Bcast") {
		t.Errorf("the report was not printed:\n%s", s.stdout)
	}
	free()
	b.pgmpi("analyze", b.out).exits(t, 0, 1)
}

func TestFullDiskAtTheStartIsASetupFault(t *testing.T) {
	b := newBench(t, libraries[1])
	free := b.fill(b.disk("64k"), 0)
	gl := b.toml(quick)
	b.check("--guidelines", gl).exits(t, 2).says(t, "no space left on device", "--out")
	free()
	b.check("--guidelines", gl).exits(t, 0, 1)
}

func TestFolderThatCannotBeWrittenIsASetupFault(t *testing.T) {
	b := newBench(t, libraries[1])
	mount := b.disk("1m")
	gl := b.toml(quick)
	b.oneMpirun(gl)
	if err := syscall.Mount("", mount, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	b.check("--guidelines", gl, "--resume").exits(t, 2).says(t, "read-only file system", "--out")
	b.check("--guidelines", gl, "--out", filepath.Join(mount, "new")).exits(t, 2).says(t, "read-only file system", "--out")
	if err := syscall.Mount("", mount, "", syscall.MS_REMOUNT, ""); err != nil {
		t.Fatal(err)
	}
	b.goesOn(gl, 3)
}

func TestDamagedRawFileIsRefusedAndMeasuredAgain(t *testing.T) {
	b := newBench(t, libraries[1])
	gl := b.toml(quick)
	b.check("--guidelines", gl).exits(t, 0, 1)
	const name = "run-p2-02.tsv.gz"
	path := filepath.Join(b.out, "raw", name)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	other := *b
	other.out = filepath.Join(b.dir, "other")
	other.check("--guidelines", b.toml(strings.Replace(quick, `"1Ki"`, `"2Ki"`, 1))).exits(t, 0, 1)
	foreign, err := os.ReadFile(filepath.Join(other.out, "raw", name))
	if err != nil {
		t.Fatal(err)
	}
	first, err := os.ReadFile(filepath.Join(b.out, "raw", "run-p2-01.tsv.gz"))
	if err != nil {
		t.Fatal(err)
	}
	b.toml(quick)
	for _, c := range []struct {
		what string
		text []byte
	}{
		{"a bit flipped in the middle", flipped(whole, len(whole)/2)},
		{"a bit flipped in the checksum", flipped(whole, len(whole)-6)},
		{"a bit flipped at the start", flipped(whole, 0)},
		{"cut off", whole[:len(whole)-9]},
		{"empty", nil},
		{"of another plan", foreign},
		{"another mpirun's", first},
	} {
		t.Run(c.what, func(t *testing.T) {
			if err := os.WriteFile(path, c.text, 0o666); err != nil {
				t.Fatal(err)
			}
			for _, s := range []said{b.pgmpi("analyze", b.out), b.check("--resume", "--guidelines", gl)} {
				s.exits(t, 3).says(t, name, "move it away", "--resume")
			}
		})
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	b.goesOn(gl, 3)
}

func flipped(text []byte, at int) []byte {
	out := bytes.Clone(text)
	out[at] ^= 1 << 3
	return out
}
