package overlap

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgmpi/internal/command"
	"pgmpi/internal/exitcode"
	core "pgmpi/internal/experiment"
	"pgmpi/testkit/bed"
	"pgmpi/testkit/commands"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// ran is what the command prints, and its error.
func ran(args ...string) (string, error) {
	return commands.Run(newCommand, args...)
}

func TestAFolderWithoutMpirunsIsNotJudged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	_, _, err := bed.Run(t, experiment, overlapConfig(t), path, &bed.Ranks{Work: hidden})
	must.Do(t, err)
	must.Do(t, os.RemoveAll(filepath.Join(path, "raw")))
	must.Do(t, os.Mkdir(filepath.Join(path, "raw"), 0o777))
	text, err := ran(path)
	should.Hold(t, strings.HasPrefix(text, "NOT JUDGED: ") && command.Code(err) == exitcode.NoVerdict, "%s%v", text, err)
}

func TestOnlyItsOwnFoldersAreShown(t *testing.T) {
	config, root := overlapConfig(t), t.TempDir()
	own, other := filepath.Join(root, "own"), filepath.Join(root, "other")
	_, _, err := bed.Run(t, experiment, config, own, &bed.Ranks{Work: hidden})
	must.Do(t, err)
	text, err := ran(own)
	should.Hold(t, strings.Contains(text, "OVERLAP: "), "%s%v", text, err) // three mpiruns are too few for verdicts
	_, _, err = bed.Run(t, core.Check, config, other, &bed.Ranks{})
	must.Do(t, err)
	for _, args := range [][]string{{other}, {"--resume", "--out", other}} {
		_, err := ran(args...)
		should.Fail(t, err, other+" is a folder of pgmpi check", strings.Join(args, " "))
	}
}
