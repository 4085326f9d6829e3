package glfile

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2/unstable"
)

// position is a place in a file: 1-based, Col in characters; 0: it is not in the file.
type position struct{ Line, Col int }

func positionAt(data []byte, offset int) position {
	before := data[:max(0, min(offset, len(data)))]
	start := bytes.LastIndexByte(before, '\n') + 1
	return position{bytes.Count(before, []byte("\n")) + 1, utf8.RuneCount(before[start:]) + 1}
}

// keys maps the path of a key, such as "job.np" or "guideline[0].pattern.mockup",
// to its place.
type keys map[string]position

// find returns the place of a key, or of the nearest table around it. The zero
// position means that none of them is in the file.
func (k keys) find(path string) position {
	for path != "" {
		if at := cmp.Or(k[path], k[path+"[0]"]); at != (position{}) {
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

// indexKeys finds every key of a file.
func indexKeys(name string, data []byte) (keys, error) {
	x := indexer{data: data, keys: keys{}, arrays: map[string]int{}}
	x.parser.Reset(data)
	table := ""
	for x.parser.NextExpression() {
		switch n := x.parser.Expression(); n.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = x.header(n)
		case unstable.KeyValue:
			x.keyValue(table, n)
		}
	}
	err := x.parser.Error()
	var pe *unstable.ParserError
	switch {
	case errors.As(err, &pe):
		return nil, Errors{{name, positionAt(data, int(x.parser.Range(pe.Highlight).Offset)), pe.Message}}
	case err != nil:
		return nil, Errors{{name, position{1, 1}, err.Error()}}
	}
	return x.keys, nil
}

// header returns the path of a [table] or of the newest element of [[tables]];
// the last part is the key's place.
func (x *indexer) header(n *unstable.Node) string {
	path := ""
	for it := n.Key(); it.Next(); {
		path = join(path, string(it.Node().Data))
		if n.Kind == unstable.ArrayTable && it.IsLast() {
			x.arrays[path]++
		}
		if count := x.arrays[path]; count > 0 {
			path = fmt.Sprintf("%s[%d]", path, count-1)
		}
		x.note(path, it.Node())
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
			element := fmt.Sprintf("%s[%d]", path, i)
			if it.Node().Raw.Length > 0 && it.Node().Kind != unstable.InlineTable { // one has the places of its keys
				x.note(element, it.Node())
			}
			x.value(element, it.Node())
			i++
		}
	}
}

// note keeps the first place of a path, or of an element of an array: dotted keys name their tables again.
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
