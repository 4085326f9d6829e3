package version

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"pgmpi/internal/fixture/must"
)

func TestTheChangelogBeginsWithThisVersion(t *testing.T) {
	text := must.Get(os.ReadFile("../../CHANGELOG.md"))(t)
	newest := regexp.MustCompile(`(?m)^## \[?(\d+\.\d+\.\d+)`).FindStringSubmatch(string(text))
	if newest == nil || newest[1] != strings.TrimSpace(number) {
		t.Errorf("VERSION says %s, and the newest version in CHANGELOG.md is %v", strings.TrimSpace(number), newest)
	}
}

func TestTheCommitFollowsTheNumber(t *testing.T) {
	defer func(before string) { commit = before }(commit)
	commit = ""
	if got := String(); !regexp.MustCompile(`^\d+\.\d+\.\d+$`).MatchString(got) {
		t.Errorf("%q is no version number", got)
	}
	commit = "4f3c2a1"
	if got := String(); !strings.HasSuffix(got, "+4f3c2a1") {
		t.Errorf("%q lacks the commit", got)
	}
}
