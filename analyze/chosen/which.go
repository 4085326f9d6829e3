package chosen

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"pgmpi/internal/clean"
	"pgmpi/internal/conf"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
	"pgmpi/measure/protocol"
	"pgmpi/mockups"
)

// Which names a library's algorithm for each collective, shape and size, as which.json does.
type Which struct {
	Schema  string     `json:"schema"` // WhichSchema
	Library string     `json:"library"`
	Rows    []WhichRow `json:"rows"`
	// Left names what was not looked at, and why.
	Left []string `json:"left_out,omitempty"`
}

const WhichSchema = "pgmpi-which/1"

type WhichRow struct {
	Collective string `json:"collective"`
	Shape      string `json:"shape"`
	Msize      int64  `json:"msize"` // bytes
	// Algorithms names the library's own ones that do the same; several cannot be told apart.
	Algorithms []string `json:"algorithms"`
	By         string   `json:"by"`
	Why        string   `json:"why,omitempty"` // why no algorithm is named
	// Sent is what the call sends, by messages.
	Sent protocol.Messages `json:"sent,omitzero"`
}

// ReadWhich reads a which.json, which anybody may have written.
func ReadWhich(text []byte) (*Which, error) {
	w := &Which{}
	if err := json.Unmarshal(text, w); err != nil {
		return nil, err
	}
	if w.Schema != WhichSchema {
		return nil, fmt.Errorf("its schema is %.40q, not %q", w.Schema, WhichSchema)
	}
	for i := range w.Rows {
		if err := w.Rows[i].check(); err != nil {
			return nil, fmt.Errorf("rows[%d]: %w", i, err)
		}
	}
	return w, nil
}

func (r *WhichRow) check() error {
	const longest = 200
	if f, ok := mockups.Get(r.Collective); !ok || f.Message {
		return fmt.Errorf("%.40q is no collective", r.Collective)
	}
	if !shapeForm.MatchString(r.Shape) {
		return fmt.Errorf("%.40q is no shape", r.Shape)
	}
	if r.Msize < 0 || r.Sent.Count < 0 || r.Sent.Bytes < 0 {
		return fmt.Errorf("%d B, %d messages of %d B cannot be", r.Msize, r.Sent.Count, r.Sent.Bytes)
	}
	for _, a := range r.Algorithms {
		if a == "" || len(a) > longest || strings.ContainsFunc(a, clean.Hidden) {
			return fmt.Errorf("%.40q is no name of an algorithm", a)
		}
	}
	return nil
}

var shapeForm = regexp.MustCompile(`^(p[1-9]\d{0,8}|[1-9]\d{0,8}x[1-9]\d{0,8})$`)

func (w *Which) LeftOut(text string) { w.Left = lists.With(w.Left, text) }

// Name returns the names of a row's algorithms, or why there are none.
func (r *WhichRow) Name() string {
	return cmp.Or(strings.Join(r.Algorithms, " or "), r.Why)
}

func (w *Which) Of(function, shape string, msize int64) *WhichRow {
	if w == nil {
		return nil
	}
	return lists.First(w.Rows, func(r WhichRow) bool { return r.Collective == function && r.Shape == shape && r.Msize == msize })
}

// Default names the algorithms of a row in words: "pipeline, 128 KiB segments". It returns "" where none is known.
func (r *WhichRow) Default() string {
	if r == nil {
		return ""
	}
	var out []string
	for _, a := range r.Algorithms {
		name, segment, fanout := mockups.Parameters(a)
		out = append(out, name+phrase.When(segment > 0, ", %s segments", conf.HumanSize(segment))+phrase.When(fanout > 0, ", fan-out %d", fanout))
	}
	return strings.Join(out, " or ")
}

// Differs tells whether two rows certainly name different algorithms: neither has one that the
// other may have. An algorithm that is not the library's own differs by its messages.
func (r *WhichRow) Differs(from *WhichRow) bool {
	if len(r.Algorithms) == 0 || len(from.Algorithms) == 0 {
		return len(r.Algorithms)+len(from.Algorithms) > 0 && r.Sent.Count > 0 && from.Sent.Count > 0 && r.Sent != from.Sent
	}
	return !slices.ContainsFunc(r.Algorithms, func(a string) bool { return slices.Contains(from.Algorithms, a) })
}
