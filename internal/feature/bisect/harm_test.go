package bisect

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"pgmpi/internal/experiment/run"
	"pgmpi/internal/fail"
	"pgmpi/measure/results"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// script makes a build command.
func script(t *testing.T, lines string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "build")
	must.Do(t, os.WriteFile(path, []byte("#!/bin/sh\n"+lines), 0o777))
	return path
}

// small bisects a repository of two commits, whose file "slow" the user has changed.
func small(t *testing.T, build string) *Bisection {
	t.Helper()
	repo := history(t, 2, from(2))
	must.Get(git(t.Context(), repo, "reset", "--hard", "main"))(t)
	must.Do(t, os.WriteFile(filepath.Join(repo, "slow"), []byte("mine"), 0o666))
	x, _ := bisection(t, 1, repo)
	x.Good, x.Build = "main~1", build
	return x
}

// untouched claims that a bisection has left the user's repository alone.
func untouched(t *testing.T, repo string) {
	t.Helper()
	text, _ := os.ReadFile(filepath.Join(repo, "slow"))
	should.Equal(t, string(text), "mine", "the user's file")
	for want, args := range map[string][]string{
		"refs/heads/main":  {"symbolic-ref", "HEAD"},
		" M slow":          {"-c", "core.quotePath=true", "status", "--porcelain", "--untracked-files=no"},
		"refs/heads/main ": {"for-each-ref", "--format=%(refname) "},
	} {
		cmd := exec.Command("git", append([]string{"-C", repo}, args...)...)
		cmd.Env = environment()
		said, err := cmd.Output()
		should.Hold(t, err == nil && string(said) == want+"\n", "git %s: %q, %v", args, said, err)
	}
	trees, _ := git(t.Context(), repo, "worktree", "list")
	should.Hold(t, !strings.Contains(trees, "\n"), "work trees: %s", trees)
}

// builtGood begins a bisection, and builds GOOD.
func builtGood(t *testing.T, x *Bisection, resume bool) (why string, err error) {
	t.Helper()
	defer func() {
		if x.folder != nil {
			should.Do(t, x.folder.Close())
			x.folder = nil
		}
	}()
	if err := x.begin(t.Context(), resume); err != nil {
		return "", err
	}
	return x.build(t.Context(), x.result.Good)
}

func TestVariablesOfGitReachNeitherGitNorTheBuild(t *testing.T) {
	x := small(t, script(t, "env >$PREFIX/env\ncp slow $PREFIX\n"))
	git := filepath.Join(x.Repo, ".git")
	for _, v := range []string{
		"GIT_DIR=" + git, "GIT_WORK_TREE=" + x.Repo, "GIT_INDEX_FILE=" + git + "/index", "GIT_OBJECT_DIRECTORY=/none",
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.bare", "GIT_CONFIG_VALUE_0=true", "GIT_CONFIG_GLOBAL=/none",
		"GIT_NAMESPACE=none", "GIT_TRACE=1",
	} {
		name, value, _ := strings.Cut(v, "=")
		t.Setenv(name, value)
	}
	why, err := builtGood(t, x, false)
	should.Hold(t, err == nil && why == "", "%s%v", why, err)
	text := must.Get(os.ReadFile(filepath.Join(x.prefix(x.result.Good), "env")))(t)
	for line := range strings.Lines(string(text)) {
		is := strings.HasPrefix(line, "GIT_") && !strings.HasPrefix(line, "GIT_CEILING_DIRECTORIES=")
		should.Hold(t, !is, "the build has %s", line)
	}
	untouched(t, x.Repo)
}

func TestNeitherHooksNorMonitorsRun(t *testing.T) {
	x := small(t, script(t, "git checkout -q --force HEAD && git status >&2 && cp slow $PREFIX\n"))
	ran := filepath.Join(t.TempDir(), "ran")
	hooks := t.TempDir()
	for _, name := range []string{"post-checkout", "reference-transaction", "post-index-change", "monitor"} {
		text := fmt.Appendf(nil, "#!/bin/sh\necho $0 >>%s\nexit 1\n", ran)
		must.Do(t, os.WriteFile(filepath.Join(hooks, name), text, 0o777))
		must.Do(t, os.MkdirAll(filepath.Join(x.Repo, ".git", "hooks"), 0o777))
		must.Do(t, os.WriteFile(filepath.Join(x.Repo, ".git", "hooks", name), text, 0o777))
	}
	home := t.TempDir()
	config := fmt.Sprintf("[core]\n\thooksPath = %s\n\tfsmonitor = %[1]s/monitor\n[init]\n\ttemplateDir = %[2]s/.git\n",
		hooks, x.Repo)
	must.Do(t, os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(config), 0o666))
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", home)
	why, err := builtGood(t, x, false)
	should.Hold(t, err == nil && why == "", "%s%v", why, err)
	text, _ := os.ReadFile(ran)
	should.Equal(t, string(text), "", "what ran")
}

