package glfile

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"pgmpi/internal/conf"
)

// position names a place in a file, or is 0 without one. Line and Col count from 1; Col is in characters.
type position struct{ Line, Col int }

func positionAt(text string, offset int) position {
	before := text[:max(0, min(offset, len(text)))]
	start := strings.LastIndexByte(before, '\n') + 1
	return position{strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[start:]) + 1}
}

// keys maps the path of a key to its offset in the text. Paths are such as "job.np" or
// "guideline[0].pattern.mockup".
type keys map[string]int

// find returns the offset of a key, or of the nearest table around it. It is -1 if neither is in the text.
func (k keys) find(path string) int {
	for path != "" {
		for _, p := range []string{path, conf.Element(path, 0)} {
			if at, ok := k[p]; ok {
				return at
			}
		}
		path = path[:max(0, strings.LastIndexAny(path, ".["))]
	}
	return -1
}

// tokens matches the tokens of TOML, except for blanks.
var tokens = regexp.MustCompile(`(?s)#[^\n]*|"""(?:\\.|[^\\])*?"{3,5}|'''.*?'{3,5}|"(?:\\.|[^"\\])*"|'[^']*'|[\[\]{},.=\n]|[^\s#\[\]{},.="']+`)

type token struct {
	text string
	at   int
}

// scanner finds the places of keys in a text that the TOML package has accepted; the package does not tell them.
type scanner struct {
	left   []token // tokens not read yet; the last is the end of the text
	keys   keys
	arrays map[string]int // number of [[table]]s met so far, by path
}

func indexKeys(text string) keys {
	s := scanner{keys: keys{}, arrays: map[string]int{}}
	for _, t := range tokens.FindAllStringIndex(text, -1) {
		if text[t[0]] != '#' {
			s.left = append(s.left, token{text[t[0]:t[1]], t[0]})
		}
	}
	s.left = append(s.left, token{"\n", len(text)})
	for table := ""; len(s.left) > 1; {
		switch {
		case s.accept("\n"), s.accept("]"):
		case s.accept("["):
			table = s.key("", s.accept("["))
		default:
			s.keyValue(table)
		}
	}
	return s.keys
}

func (s *scanner) next() token {
	t := s.left[0]
	if len(s.left) > 1 {
		s.left = s.left[1:]
	}
	return t
}

func (s *scanner) accept(text string) bool {
	is := len(s.left) > 1 && s.left[0].text == text
	if is {
		s.next()
	}
	return is
}

// key notes the parts of a key and returns the path that ends with it. The name of an array
// of tables stands for its newest element, and [[key]] begins one.
func (s *scanner) key(path string, begins bool) string {
	for more := true; more; more = s.accept(".") {
		t := s.next()
		name := strings.Trim(t.text, "'")
		if plain, err := strconv.Unquote(name); err == nil {
			name = plain
		}
		path = join(path, name)
		if begins && s.left[0].text == "]" {
			s.arrays[path]++
		}
		if n := s.arrays[path]; n > 0 {
			path = conf.Element(path, n-1)
		}
		s.note(path, t)
	}
	return path
}

func (s *scanner) keyValue(table string) {
	path := s.key(table, false)
	s.accept("=")
	s.value(path)
}

func (s *scanner) value(path string) {
	switch s.next().text {
	case "{":
		for s.within("}") {
			s.keyValue(path)
		}
	case "[":
		for i := 0; s.within("]"); i++ {
			element := conf.Element(path, i)
			if s.left[0].text != "{" { // keys of an inline table have places of their own
				s.note(element, s.left[0])
			}
			s.value(element)
		}
	default:
		for !strings.Contains(",]}\n", s.left[0].text) {
			s.next()
		}
	}
}

// within tells whether an element follows before the end of a table or an array.
func (s *scanner) within(end string) bool {
	for s.accept(",") || s.accept("\n") {
	}
	return !s.accept(end) && len(s.left) > 1
}

// note keeps the first place of a path: dotted keys name their tables again.
func (s *scanner) note(path string, t token) {
	if _, ok := s.keys[path]; !ok {
		s.keys[path] = t.at
	}
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

type Error struct {
	File     string
	position // only of errors that are shown
	Msg      string
	at       int // offset in the text, or -1 if it is not there
}

func (e Error) Error() string {
	switch {
	case e.Line > 0:
		return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Col, e.Msg)
	case e.File != "":
		return e.File + ": " + e.Msg
	}
	return e.Msg
}

// Errors lists all errors of a file, in the order of their places.
type Errors []Error

// mostErrors limits how many errors are shown: a file with more is probably of another kind.
const mostErrors = 20

func (es Errors) Error() string { return strings.Join(es.Lines(), "\n") }

func (es Errors) Lines() []string {
	lines := make([]string, min(len(es), mostErrors))
	for i := range lines {
		lines[i] = es[i].Error()
	}
	if more := len(es) - len(lines); more > 0 {
		lines = append(lines, fmt.Sprintf("and %d errors more", more))
	}
	return lines
}
