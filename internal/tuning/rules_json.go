package tuning

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"

	"pgmpi/internal/lists"
)

// jsonRules tells whether a file of rules has the form of Open MPI 6, version 3.
func jsonRules(text []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) }

// trailing matches a comma after the last member, which Open MPI's own example has.
var trailing = regexp.MustCompile(`,(\s*[}\]])`)

// readJSONRules reads the form of Open MPI 6. There the first entry that fits the processes holds, and in it the first
// rule that fits the size; for other sizes the library chooses.
func readJSONRules(name string, text []byte) ([]Rule, error) {
	in := &jsonReader{name: name, text: trailing.ReplaceAll(text, []byte("$1"))}
	in.Decoder = json.NewDecoder(bytes.NewReader(in.text))
	root, err := in.value(0)
	if err != nil {
		return nil, err
	}
	if _, err := in.Token(); !errors.Is(err, io.EOF) {
		return nil, in.errorf(in.line(), "there is text after the rules")
	}
	if version := root.get("rule_file_version"); version == nil || version.word != "3" {
		return nil, in.errorf(root.line, `"rule_file_version" has to be 3`)
	}
	if module := root.get("module"); module == nil || module.word != "tuned" {
		return nil, in.errorf(root.line, `"module" has to be "tuned"`)
	}
	all, collectives := "", root.get("collectives")
	if of := root.get("comm_rank_distribution"); of != nil {
		all = of.word
	}
	if collectives == nil {
		return nil, in.errorf(root.line, `there are no "collectives"`)
	}
	var out []Rule
	for _, c := range collectives.members {
		row := lists.First(openMPI, func(r rulesRow) bool { return plainName(lower(r.function)) == plainName(c.key) })
		if row == nil {
			return nil, in.errorf(c.line, "%.40q is no collective with rules", c.key)
		}
		for i := range c.members {
			rules, err := in.processes(row.function, &c.members[i], all)
			if out = append(out, rules...); err != nil {
				return nil, err
			}
			if len(out) > mostRules {
				return nil, in.errorf(c.line, "more than %d rules", mostRules)
			}
		}
	}
	return out, nil
}

// plainName makes "reducescatterblock" of both ways to write it.
func plainName(collective string) string {
	return strings.ReplaceAll(strings.ToLower(collective), "_", "")
}

// processes reads an entry of a collective, for numbers of processes.
func (in *jsonReader) processes(function string, v *located, placed string) (out []Rule, err error) {
	least, most, err := in.span(v, "comm_size", 0)
	if err != nil {
		return nil, err
	}
	if most == math.MaxInt64 || most > math.MaxInt32 {
		most = 0
	}
	if of := v.get("comm_rank_distribution"); of != nil {
		placed = of.word
	}
	if placed == "any" {
		placed = ""
	}
	base := Rule{Line: v.line, Function: function, MinNP: int(min(least, math.MaxInt32)), MaxNP: int(most), Placed: placed}
	rules := v.get("rules")
	if rules == nil {
		return nil, in.errorf(v.line, `%s: an entry has no "rules"`, function)
	}
	for i := range rules.members {
		r, m := base, &rules.members[i]
		r.Line = m.line
		var to int64
		if r.From, to, err = in.span(m, "msg_size", 0); err != nil {
			return nil, err
		}
		if to < math.MaxInt64 {
			r.To = to + 1
		}
		algorithm := m.get("alg")
		if algorithm == nil || algorithm.word == "" {
			return nil, in.errorf(m.line, `%s: a rule has no "alg"`, function)
		}
		if r.Algorithm = algorithm.word; r.Algorithm == "ignore" {
			r.Algorithm = "0"
		}
		for key, to := range map[string]*int64{"seg_size": &r.Segment, "faninout": &r.Fanout} {
			if n := m.get(key); n != nil {
				if *to, err = strconv.ParseInt(n.word, 10, 32); err != nil || *to < 0 {
					return nil, in.errorf(n.line, "%.40q is no %s", n.word, key)
				}
			}
		}
		out = append(out, r)
	}
	base.Algorithm = "0"
	return append(out, base), nil
}

// span reads both limits of a rule, such as comm_size_min and comm_size_max; the second is part of it.
func (in *jsonReader) span(v *located, name string, least int64) (from, to int64, err error) {
	to = math.MaxInt64
	for key, at := range map[string]*int64{name + "_min": &from, name + "_max": &to} {
		n := v.get(key)
		if n == nil {
			continue
		}
		if strings.EqualFold(n.word, "inf") {
			*at = math.MaxInt64
		} else if *at, err = strconv.ParseInt(n.word, 10, 64); err != nil || *at < least {
			return 0, 0, in.errorf(n.line, "%.40q is no %s", n.word, key)
		}
	}
	return from, to, nil
}

// located is a value of JSON, and its line.
type located struct {
	key     string // of an object's member
	line    int
	word    string // of a text or a number
	members []located
}

func (v *located) get(key string) *located {
	return lists.First(v.members, func(m located) bool { return m.key == key })
}

// jsonReader reads JSON with the lines of its values.
type jsonReader struct {
	*json.Decoder
	name  string
	text  []byte
	count int
}

func (in *jsonReader) line() int {
	return 1 + bytes.Count(in.text[:min(int(in.InputOffset()), len(in.text))], []byte("\n"))
}

func (in *jsonReader) errorf(line int, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", in.name, line, fmt.Sprintf(format, args...))
}

func (in *jsonReader) value(depth int) (v located, err error) {
	t, err := in.Token()
	if v.line = in.line(); err != nil {
		return v, in.errorf(v.line, "it is no JSON: %v", err)
	}
	if in.count++; depth > deepest || in.count > 8*mostRules {
		return v, in.errorf(v.line, "too deep, or too many values")
	}
	delim, is := t.(json.Delim)
	if !is {
		if n, number := t.(float64); number {
			v.word = strconv.FormatFloat(n, 'f', -1, 64)
		} else {
			v.word = fmt.Sprint(t)
		}
		return v, nil
	}
	for in.More() {
		key := ""
		if delim == '{' {
			k, err := in.Token()
			if err != nil {
				return v, in.errorf(in.line(), "it is no JSON: %v", err)
			}
			key, _ = k.(string)
		}
		m, err := in.value(depth + 1)
		if err != nil {
			return v, err
		}
		m.key = key
		v.members = append(v.members, m)
	}
	if _, err := in.Token(); err != nil {
		return v, in.errorf(in.line(), "it is no JSON: %v", err)
	}
	return v, nil
}
