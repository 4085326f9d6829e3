package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"pgmpi/guidelines"
	"pgmpi/measure/host"
	"pgmpi/measure/protocol"
)

// Anybody can write a results folder. These limits keep a reader's memory in proportion to the bytes on
// disk (docs/dev/security.md).
const (
	maxManifest = 64 << 20 // bytes; a plan of 1000 cases takes half a MiB
	// A manifest is indented, which keeps its values this many bytes apart on
	// average. One of a few bytes could stand for a node with all its lists.
	bytesPerValue = 8
	fewValues     = 1 << 14 // that may lie closer
	maxMembers    = 1 << 21 // of all sets of CPUs and ranks together
	maxMedians    = 1 << 21 // run medians: cases times mpiruns

	headerBase    = 8 << 20 // bytes of a raw file's header besides its cases: most of them the order, see MaxVisits
	headerPerCase = 4 << 10
	maxHeader     = 64 << 20
	maxClocks     = 64
	maxReadings   = 1 << 16 // of the yardstick
	maxParts      = 1 << 10 // of an mpirun

	maxRow     = rawBuffer
	rawBuffer  = 1 << 16
	maxRoom    = 1 << 20 // samples of all cases that memory is reserved for on the header's word alone
	maxSamples = protocol.MaxSamples
)

const MaxVisits = 1 << 20

func mostCases(mode protocol.Mode, plan *guidelines.Plan) int {
	if slices.Contains([]protocol.Mode{protocol.ModeSplit, protocol.ModeAlternate, protocol.ModeMalloc}, mode) {
		return len(plan.Cases) + 2*len(plan.Tests)
	}
	return len(plan.Cases)
}

func headerLimit(cases int) int { return headerBase + headerPerCase*cases }

// bounded refuses a manifest that stands for far more than it holds.
func bounded(text []byte) error {
	values, members := 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case ',', '{', '[':
			values++
		case '"':
			end := i + 1
			for end < len(text) && text[end] != '"' {
				if text[end] == '\\' {
					end++
				}
				end++
			}
			word := text[i:min(end+1, len(text))]
			if bytes.IndexByte(word, '\\') >= 0 {
				var plain string
				if err := json.Unmarshal(word, &plain); err != nil {
					return err
				}
				word = []byte(plain)
			}
			members += host.Members(string(bytes.Trim(word, `"`)))
			i = end
		}
		if values > fewValues+len(text)/bytesPerValue || members > maxMembers {
			return errors.New("it asks for far more memory than it has bytes: pgmpi has not written it so")
		}
	}
	return nil
}

func list[T any](into *[]T, text json.RawMessage, most int, what string) error {
	if len(text) == 0 || string(text) == "null" {
		return nil
	}
	in := json.NewDecoder(bytes.NewReader(text))
	if open, err := in.Token(); err != nil || open != json.Delim('[') {
		return fmt.Errorf("%s: no list", what)
	}
	for in.More() {
		if len(*into) == most {
			return fmt.Errorf("more than %d %s, which is more than there can be", most, what)
		}
		var v T
		if err := in.Decode(&v); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		*into = append(*into, v)
	}
	return nil
}
