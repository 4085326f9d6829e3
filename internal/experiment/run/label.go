package run

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"pgmpi/internal/fail"
	"pgmpi/measure/results"
)

var labelKey = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]{0,63}$`)

// longestLabel is for a commit, a ticket, a job: one line of a table.
const longestLabel = 200

func ValidateLabels(pairs []string) error {
	for _, pair := range pairs {
		key, value, ok := strings.Cut(pair, "=")
		switch {
		case !ok || !labelKey.MatchString(key):
			return fail.Setupf("--label: %q is not of the form KEY=VALUE, such as commit=4f3c2a1", pair)
		case len(value) > longestLabel:
			return fail.Setupf("--label: the value of %s has %d bytes; at most %d", key, len(value), longestLabel)
		case !utf8.ValidString(value) || strings.ContainsFunc(value, func(r rune) bool { return unicode.Is(unicode.C, r) }):
			return fail.Setupf("--label: the value of %s has control characters", key)
		}
	}
	return nil
}

// label notes KEY=VALUE pairs in the manifest. A folder that is resumed keeps its
// labels, but for those that are given anew.
func label(m *results.Manifest, pairs []string) error {
	if err := ValidateLabels(pairs); err != nil {
		return err
	}
	for _, pair := range pairs {
		key, value, _ := strings.Cut(pair, "=")
		m.Labelled(key, value)
	}
	return nil
}
