package internal

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

const (
	repository = ".."
	developers = "docs/dev/" // pages that are not installed
)

// textsOf returns the files of the repository whose names end so, by their paths.
func textsOf(t *testing.T, endings ...string) map[string]string {
	t.Helper()
	texts := map[string]string{}
	must.Do(t, filepath.WalkDir(repository, func(file string, d fs.DirEntry, err error) error {
		name := d.Name()
		switch {
		case err != nil:
			return err
		case d.IsDir() && (slices.Contains([]string{"bin", "vendor", "testdata"}, name) || strings.HasPrefix(name, ".") && file != repository):
			return fs.SkipDir
		case !d.Type().IsRegular() || !slices.Contains(endings, filepath.Ext(name)) && !slices.Contains(endings, name):
			return nil
		}
		text, err := os.ReadFile(file)
		rel, _ := filepath.Rel(repository, file)
		texts[filepath.ToSlash(rel)] = string(text)
		return err
	}))
	return texts
}

var (
	fenced   = regexp.MustCompile("(?ms)^```.*?^```")
	indented = regexp.MustCompile(`(?m)^(    |\t).*$`)
	codeSpan = regexp.MustCompile("`[^`\n]*`")
	linkForm = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading  = regexp.MustCompile(`(?m)^#+ +(.*)$`)
)

// prose is a page without its examples.
func prose(page string) string {
	return indented.ReplaceAllString(fenced.ReplaceAllString(page, ""), "")
}

// anchors are the names by which the headings of a page are linked, as GitHub and GitLab make them.
func anchors(page string) map[string]bool {
	out := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(page, ""), -1) {
		text := linkForm.ReplaceAllString(m[1], "")
		slug := strings.Map(func(r rune) rune {
			switch {
			case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_':
				return unicode.ToLower(r)
			case r == ' ':
				return '-'
			}
			return -1
		}, text)
		name := slug
		for n := 1; out[name]; n++ {
			name = fmt.Sprintf("%s-%d", slug, n)
		}
		out[name] = true
	}
	return out
}

// wrongLink says what is wrong with a link of a page; "": nothing.
func wrongLink(pages map[string]string, from, to string) string {
	if strings.Contains(to, "://") || strings.HasPrefix(to, "mailto:") {
		return ""
	}
	file, anchor, _ := strings.Cut(to, "#")
	target := from
	if file != "" {
		target = path.Join(path.Dir(from), file)
	}
	if _, err := os.Stat(filepath.Join(repository, target)); err != nil {
		return "there is no " + target
	}
	if page, ok := pages[target]; anchor != "" && ok && !anchors(page)[anchor] {
		return target + " has no heading #" + anchor
	}
	return ""
}

func TestLinksOfPagesLeadSomewhere(t *testing.T) {
	pages := textsOf(t, ".md")
	for from, text := range pages {
		for _, m := range linkForm.FindAllStringSubmatch(codeSpan.ReplaceAllString(prose(text), "`"), -1) {
			should.Equal(t, wrongLink(pages, from, m[1]), "", "%s: (%s)", from, m[1])
		}
	}
	should.Hold(t, wrongLink(pages, "README.md", "docs/guide.md#no-such-heading") != "" && wrongLink(pages, "README.md", "docs/no-such-page.md") != "",
		"a link that leads nowhere is not found")
}

var forDevelopers = regexp.MustCompile(`(?m)^Developers: .*$`)

// `make install` leaves developers' pages out, and the lines of users' pages that lead there.
func TestUsersNeedNoPageThatIsNotInstalled(t *testing.T) {
	installed := []string{"README.md", "CHANGELOG.md", "CITATION.cff", "LICENSE", "docs/", "examples/"}
	comes := func(file string) bool {
		return !strings.HasPrefix(file, developers) &&
			slices.ContainsFunc(installed, func(with string) bool { return strings.HasPrefix(file, with) })
	}
	for from, text := range textsOf(t, ".md") {
		if !comes(from) {
			continue
		}
		for _, m := range linkForm.FindAllStringSubmatch(prose(forDevelopers.ReplaceAllString(text, "")), -1) {
			to, _, _ := strings.Cut(m[1], "#")
			should.Hold(t, to == "" || strings.Contains(to, "://") || comes(path.Join(path.Dir(from), to)),
				"%s: (%s) is not installed: a link for developers stands in a line that begins with Developers:", from, m[1])
		}
	}
}

// Messages, comments and scripts name pages, too.
func TestPagesThatCodeNamesAreThere(t *testing.T) {
	pages := textsOf(t, ".md")
	named := regexp.MustCompile(`\bdocs/(dev/)?[A-Za-z0-9-]+\.md(#[a-z0-9-]*[a-z0-9])?`)
	for file, text := range textsOf(t, ".go", ".c", ".h", ".sh", ".yml", ".py", "Makefile", "Jenkinsfile", ".md") {
		if file == "internal/links_test.go" {
			continue
		}
		for _, to := range named.FindAllString(text, -1) {
			should.Equal(t, wrongLink(pages, "Makefile", to), "", "%s: %s", file, to)
		}
	}
}

// Users' pages have one index, and developers' pages, which are not installed, another.
func TestTheIndexesListEveryPageOnce(t *testing.T) {
	pages := textsOf(t, ".md")
	for file := range pages {
		dir, name := path.Split(file)
		if dir != "docs/" && dir != developers || name == "README.md" {
			continue
		}
		index := dir + "README.md"
		n := strings.Count(pages[index], "\n| ["+strings.TrimSuffix(name, ".md")+"]("+name+") | ")
		should.Hold(t, n == 1, "%s has %d rows for %s, want 1", index, n, name)
	}
}

func TestWordsOfTheGlossaryAreLinkedFromOtherPages(t *testing.T) {
	pages := textsOf(t, ".md")
	for anchor := range anchors(pages["docs/glossary.md"]) {
		linked := anchor == "glossary"
		for file, text := range pages {
			linked = linked || file != "docs/glossary.md" && strings.Contains(text, "glossary.md#"+anchor+")")
		}
		should.Hold(t, linked, "no page links to glossary.md#%s", anchor)
	}
}

func TestReadmeSaysWhatIsNotMeasured(t *testing.T) {
	readme := strings.Join(strings.Fields(textsOf(t, "README.md")["README.md"]), " ")
	should.Contain(t, readme, "One-sided calls", "device buffers are not measured", "if OSU, IMB, PICO, nccl-tests or ReproMPI")
}
