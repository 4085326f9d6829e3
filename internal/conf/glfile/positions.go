package glfile

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2/unstable"
)

// position is a place in the file, 1-based, columns in characters.
type position struct{ line, col int }

func positionAt(data []byte, offset int) position {
	before := data[:max(0, min(offset, len(data)))]
	start := bytes.LastIndexByte(before, '\n') + 1
	return position{bytes.Count(before, []byte("\n")) + 1, utf8.RuneCount(before[start:]) + 1}
}

// keys maps the path of a key, such as "job.np" or "guideline[0].pattern.mockup",
// to where it stands.
type keys map[string]position

// find returns where a key stands, or the nearest table around it. The zero
// position means that none of them is in the file.
func (k keys) find(path string) position {
	for path != "" {
		if at, ok := k[path]; ok {
			return at
		}
		if at, ok := k[path+"[0]"]; ok {
			return at
		}
		path = path[:max(0, strings.LastIndexAny(path, ".["))]
	}
	return position{}
}

// indexer walks the syntax tree, because the decoder does not say where the
// keys of its values were.
type indexer struct {
	parser unstable.Parser
	data   []byte
	keys   keys
	arrays map[string]int // [[table]]s met so far, by path
}

// indexKeys finds every key of a document.
func indexKeys(data []byte) (keys, *Error) {
	x := indexer{data: data, keys: keys{}, arrays: map[string]int{}}
	x.parser.Reset(data)
	table := ""
	for x.parser.NextExpression() {
		switch n := x.parser.Expression(); n.Kind {
		case unstable.Table:
			table = x.header(n)
		case unstable.ArrayTable:
			table = x.arrayHeader(n)
		case unstable.KeyValue:
			x.keyValue(table, n)
		}
	}
	if err := x.parser.Error(); err != nil {
		return nil, x.syntaxError(err)
	}
	return x.keys, nil
}

func (x *indexer) syntaxError(err error) *Error {
	at := position{1, 1}
	var pe *unstable.ParserError
	if errors.As(err, &pe) {
		at = positionAt(x.data, int(x.parser.Range(pe.Highlight).Offset))
		return &Error{Line: at.line, Col: at.col, Msg: pe.Message}
	}
	return &Error{Line: at.line, Col: at.col, Msg: err.Error()}
}

// header returns the path of a [table]; its last part is the key's place.
func (x *indexer) header(n *unstable.Node) string {
	path := ""
	for it := n.Key(); it.Next(); {
		path = x.element(join(path, string(it.Node().Data)))
		x.note(path, it.Node())
	}
	return path
}

func (x *indexer) arrayHeader(n *unstable.Node) string {
	path := ""
	for it := n.Key(); it.Next(); {
		path = join(path, string(it.Node().Data))
		if it.IsLast() {
			x.arrays[path]++
		}
		path = x.element(path)
		x.note(path, it.Node())
	}
	return path
}

// element appends the index of the newest element where path is an array of
// tables.
func (x *indexer) element(path string) string {
	if n := x.arrays[path]; n > 0 {
		return fmt.Sprintf("%s[%d]", path, n-1)
	}
	return path
}

func (x *indexer) keyValue(table string, n *unstable.Node) {
	path := table
	for it := n.Key(); it.Next(); {
		path = join(path, string(it.Node().Data))
		x.note(path, it.Node())
	}
	x.value(path, n.Value())
}

// value goes into inline tables and arrays of them.
func (x *indexer) value(path string, n *unstable.Node) {
	switch n.Kind {
	case unstable.InlineTable:
		for it := n.Children(); it.Next(); {
			if it.Node().Kind == unstable.KeyValue {
				x.keyValue(path, it.Node())
			}
		}
	case unstable.Array:
		i := 0
		for it := n.Children(); it.Next(); {
			if it.Node().Kind == unstable.Comment {
				continue
			}
			x.value(fmt.Sprintf("%s[%d]", path, i), it.Node())
			i++
		}
	}
}

// note keeps the first place of a path: dotted keys name their tables again.
func (x *indexer) note(path string, key *unstable.Node) {
	if _, ok := x.keys[path]; !ok {
		x.keys[path] = positionAt(x.data, int(key.Raw.Offset))
	}
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