// A signature is shown before a commit's subject by `git log` and `git show`.
func TestOutputOfGitForPeopleIsNotRead(t *testing.T) {
	x := small(t, "cp slow {prefix}")
	commit := must.Get(git(t.Context(), x.Repo, "cat-file", "commit", "main"))(t)
	head, message, _ := strings.Cut(commit, "\n\n")
	signed, home := filepath.Join(t.TempDir(), "signed"), t.TempDir()
	signature := "gpgsig -----BEGIN PGP SIGNATURE-----\n \n none\n -----END PGP SIGNATURE-----\n"
	must.Do(t, os.WriteFile(signed, []byte(head+"\n"+signature+"\n"+message+"\n"), 0o666))
	hash := must.Get(git(t.Context(), x.Repo, "hash-object", "-t", "commit", "-w", signed))(t)
	must.Get(git(t.Context(), x.Repo, "update-ref", "refs/heads/main", hash))(t)
	gpg := script(t, "echo Good signature >&2\necho '\n[GNUPG:] GOODSIG 0 A'\n")
	config := "[log]\n\tshowSignature = true\n\tdecorate = full\n[color]\n\tui = always\n[gpg]\n\tprogram = " + gpg + "\n"
	must.Do(t, os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(config), 0o666))
	t.Setenv("HOME", home)
	why, err := builtGood(t, x, false)
	must.Hold(t, err == nil && why == "", "%s%v", why, err)
	at := must.Get(x.tree.place(t.Context(), x.result))(t)
	should.Equal(t, at.left, []string{hash + " Commit 2"}, "the only commit")
}

// A bisection runs what was built in its folder. It goes on only in a folder that the user has made.
func TestABisectionGoesOnOnlyInItsOwnFolder(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(out string){
		"an end of the bisection":      func(string) {},
		"it is a copy":                 func(out string) { copied(t, out) },
		"others own that folder or ma": func(out string) { must.Do(t, os.Chmod(out, 0o777)) },
		"others own that folder":       func(out string) { chownOrMode(t, filepath.Join(out, File)) },
		"has no bisection":             func(out string) { must.Do(t, os.Remove(filepath.Join(out, File))) },
		`marks "`:                      func(out string) { addStep(t, out, strings.Repeat("a", 40), "log") },
		`as "bad"; take`:               func(out string) { addStep(t, out, "--output=x", "bad") },
		"prefix is a link": func(out string) {
			must.Do(t, os.RemoveAll(filepath.Join(out, builds)))
			must.Do(t, os.Symlink(t.TempDir(), filepath.Join(out, builds)))
		},
		"is in use by": func(out string) {
			f := must.Get(results.Lock(out))(t)
			t.Cleanup(func() { f.Close() })
		},
	} {
		x := small(t, "false")
		_, err := x.Do(t.Context(), false)
		must.Hold(t, err != nil, "%s: GOOD is built", want)
		untouched(t, x.Repo)
		private(t, x.Out)
		change(x.Out)
		said := 0
		x.Tell = func(run.Event) { said++ }
		_, err = x.Do(t.Context(), true)
		should.Fail(t, err, want)
		should.Hold(t, fail.Is[*fail.Setup](err), "%s: %v", want, err)
		should.Hold(t, said == 0 || strings.HasPrefix(want, "an end"), "%s: it went on", want)
	}
}

// private gives a folder write permission for its owner only, whatever the umask is.
func private(t *testing.T, out string) {
	t.Helper()
	for _, name := range []string{".", File, ".lock", builds} {
		info := must.Get(os.Stat(filepath.Join(out, name)))(t)
		must.Do(t, os.Chmod(filepath.Join(out, name), info.Mode().Perm()&^0o022))
	}
}

func copied(t *testing.T, out string) {
	t.Helper()
	must.Do(t, exec.Command("cp", "-r", out, out+".new").Run())
	must.Do(t, errors.Join(os.Rename(out, out+".old"), os.Rename(out+".new", out)))
}

func chownOrMode(t *testing.T, path string) {
	t.Helper()
	if os.Chown(path, 65534, 65534) != nil {
		must.Do(t, os.Chmod(path, 0o666))
	}
}

func addStep(t *testing.T, out, commit, mark string) {
	t.Helper()
	path := filepath.Join(out, File)
	text := must.Get(os.ReadFile(path))(t)
	step := fmt.Sprintf(`"steps": [{"commit":%q,"mark":%q,"why":""}]`, commit, mark)
	must.Hold(t, bytes.Contains(text, []byte(`"steps": null`)), "%s", text)
	must.Do(t, os.WriteFile(path, bytes.Replace(text, []byte(`"steps": null`), []byte(step), 1), 0o644))
}

