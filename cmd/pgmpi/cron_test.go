package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestTooFewAddressesAreNoStackTrace(t *testing.T) {
	b := emptyFixture(t, t.TempDir())
	b.Run("sh", "-c", "ulimit -v 1000000 && exec pgmpi version").Exits(t, 2).Says(t, "ulimit -v is 976 MiB, and pgmpi needs 1024 MiB")
}

// cron runs a line with sh, with hardly an environment, and takes \% for %.
func TestLineForCronFindsItsPrograms(t *testing.T) {
	home := t.TempDir()
	must.Do(t, os.MkdirAll(filepath.Join(home, "nightly"), 0o777))
	must.Do(t, os.MkdirAll(filepath.Join(home, "pgmpi", "bin"), 0o777))
	must.Do(t, os.WriteFile(filepath.Join(home, ".bash_profile"), []byte("export SITE=found\n"), 0o666))
	must.Do(t, os.WriteFile(filepath.Join(home, "pgmpi", "bin", "pgmpi"), []byte("#!/bin/sh\necho $SITE $PWD \"$@\"\n"), 0o777))
	page := must.Get(os.ReadFile("../../docs/how-to-slurm.md"))(t)
	line := regexp.MustCompile(`(?m)^30 1 \* \* \*  (.*)$`).FindSubmatch(page)
	must.Hold(t, line != nil, "how-to-slurm.md has no line for cron")
	cmd := exec.Command("/bin/sh", "-c", strings.ReplaceAll(string(line[1]), `\%`, "%"))
	cmd.Env, cmd.Dir = []string{"HOME=" + home, "PATH=/usr/bin:/bin"}, home
	out, err := cmd.CombinedOutput()
	must.Hold(t, err == nil, "%v: %s", err, out)
	want := regexp.MustCompile(`^found ` + regexp.QuoteMeta(home) + `/nightly submit gl.toml --go --out nights/20\d\d-\d\d-\d\d -- --baseline ` + regexp.QuoteMeta(home) + `/nightly/nights `)
	should.Hold(t, want.Match(out), "%s", out)
}
