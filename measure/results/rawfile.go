package results

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"

	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/measure/protocol"
)

// RawName returns names such as "run-p4-01.tsv.gz" and "nrep-p4-1.tsv.gz".
func RawName(mode protocol.Mode, shape guidelines.Shape, run int) string {
	if mode == protocol.ModeNREP {
		return fmt.Sprintf("%s-%s-%d.tsv.gz", mode, shape, run)
	}
	return fmt.Sprintf("%s-%s-%02d.tsv.gz", mode, shape, run)
}

func (r *Run) encode(w io.Writer) error {
	r.Schema = RawSchema
	return encodeRows(w, r.Header, headerLimit(len(r.Cases)), func(add func(row)) {
		for i, samples := range r.Samples {
			for k, s := range samples {
				add(row{int64(i), int64(k), s.NS, int64(s.Flags)})
			}
		}
	})
}

// ReadRaw reads a raw file of at most the given number of cases, of any plan. An error about a
// damaged one names it and the line.
func ReadRaw(path string, cases int) (*Run, error) {
	run := &Run{}
	return run, readRows(path, func(r *rowReader) error { return run.decode(r, cases) })
}

func (r *Run) decode(in *rowReader, cases int) error {
	if err := r.decodeHeader(in, cases); err != nil {
		return err
	}
	r.Samples = make([][]protocol.Sample, len(r.Cases))
	room, left := maxRoom, maxSamples
	for i, c := range r.Cases {
		if c.NRep < 0 || c.NRep > left {
			return fmt.Errorf("case %d has nrep %d; a file holds at most %d samples", i, c.NRep, maxSamples)
		}
		left -= c.NRep
		n := min(c.NRep, room)
		room -= n
		r.Samples[i] = make([]protocol.Sample, 0, n)
	}
	if err := in.each(r.add, r.noRow); err != nil {
		return err
	}
	for i, c := range r.Cases {
		if len(r.Samples[i]) != c.NRep {
			return fmt.Errorf("case %d has %d samples, the header says %d", i, len(r.Samples[i]), c.NRep)
		}
	}
	return nil
}

// A few bytes may stand for a case or a clock with all its fields, so their lists are limited by count.
func (r *Run) decodeHeader(in *rowReader, cases int) (err error) {
	var h struct {
		Header
		Cases    json.RawMessage `json:"cases"`
		Clocks   json.RawMessage `json:"clocks"`
		Probes   json.RawMessage `json:"yardstick"`
		Counters json.RawMessage `json:"counters"`
		Parts    json.RawMessage `json:"parts"`
	}
	if err := in.header(min(headerLimit(cases), maxHeader), &h); err != nil {
		return err
	}
	if h.Schema != RawSchema {
		return fmt.Errorf("schema %q, this pgmpi reads %q", h.Schema, RawSchema)
	}
	r.Header = h.Header
	if r.Cases, err = list[CaseInfo](h.Cases, cases, "cases"); err != nil {
		return err
	}
	for i, c := range r.Cases {
		if err := cmp.Or(c.Usage.Check(r.Shape.NP), c.Messages.Check(), c.Counting.Check()); err != nil {
			return fmt.Errorf("case %d: %w", i, err)
		}
	}
	if r.Clocks, err = list[protocol.ClockInfo](h.Clocks, maxClocks, "clocks"); err != nil {
		return err
	}
	if r.Probes, err = list[protocol.Probes](h.Probes, maxReadings, "readings of the yardstick"); err != nil {
		return err
	}
	if r.Counters, err = list[protocol.Counter](h.Counters, protocol.MaxCounters, "counters"); err != nil {
		return err
	}
	r.Parts, err = list[Part](h.Parts, maxParts, "parts")
	return err
}

func (r *Run) add(v row) error {
	if v[0] >= int64(len(r.Samples)) {
		return fmt.Errorf("case %d of %d", v[0], len(r.Samples))
	}
	s := &r.Samples[v[0]]
	if v[1] != int64(len(*s)) || len(*s) >= r.Cases[v[0]].NRep {
		return fmt.Errorf("repetition %d of case %d, expected %d of %d", v[1], v[0], len(*s), r.Cases[v[0]].NRep)
	}
	*s = append(*s, protocol.Sample{NS: v[2], Flags: int(v[3])})
	return r.Possible((*s)[len(*s)-1])
}

// noRow explains a line whose field bad is no number: a time may be NaN, Inf or negative.
func (r *Run) noRow(v row, bad int, line []byte) error {
	f := bytes.Split(line, []byte("\t"))
	if bad != 2 || len(f) != len(v) || v[0] >= int64(len(r.Cases)) {
		return nil
	}
	c := r.Cases[v[0]]
	return fmt.Errorf("case %s at %s, repetition %d: %.30q is no run-time in whole nanoseconds", c.Function, conf.HumanSize(c.Msize), v[1], f[2])
}