func TestWhatOnlySeemsBuiltIsBuilt(t *testing.T) {
	t.Parallel()
	x := small(t, "false")
	_, err := x.Do(t.Context(), false)
	must.Hold(t, err != nil, "GOOD is built")
	private(t, x.Out)
	victim, prefix := filepath.Join(t.TempDir(), "victim"), x.prefix(x.result.Good)
	must.Do(t, os.WriteFile(victim, []byte("mine"), 0o666))
	for name, plant := range map[string]func(){
		"a mark without a hash": func() { must.Do(t, os.WriteFile(filepath.Join(prefix, builtMark), nil, 0o644)) },
		"a folder of all":       func() { must.Do(t, os.Chmod(prefix, 0o777)) },
		"a link": func() {
			must.Do(t, os.Rename(prefix, prefix+"-other"))
			must.Do(t, os.Symlink(prefix+"-other", prefix))
		},
	} {
		must.Do(t, os.RemoveAll(prefix))
		must.Do(t, os.Mkdir(prefix, 0o755))
		must.Do(t, os.WriteFile(filepath.Join(prefix, builtMark), []byte(x.result.Good), 0o644))
		should.Hold(t, x.isBuilt(x.result.Good), "what is built does not count")
		plant()
		_ = os.Remove(prefix + ".log")
		must.Do(t, os.Symlink(victim, prefix+".log"))
		why, err := builtGood(t, x, true)
		should.Hold(t, err == nil && strings.HasPrefix(why, "does not build"), "%s: %q %v", name, why, err)
	}
	text := must.Get(os.ReadFile(victim))(t)
	should.Equal(t, string(text), "mine", "what the log's link led to")
}

func TestABuildOfAnotherCommitDoesNotCount(t *testing.T) {
	t.Parallel()
	x := small(t, script(t, "git checkout -q --force refs/remotes/origin/main && cp slow $PREFIX\n"))
	why, err := builtGood(t, x, false)
	should.Hold(t, err == nil && strings.Contains(why, "another commit"), "%q %v", why, err)
	should.Hold(t, !x.isBuilt(x.result.Good), "it counts as built")
}

// Where there is no repository, git looks for one in the folders above.
func TestABuildThatRemovesItsRepositoryLeavesTheUsersAlone(t *testing.T) {
	t.Parallel()
	x := small(t, script(t, "rm -rf .git; git reset -q --hard 2>/dev/null; cp slow $PREFIX\n"))
	x.Out = filepath.Join(x.Repo, "out")
	why, err := builtGood(t, x, false)
	should.Hold(t, err == nil && strings.Contains(why, "not a git repository"), "%q %v", why, err)
	_, err = x.build(t.Context(), x.result.Bad)
	should.Fail(t, err, "not a git repository")
	untouched(t, x.Repo)
}

func TestAFolderWithSpacesIsOneWordOfTheBuild(t *testing.T) {
	t.Parallel()
	x := small(t, "cp slow {prefix}")
	x.Out = filepath.Join(t.TempDir(), "my out")
	why, err := builtGood(t, x, false)
	should.Hold(t, err == nil && why == "", "%s%v", why, err)
	text, _ := os.ReadFile(filepath.Join(x.prefix(x.result.Good), "slow"))
	should.Equal(t, string(text), "0", "what GOOD has")
}

// endless builds until it is killed, and heeds no signal. It starts a process in a session of its own.
const endless = "trap '' TERM HUP INT\nsetsid sleep 1000 &\nsleep 1000 &\n" +
	"echo $$ >$PREFIX.new\nmv $PREFIX.new $PREFIX.pids\nwhile :; do wait; done\n"

// pidsOf returns the three processes of an endless build, once it has written the number of its first. One that
// becomes another program has no environment for a moment.
func pidsOf(t *testing.T, out string) (pids []int) {
	t.Helper()
	for len(pids) < 3 {
		must.Do(t, t.Context().Err())
		time.Sleep(time.Millisecond)
		if files, _ := filepath.Glob(filepath.Join(out, builds, "*.pids")); len(files) > 0 {
			pids = withPrefix(out)
		}
	}
	t.Cleanup(func() {
		for _, pid := range left(pids) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	})
	return pids
}

func withPrefix(out string) (pids []int) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		environ, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "environ"))
		pid := 0
		if _, err := fmt.Sscan(e.Name(), &pid); err == nil && bytes.Contains(environ, []byte("PREFIX="+out)) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// left returns the processes that have not ended. A process that nobody has waited for has no command line.
func left(pids []int) []int {
	return slices.DeleteFunc(slices.Clone(pids), func(pid int) bool {
		line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		return err != nil || len(line) == 0
	})
}

