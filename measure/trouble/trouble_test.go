package trouble

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgmpi/internal/lists"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// texts returns what launchers and libraries said: "== WHO: KIND: PART OF WHAT", and their words below it.
func texts(t testing.TB) (all [][4]string) {
	for _, block := range strings.Split("\n"+string(must.Get(os.ReadFile("testdata/texts.txt"))(t)), "\n== ")[1:] {
		head, words, _ := strings.Cut(block, "\n")
		parts := regexp.MustCompile(`^(.*?): ([a-z-]+): ?(.*)$`).FindStringSubmatch(head)
		must.Hold(t, parts != nil, "%q", head)
		all = append(all, [4]string{parts[1], parts[2], parts[3], words})
	}
	return all
}

// The texts are as recorded here with Open MPI 4.1.4 and MPICH 4.0.2, and as users of the others have published them,
// shortened.
func TestEachTroubleHasItsCauseAndRemedy(t *testing.T) {
	for _, c := range texts(t) {
		who, kind, what, words := c[0], c[1], c[2], c[3]
		got := Explain(&Said{Words: words, Shaped: strings.Contains(who, "--shape")})
		should.Hold(t, got != nil && got.Kind == kind && strings.Contains(got.What, what) && got.Try != "" && !strings.Contains(got.What+got.Try, "$1"),
			"%s: want [%s] %q, got %+v", who, kind, what, got)
	}
}

// Tests of pgmpi and its ranks hold what only these say.
var ownWords = []string{"plugin", "plugin-version", "plugin-library", "plugin-changed", "plugin-row", "plugin-hangs", "plugin-file",
	"srun-of-other", "nodes-unseen", "misplaced", "labels", "stdin", "job-file", "coarse-clock", "other-library", "clock-steps",
	"rdtscp", "clock-sync", "thread-level", "stall", "barrier", "built-for", "start-limit", "crash", "killed"}

func TestEachKindOfTroubleHasAText(t *testing.T) {
	seen := lists.Map(texts(t), func(c [4]string) string { return c[1] })
	for _, h := range must.Get(read(hintsText))(t) {
		should.Hold(t, h.try != "" && len(h.words) > 0 && slices.Contains(append(seen, ownWords...), h.name), "[%s]", h.name)
	}
}

// A shape is named only where one was asked for, and what a launcher says before the first word of rank 0 is no cause
// of what comes later.
func TestHintsAreForWhatWasAskedAndWhenItWasSaid(t *testing.T) {
	const ppr = "more processes than the ppr for\nthis topology can support:\n\n  PPR: 2:node\n"
	should.Equal(t, Explain(&Said{Words: ppr, Shaped: true}).Kind, "shape")
	should.Equal(t, Explain(&Said{Words: ppr}).What, "the launch command asks for 2 on each node (ppr:2:node), and there are too few for all processes")
	const late = "Host key verification failed\n"
	should.Hold(t, Explain(&Said{Words: late, Greeted: true}) == nil, "a warning of the start explains what came later")
	for _, words := range []string{"", "something is wrong\nin the system", "exit status 1", "rank 0 has left"} {
		should.Hold(t, Explain(&Said{Words: words}) == nil, "%q is explained", words)
	}
}

// What Open MPI 4.1 says of a rank that has left without MPI_Finalize is about no folder.
func TestABoilerplateThatNamesAFolderIsNoTrouble(t *testing.T) {
	const left = "this process called \"init\", but exited without calling \"finalize\".\n3. this process called \"MPI_Abort\" or \"orte_abort\" and the mca parameter\n" +
		"orte_create_session_dirs is set to false. In this case, the run-time cannot\ndetect that the abort call was an abnormal termination."
	a := Explain(&Said{Words: left})
	should.Hold(t, a == nil || !strings.HasPrefix(a.Kind, "folder"), "%+v", a)
}

func TestTheFirstAndTheLastLinesAreShown(t *testing.T) {
	lines := strings.Fields("one two three four five six seven eight nine ten eleven twelve thirteen fourteen")
	want := slices.Concat(lines[:4], []string{"… 2 lines are left out …"}, lines[6:])
	should.Equal(t, Excerpt(strings.Join(lines, "\n")), strings.Join(want, "\n"))
	should.Equal(t, Excerpt(strings.Join(lines[:13], "\n")), strings.Join(lines[:13], "\n"), "a line in place of one line saves nothing")
}

func TestBacktracesAndRepetitionsAreNotShown(t *testing.T) {
	for words, want := range map[string]string{
		"[n1:10] fault\n[n2:11] fault\n[n1:12] fault\nend\n":                                                                           "[n1:10] fault (3 times)\nend",
		"/lib/libmpich.so.12(+0x2dd1f7) [0x7fc0a9cdd1f7]\n./a.out(main+0x35) [0x7fc0a9d3a1f5]\nreason\n":                               "reason",
		"[n1:1] *** Process received signal ***\n[n1:1] Signal: Segmentation fault (11)\n[n1:1] [ 0] /lib/libc.so.6(+0x3c050)[0x7f]\n": "[n1:1] Signal: Segmentation fault (11)",
		"==== backtrace (tid:  12) ====\n 0 0x0000000000042520 __sigaction()  ???:0\nUCX ERROR x\n":                                    "UCX ERROR x",
		"#0  0x00007f2b in ?? ()\n#1  0x00007f2c in MPI_Init ()\nreason\n":                                                             "reason",
		"\x00\n\x00\nreason\n": "reason",
		"[mpiexec@vm] match_arg (utils/args/args.c:163): unrecognized argument x\n[mpiexec@vm] main (ui/mpich/mpiexec.c:127): error parsing parameters\n": "[mpiexec@vm] match_arg (utils/args/args.c:163): unrecognized argument x",
		"node-01 is away\nnode-02 is away\n": "node-01 is away\nnode-02 is away",
	} {
		should.Equal(t, Excerpt(words), want)
	}
}

func TestAWrongListOfHintsIsRefusedWithItsLine(t *testing.T) {
	for text, says := range map[string]string{
		"? x\n": "hints.txt:1: it belongs to no kind", "[a] soon\n": `:1: unknown word "soon"`, "[a]\n? (\n": ":2:", "[a]\ntry {b}\n": "there is no [b] above", "[a]\nsay x\n": "begins with",
		"[a]\ntry \"$TMPDIR\"\n": "$$ for a dollar", "[a]\nwhat $1x\n": "$$ for a dollar",
	} {
		_, err := read(text)
		should.Fail(t, err, says, "%q", text)
	}
}

func FuzzExplain(f *testing.F) {
	for _, c := range texts(f) {
		f.Add(c[3])
	}
	f.Fuzz(func(t *testing.T, words string) {
		Explain(&Said{Words: words})
		should.Hold(t, strings.Count(Excerpt(words), "\n") < firstLines+lastLines+2, "%q", words)
	})
}
