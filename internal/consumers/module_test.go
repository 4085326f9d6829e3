package consumers

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgmpi/internal/version"
	"pgmpi/testkit/mpirun"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// A proxy is a folder: https://go.dev/ref/mod#serving-from-proxy. Without a dot in its path a module cannot be
// fetched, so that this one is published under another. `make test-all` also builds what Go has fetched.
func TestGoInstallsAndRunsWhatAModuleProxyHas(t *testing.T) {
	t.Parallel()
	dir, path, number := t.TempDir(), "example.net/you/pgmpi", "v"+strings.Split(version.String(), "+")[0]
	tree := filepath.Join(dir, "tree", path+"@"+number)
	must.Do(t, os.MkdirAll(tree, 0o777))
	if out, err := inModule("bash", "-c", "git ls-files -z -co --exclude-standard | tar -c --null -T - | tar -xC '"+tree+"'"); err != nil {
		t.Skipf("no work tree of git here: %s", lastLine(out))
	}
	out, err := exec.Command(filepath.Join(tree, ".ci/module"), path).CombinedOutput()
	must.Hold(t, err == nil, "%s", out)
	for _, other := range []string{"bench", "internal/consumers"} { // modules of their own
		must.Do(t, os.RemoveAll(filepath.Join(tree, other)))
	}
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	root := os.DirFS(filepath.Join(dir, "tree"))
	must.Do(t, fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			_, err = must.Get(z.Create(name))(t).Write(must.Get(fs.ReadFile(root, name))(t))
		}
		return err
	}))
	must.Do(t, z.Close())
	served := filepath.Join(dir, "proxy", path, "@v")
	must.Do(t, os.MkdirAll(served, 0o777))
	for name, text := range map[string][]byte{
		"list": []byte(number + "\n"), number + ".info": []byte(`{"Version": "` + number + `"}`),
		number + ".mod": must.Get(os.ReadFile(filepath.Join(tree, "go.mod")))(t), number + ".zip": packed.Bytes(),
	} {
		must.Do(t, os.WriteFile(filepath.Join(served, name), text, 0o666))
	}
	fetched := strings.TrimSpace(must.Get(inModule("go", "env", "GOMODCACHE"))(t))
	run := func(args ...string) string {
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOPROXY=file://"+filepath.Join(dir, "proxy")+",file://"+fetched+"/cache/download,off", "GOSUMDB=off",
			"GOMODCACHE="+filepath.Join(dir, "modules"), "GOFLAGS=-modcacherw -trimpath", "GOBIN="+filepath.Join(dir, "bin"), "CGO_ENABLED=0")
		out, err := cmd.CombinedOutput()
		must.Hold(t, err == nil, "go %q: %v\n%s", args, err, out)
		return string(out)
	}
	run("install", "-n", path+"/cmd/pgmpi@"+number)
	if !mpirun.Everything {
		return
	}
	run("install", path+"/cmd/pgmpi@"+number)
	text, err := exec.Command(filepath.Join(dir, "bin", "pgmpi"), "version").CombinedOutput()
	should.Hold(t, err == nil && strings.HasPrefix(string(text), "pgmpi "+number[1:]), "%v: %s", err, text)
	should.Hold(t, strings.Contains(run("run", path+"/cmd/pgmpi@latest", "list"), "GL17"), "go run lists nothing")
}