func TestABuildThatHeedsNoSignalEndsWithTheBisection(t *testing.T) {
	t.Parallel()
	x := small(t, script(t, endless))
	x.stopWithin = time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := x.Do(ctx, false)
		ended <- err
	}()
	pids := pidsOf(t, x.Out)
	cancel()
	err := <-ended
	should.Hold(t, fail.Is[*fail.Interrupted](err), "%v", err)
	should.Equal(t, left(pids), nil, "processes that are left")
}

// killed begins a bisection in a process of its own.
const killed = "PGMPI_TEST_BISECT_KILLED"

func TestWhatAKilledBisectionBuiltEndsBeforeTheNextBuilds(t *testing.T) {
	t.Parallel()
	if there := os.Getenv(killed); there != "" {
		words := strings.Split(there, "\n")
		x, _ := bisection(t, 1, words[0])
		x.Out, x.Build, x.Good = words[1], words[2], "main~1"
		_, err := builtGood(t, x, false)
		t.Fatal(err)
	}
	x := small(t, script(t, strings.ReplaceAll(endless, "TERM ", "")))
	self := exec.Command(must.Get(os.Executable())(t), "-test.run", "^"+t.Name()+"$")
	self.Env = append(os.Environ(), "TMPDIR="+t.TempDir(), killed+"="+strings.Join([]string{x.Repo, x.Out, x.Build}, "\n"))
	must.Do(t, self.Start())
	pids := pidsOf(t, x.Out)
	must.Do(t, self.Process.Kill())
	_ = self.Wait()
	first := 0
	files, _ := filepath.Glob(filepath.Join(x.Out, builds, "*.pids"))
	_, _ = fmt.Sscan(string(must.Get(os.ReadFile(files[0]))(t)), &first)
	for len(left([]int{first})) > 0 { // or the test's time is over
		time.Sleep(time.Millisecond)
	}
	private(t, x.Out)
	must.Do(t, errors.Join(x.begin(t.Context(), true), x.folder.Close()))
	should.Equal(t, left(pids), nil, "processes that are left")
}

func TestASkippedCommitIsGoneAwayFrom(t *testing.T) {
	all := strings.Split("abcdefgh", "")
	for skipped, want := range map[string]string{
		"": "a", "b": "a", "a": "d", "ab": "c", "abc": "g", "abcdefg": "h", "abcdefgh": "",
	} {
		without := map[string]bool{}
		for _, name := range strings.Split(skipped, "") {
			without[name] = true
		}
		should.Equal(t, choose(all, without), want, "without %q", skipped)
	}
}

func TestEveryKindOfRepositoryIsBisected(t *testing.T) {
	t.Parallel()
	whole := history(t, 3, from(2))
	dir := t.TempDir()
	for _, args := range [][]string{
		{"config", "uploadpack.allowFilter", "true"},
		{"clone", "--quiet", "--bare", whole, dir + "/bare"},
		{"clone", "--quiet", "--depth=2", "file://" + whole, dir + "/shallow"},
		{"clone", "--quiet", "--filter=blob:none", "--no-checkout", "file://" + whole, dir + "/partial"},
		{"worktree", "add", "--quiet", "--detach", dir + "/linked", "main~1"},
	} {
		must.Get(git(t.Context(), whole, args...))(t)
	}
	must.Do(t, os.Mkdir(filepath.Join(whole, "below"), 0o777))
	for _, repo := range []string{whole + "/below", dir + "/bare", dir + "/shallow", dir + "/partial", dir + "/linked"} {
		x, _ := bisection(t, 1, repo)
		x.Good = "main~1"
		if filepath.Base(repo) == "partial" || filepath.Base(repo) == "shallow" {
			x.Good, x.Bad = "origin/main~1", "origin/main"
		}
		why, err := builtGood(t, x, false)
		should.Hold(t, err == nil && why == "", "%s: %s%v", repo, why, err)
	}
}

// Addresses of submodules can be relative to where the repository comes from.
func TestTheCloneKnowsWhereTheRepositoryComesFrom(t *testing.T) {
	t.Parallel()
	x := small(t, script(t, "git config --get-regexp 'remote.*url' >$PREFIX/remotes\n"))
	for name, url := range map[string]string{"origin": "https://a.example/mpi", "other": "https://b.example/mpi"} {
		must.Get(git(t.Context(), x.Repo, "remote", "add", name, url))(t)
	}
	why, err := builtGood(t, x, false)
	should.Hold(t, err == nil && why == "", "%s%v", why, err)
	text, _ := os.ReadFile(filepath.Join(x.prefix(x.result.Good), "remotes"))
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	slices.Sort(lines)
	want := []string{"remote.origin.url https://a.example/mpi", "remote.other.url https://b.example/mpi"}
	should.Equal(t, lines, want, "remotes")
}
