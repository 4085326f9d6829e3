package trouble

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// The cause is in the first lines of a launcher's words, and what became of the ranks in the last.
const firstLines, lastLines = 4, 8

// Excerpt returns the first and last lines of what launcher and ranks printed, without what says nothing:
// backtraces, boilerplate, and lines that repeat another.
func Excerpt(text string) string {
	kept, again := telling(text)
	left := len(kept) - firstLines - lastLines
	var out []string
	for i, line := range kept {
		if left > 1 && i >= firstLines && i < firstLines+left {
			if i == firstLines {
				out = append(out, fmt.Sprintf("… %d lines are left out …", left))
			}
			continue
		}
		if n := again[shape(line)]; n > 1 {
			line += fmt.Sprintf(" (%d times)", n)
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

// telling returns the lines that tell something, each once, and how often each came.
func telling(text string) (kept []string, again map[string]int) {
	again = map[string]int{}
	crashed, hydra := crash.MatchString(text), false
	for line := range strings.Lines(text) {
		line = strings.TrimRightFunc(line, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
		switch {
		case always.MatchString(line):
		case byHydra.MatchString(line):
			if hydra { // each function that returns says that it failed; the first says why
				continue
			}
			hydra = true
		case noise.MatchString(line), stack.MatchString(line), crashed && goStack.MatchString(line):
			continue
		}
		if again[shape(line)]++; again[shape(line)] == 1 {
			kept = append(kept, line)
		}
	}
	return kept, again
}

// shape returns what lines of several ranks have in common.
func shape(line string) string { return ofRank.ReplaceAllString(line, "…") }

// ofRank matches what differs where ranks say the same: who says it and when, numbers of processes and ranks,
// and addresses.
var ofRank = regexp.MustCompile(`^(\[[^\]]*\] *)+|\b(PID|pid|rank|Rank|process|node|task|Abort\()[ :=]*\d+|0x[0-9a-f]+|\d{5,}`)

// always matches words that are kept though they stand among others that are not: which file could not be started, and
// on which node.
var always = regexp.MustCompile(`execvp error|execve\(\)|unable to launch|No such file`)

// byHydra matches the words of MPICH's launcher about itself.
var byHydra = regexp.MustCompile(`^\[(mpiexec|proxy)[^\]]*\] \w+ \(.*\): `)

// noise matches what launchers print after any failure.
var noise = regexp.MustCompile(`^[-=*\s]*$|` +
	`MPI_ABORT|errorcode 86|You may or may not see|exactly when Open MPI kills|` +
	`standard input was closed|[Pp]rimary job +terminated normally|a non-zero exit code\. Per user-direction|` +
	`CLEANING UP REMAINING|YOU CAN IGNORE|` +
	`FORCE-TERMINATE AT|should be reported to the developers|reported to the developers\. In the meantime|` +
	`help message .* sent|orte_base_help_aggregate|to see all help|` +
	`^(ORTE|An internal error has occurred in|An ORTE daemon has) *(ORTE|PRTE)?:?$`)

// stack matches a line of a backtrace that a library or the C library prints.
var stack = regexp.MustCompile(`^\s*(\[[^\]]*\] *)*(` +
	`\[ *\d+\] +\S+\(|` + // Open MPI
	`\S*\.so[.\d]*\([^)]*\) *\[0x|\S+\([^)]*\+0x[0-9a-f]+\) *\[0x|` + // backtrace_symbols
	`#\d+ +0x|` + // gdb, glibc
	`\d+ +(0x)?[0-9a-f]{8,} |\d+ +/\S+\(|` + // UCX
	`=+ *(backtrace|end of) |BACKTRACE|\*\*\* (Process received signal|End of error message))`)

// crash matches the first words of Go's runtime when a signal ends a rank: C code has crashed, or somebody has sent it.
// A panic begins otherwise, and keeps its stacks.
var crash = regexp.MustCompile(`(?m)^SIG[A-Z]+: .*\r?\nPC=`)

// goStack matches the stacks and registers that the runtime prints then.
var goStack = regexp.MustCompile(`^goroutine \d|^created by |^\t.*:\d+|^\S+\(.*\)$|^(r[a-z0-9]+|[cfg]s) +0x|^PC=`)
