package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgmpi/internal/exitcode"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// A folder without a first mpirun says so, whatever its kind. It is no success.
func TestAFolderOfAnyKindWithoutMpirunsIsNotJudged(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	all := folders(t, root)
	must.Do(t, filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".tsv.gz") {
			return os.Remove(path)
		}
		return err
	}))
	for _, command := range []string{"analyze check", "analyze explore", "analyze imported",
		"times check", "times explore", "times imported", "times fingerprint", "fingerprint fingerprint MPI_Bcast:8", "fingerprint check MPI_Reduce:8", "compare ab",
		"compare check check", "compare --matrix check imported"} {
		if slices.ContainsFunc(strings.Fields(command), func(word string) bool { return all[word] == "" && !has(word) && !strings.ContainsAny(word, "-:") }) {
			continue // the tool is not in this tree
		}
		var args []string
		for _, word := range strings.Fields(command) {
			if dir, ok := all[word]; ok && len(args) > 0 {
				word = dir
			}
			args = append(args, word)
		}
		s := inProcess(args...)
		first := s.Stdout
		if args[0] == "fingerprint" { // it has no document without samples
			first = strings.TrimPrefix(s.Stderr, "pgmpi: ")
		}
		should.Hold(t, s.Code == exitcode.NoVerdict && strings.HasPrefix(first, "NOT JUDGED: "), "%s: exit %d: %s%s", command, s.Code, s.Stdout, s.Stderr)
	}
}
