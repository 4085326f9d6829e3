package results

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"pgmpi/guidelines"
	"pgmpi/measure/protocol"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// Somebody else's folder may have links where files are to be written.
func TestNothingIsWrittenThroughALink(t *testing.T) {
	dir := t.TempDir()
	victim := filepath.Join(dir, "victim")
	must.Do(t, os.WriteFile(victim, []byte("mine"), 0o666))
	path := filepath.Join(dir, "out")
	must.Do(t, os.MkdirAll(path, 0o777))
	link := func(target, name string) {
		t.Helper()
		must.Do(t, os.Symlink(target, filepath.Join(path, name)))
	}
	for _, name := range []string{".tmp-report.json", "report.json", ".tmp-job"} {
		link(victim, name)
	}
	f := &Folder{Path: path}
	should.Do(t, f.WriteJSON("report.json", 1))
	_, err := f.WriteJob(&protocol.Job{})
	should.Do(t, err)
	link(victim, lockName)
	_, err = Create(path)
	should.Fail(t, err, "is a link", "a lock that is a link")
	other := filepath.Join(dir, "other")
	must.Do(t, errors.Join(os.MkdirAll(other, 0o777), os.Remove(filepath.Join(path, lockName))))
	link(other, rawName)
	_, err = Create(path)
	should.Fail(t, err, "raw is a link", "raw files would go through a link")
	got, _ := os.ReadFile(victim)
	should.Hold(t, string(got) == "mine", "the victim became %q", got)
}

func TestPipesAndDevicesAreNoFilesOfAFolder(t *testing.T) {
	f := must.Get(Create(t.TempDir()))(t)
	defer f.Close()
	manifest, raw := filepath.Join(f.Path, manifestName), f.rawPath(protocol.ModeMeasure, guidelines.Shape{NP: 2}, 1)
	for _, path := range []string{manifest, raw} {
		must.Do(t, syscall.Mkfifo(path, 0o666))
	}
	_, err := f.Manifest()
	should.Fail(t, err, "a named pipe", "manifest")
	_, err = ReadRaw(raw, 1<<20)
	should.Fail(t, err, "a named pipe", "raw file")
	must.Do(t, os.Remove(manifest))
	must.Do(t, os.Symlink("/dev/zero", manifest))
	_, err = f.Manifest()
	should.Fail(t, err, "a device", "manifest")
}

// What a few bytes can ask for is refused before it is taken.
func TestManifestThatStandsForFarMoreThanItHoldsIsRefused(t *testing.T) {
	f := must.Get(Create(t.TempDir()))(t)
	defer f.Close()
	const half = 1 << 19
	manifest := func(rest string) string { return `{"schema":"` + ManifestSchema + `",` + rest + "}" }
	for says, text := range map[string]string{
		"more than 67108864 bytes": manifest(`"gl_toml":"` + strings.Repeat("x", maxManifest) + `"`),
		"far more memory":          manifest(`"factors":{"layouts":[{"kinds":[{}` + strings.Repeat(",{}", half/3) + `]}]}`),
		"far more memory than":     manifest(`"factors":{"layouts":[{"kinds":[0` + strings.Repeat(",0", half/2) + `]}]}`),
		"pgmpi has not written it": manifest(`"factors":{"layouts":[{"other_env":"0-100000"` + strings.Repeat(`},{"other_env":"0-100000"`, 30) + `}]}`),
		"written it so":            manifest(`"factors":{"layouts":[{"other_env":"\u0030-100000"` + strings.Repeat(`},{"other_env":"\u0030-100000"`, 30) + `}]}`),
		"are 3000000 run medians":  manifest(`"mpiruns":10000,"plan":{"cases":[{}` + strings.Repeat(",{}", 299) + `]}`),
	} {
		must.Do(t, os.WriteFile(filepath.Join(f.Path, manifestName), []byte(text), 0o666))
		_, err := f.Manifest()
		should.Hold(t, err != nil && strings.Contains(err.Error(), says), "%s: %v", says, err)
	}
}

// Every value of a large plan, as it is written, is far enough from the next.
func TestManifestOfALargePlanIsRead(t *testing.T) {
	f := must.Get(Create(t.TempDir()))(t)
	defer f.Close()
	m := &Manifest{R: 24, NRep: map[int]NRep{}}
	for i := range 2000 {
		m.Plan.Cases = append(m.Plan.Cases, guidelines.Case{Function: "MPI_Bcast", Msize: int64(i), Shape: guidelines.Shape{NP: 2}})
		test := guidelines.Test{Guideline: "GL2", Type: guidelines.Split, Function: "MPI_Bcast", Shape: guidelines.Shape{NP: 2}, Case: i}
		for k := range min(i, 20) {
			test.Others = append(test.Others, k)
		}
		m.Plan.Tests = append(m.Plan.Tests, test)
		m.NRep[i] = NRep{N: 1}
	}
	must.Do(t, f.WriteManifest(m))
	_, err := f.Manifest()
	should.Do(t, err)
}

