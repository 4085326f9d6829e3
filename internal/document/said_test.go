package document

import (
	"errors"
	"strings"
	"testing"
	"time"

	"pgmpi/internal/fail"
	"pgmpi/testkit/should"
)

type word string

func TestAMessageHasOnlyOurOwnLines(t *testing.T) {
	const evil = "a\n::error::b\x1b"
	for want, got := range map[string]string{
		"pgmpi: a\\n::error::b\\x1b\n  go on\n": Said("pgmpi: %s\n", fail.Also(errors.New(evil), "go on")),
		"x: a\\n::error::b\\x1b, 3, 2s, 1.5\n":  Said("x: %s, %d, %v, %.1f\n", evil, 3, 2*time.Second, 1.5),
		"\\::error::b\n":                        Said("%s\n", "::error::b"),
		"one\na\\n::error::b\\x1b\n  \\##[x]":   Said("%s", OwnLines{"one", evil, "  ##[x]"}),
		"of a kind: a\\n::error::b\\x1b":        Said("of a kind: %s", word(evil)),
		"[a\\n::error::b\\x1b]":                 Said("%v", []string{evil}),
	} {
		should.Equal(t, got, want)
	}
}

func TestProseFitsATerminalAndCommandsStayWhole(t *testing.T) {
	const unknown = "gl.toml:3:1: this key is unknown: `pgmpi init --out gl.toml` has all"
	terminal, again := Page{Width: 40}, fail.Also(errors.New(unknown), "pgmpi check gl.toml --out a-folder/of/a/check --resume")
	for want, got := range map[string]OwnLines{
		unknown: Page{}.Prose(unknown),
		"gl.toml:3:1: this key is unknown:\n  `pgmpi init --out gl.toml` has all": terminal.Prose(unknown),
		"run `pgmpi check --only messages\n  --msizes 8,1Ki,64Ki`":                terminal.Prose("run `pgmpi check --only messages --msizes 8,1Ki,64Ki`"),
		"a \\n::error::b": terminal.Prose("a \n::error::b"),
		"pgmpi: gl.toml:3:1: this key is unknown:\n  `pgmpi init --out gl.toml` has all\n  pgmpi check gl.toml --out a-folder/of/a/check --resume": terminal.Complaint("pgmpi: ", again),
		"pgmpi: " + unknown + "\n  pgmpi check gl.toml --out a-folder/of/a/check --resume":                                                         Page{}.Complaint("pgmpi: ", again),
	} {
		should.Equal(t, strings.Join(got, "\n"), want)
	}
}
