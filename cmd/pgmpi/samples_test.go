package main

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

const (
	usualSample = 10 // lines
	heatMap     = "docs/images/heat.svg"
)

// A sample is a mark with its command, what it printed between fences, and the end:
// its first lines, all of it ("; all"), or what comes after some words ("; from WORDS").
var sampleForm = regexp.MustCompile("(?s)<!-- output: pgmpi ([^;>]*?)(?:; (all|from [^>]*?))? -->\n(.*?)<!-- end -->\n")

// keptFolders makes a folder with the results that pages show, by the names that their commands give them.
func keptFolders(t *testing.T) string {
	t.Helper()
	dir, data := t.TempDir(), must.Get(filepath.Abs("../../testdata/recompute"))(t)
	for name, from := range map[string]string{"first": "looks", "before": "once", "after": "looks"} {
		must.Do(t, os.CopyFS(filepath.Join(dir, name), os.DirFS(filepath.Join(data, from))))
	}
	return dir
}

// wordsOf splits a command as a shell does that knows double quotes only.
func wordsOf(t *testing.T, command string) []string {
	r := csv.NewReader(strings.NewReader(command))
	r.Comma = ' '
	return must.Get(r.Read())(t)
}

func cutSample(t *testing.T, out, part string) string {
	if words, ok := strings.CutPrefix(part, "from "); ok {
		_, after, found := strings.Cut(out, "\n"+words)
		must.Hold(t, found, "no line begins with %q", words)
		out = words + after
	}
	lines := strings.Split(strings.TrimRight(out, "\n"), "\n")
	if part == "" && len(lines) > usualSample {
		lines = append(lines[:usualSample], "…")
	}
	return "```\n" + strings.Join(lines, "\n") + "\n```\n"
}

// `make docs` writes them anew.
func TestSamplesOfPagesAreOfThisVersion(t *testing.T) {
	root, n := must.Get(filepath.Abs("../.."))(t), 0
	pages := append(must.Get(filepath.Glob(filepath.Join(root, "docs/*.md")))(t), filepath.Join(root, "README.md"))
	t.Chdir(keptFolders(t))
	for _, page := range pages {
		text := string(must.Get(os.ReadFile(page))(t))
		made := sampleForm.ReplaceAllStringFunc(text, func(old string) string {
			m := sampleForm.FindStringSubmatch(old)
			args := wordsOf(t, m[1])
			if !has(args[0]) {
				return old
			}
			n++
			mark, _, _ := strings.Cut(old, "\n")
			return mark + "\n" + cutSample(t, inProcess(args...).Stdout, m[2]) + "<!-- end -->\n"
		})
		if *update && made != text {
			must.Do(t, os.WriteFile(page, []byte(made), 0o666))
			text = made
		}
		should.Hold(t, made == text, "%s: a sample is not what pgmpi prints now: `make docs` writes it anew", page)
	}
	should.Hold(t, n > 0, "no page has a sample")

	if !has("figures") {
		return
	}
	inProcess("figures", "first", "--format", "svg", "--out", "fig").Exits(t, 0)
	picture := must.Get(os.ReadFile("fig/heat-p2.svg"))(t)
	if *update {
		must.Do(t, os.WriteFile(filepath.Join(root, heatMap), picture, 0o666))
	}
	kept, _ := os.ReadFile(filepath.Join(root, heatMap))
	should.Hold(t, slices.Equal(kept, picture), "%s is not what pgmpi draws now: `make docs` draws it anew", heatMap)
}

func TestASampleThatWasEditedIsNoticed(t *testing.T) {
	page := "a\n<!-- output: pgmpi list; from PATTERNS -->\nold\n<!-- end -->\nb\n"
	m := sampleForm.FindStringSubmatch(page)
	must.Hold(t, m != nil && m[1] == "list" && m[2] == "from PATTERNS", "%q", m)
	should.Equal(t, cutSample(t, "x\nPATTERNS\ny\n", m[2]), "```\nPATTERNS\ny\n```\n")
	should.Equal(t, cutSample(t, strings.Repeat("x\n", 11), ""), "```\n"+strings.Repeat("x\n", 10)+"…\n```\n")
	should.Equal(t, wordsOf(t, `analyze first --explain "GL16 Scan"`), []string{"analyze", "first", "--explain", "GL16 Scan"})
}
