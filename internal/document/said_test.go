package document

import (
	"errors"
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
