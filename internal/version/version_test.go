package version

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestTheChangelogBeginsWithThisVersion(t *testing.T) {
	text := must.Get(os.ReadFile("../../CHANGELOG.md"))(t)
	newest := regexp.MustCompile(`(?m)^## \[?(\d+\.\d+\.\d+)`).FindStringSubmatch(string(text))
	should.Hold(t, newest != nil && newest[1] == strings.TrimSpace(number),
		"VERSION says %s, and the newest version in CHANGELOG.md is %v", strings.TrimSpace(number), newest)
}

func TestTheCommitFollowsTheNumber(t *testing.T) {
	defer func(before string) { commit = before }(commit)
	commit = ""
	got := String()
	should.Hold(t, regexp.MustCompile(`^\d+\.\d+\.\d+$`).MatchString(got), "%q is no version number", got)
	commit = "4f3c2a1"
	got = String()
	should.Hold(t, strings.HasSuffix(got, "+4f3c2a1"), "%q lacks the commit", got)
}