func TestHeaderHasNoMoreThanItsPlan(t *testing.T) {
	for says, fields := range map[string]string{
		"more than 7 cases":                   `"cases":[{}` + strings.Repeat(",{}", 7) + `]`,
		"more than 64 clocks":                 `"cases":[],"clocks":[{}` + strings.Repeat(",{}", 64) + `]`,
		"more than 65536 readings":            `"cases":[],"yardstick":[{}` + strings.Repeat(",{}", 1<<16) + `]`,
		"more than 1024 parts":                `"cases":[],"parts":[{}` + strings.Repeat(",{}", 1<<10) + `]`,
		"cases: no list":                      `"cases":{}`,
		"a line of more than 8417280 bytes":   `"cases":[],"order":[0` + strings.Repeat(",0", 5<<20) + `]`,
		"cannot unmarshal number into Go val": `"cases":[0` + strings.Repeat(",0", 1<<20) + `]`,
	} {
		path := filepath.Join(t.TempDir(), "raw.tsv.gz")
		text := fmt.Sprintf("#{\"schema\":%q,%s}\n#end rows=0\n", RawSchema, fields)
		must.Do(t, os.WriteFile(path, zippedText(t, text), 0o666))
		_, err := ReadRaw(path, 7)
		should.Hold(t, err != nil && strings.Contains(err.Error(), says), "%s: %v", says, err)
	}
}

func TestFolderIsOnesOwnUntilItIsCopiedOrOthersMayWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	made := func(path string) *Manifest {
		t.Helper()
		f := must.Get(Create(path))(t)
		defer f.Close()
		m := &Manifest{FolderID: f.ID()}
		must.Do(t, f.WriteManifest(m))
		for _, name := range []string{".", manifestName, lockName} { // whatever the umask is
			info := must.Get(os.Stat(filepath.Join(path, name)))(t)
			must.Do(t, os.Chmod(filepath.Join(path, name), info.Mode().Perm()&^0o022))
		}
		return m
	}
	m := made(path)
	should.Hold(t, Own(path, m), "a folder that was just made is not one's own")
	if other := filepath.Join(t.TempDir(), "copy"); Own(other, m) {
		t.Error("a folder that is not there is one's own")
	} else if made(other); Own(other, m) {
		t.Error("a copy of the manifest makes a folder one's own")
	}
	must.Do(t, os.Chmod(path, 0o777))
	should.Hold(t, !Own(path, m), "a folder that all may write to is one's own")
	must.Do(t, os.Chmod(path, 0o775))
	me := must.Get(user.Current())(t)
	groups := string(must.Get(os.ReadFile("/etc/group"))(t))
	should.Equal(t, Own(path, m), aloneIn(groups, me.Username, me.Gid), "with the mode of a user's private group, %s", me.Username)
	if err := os.Chown(path, -1, os.Getegid()+1); err == nil {
		should.Hold(t, !Own(path, m), "a folder that a group may write to is one's own")
		must.Do(t, os.Chown(path, -1, os.Getegid()))
	}
	// The owner, user 12345, the group, the mask and others, as the kernel keeps them.
	list := []byte("\x02\x00\x00\x00\x01\x00\x07\x00\xff\xff\xff\xff\x02\x00\x07\x00\x39\x30\x00\x00\x04\x00\x05\x00\xff\xff\xff\xff\x10\x00\x07\x00\xff\xff\xff\xff\x20\x00\x05\x00\xff\xff\xff\xff")
	if err := syscall.Setxattr(path, "system.posix_acl_access", list, 0); err == nil {
		should.Hold(t, !Own(path, m), "a folder that another user may write to is one's own")
	}
}

func TestGroupIsAUsersOwnIfNobodyElseIsInIt(t *testing.T) {
	for groups, want := range map[string]bool{
		"root:x:0:\nme:x:1000:\n": true, "me:x:1000:me\n": true, "me:x:1000:me,you\n": false, "users:x:1000:\n": false, "me:x:1001:\n": false, "": false, "me:x:1000\n": false,
	} {
		should.Equal(t, aloneIn(groups, "me", "1000"), want, "%q", groups)
	}
}
