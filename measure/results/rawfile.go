package results

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/klauspost/compress/gzip"

	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/regular"
	"pgmpi/measure/protocol"
)

// RawName returns names such as "run-p4-01.tsv.gz" and "nrep-p4-1.tsv.gz".
func RawName(mode protocol.Mode, shape guidelines.Shape, run int) string {
	if mode == protocol.ModeNREP {
		return fmt.Sprintf("%s-%s-%d.tsv.gz", mode, shape, run)
	}
	return fmt.Sprintf("%s-%s-%02d.tsv.gz", mode, shape, run)
}

func encodeRaw(w *bufio.Writer, r *Run) error {
	r.Schema = RawSchema
	head, err := json.Marshal(r.Header)
	if err != nil {
		return err
	}
	if limit := headerLimit(len(r.Cases)); len(head) > limit {
		return fmt.Errorf("the header of mpirun %d would have %d bytes, and readers take %d", r.Run, len(head), limit)
	}
	fmt.Fprintf(w, "#%s\n", head) // a bufio.Writer keeps its first error
	rows := 0
	var line []byte
	for i, samples := range r.Samples {
		rows += len(samples)
		for k, s := range samples {
			line = line[:0]
			for _, v := range [...]int64{int64(i), int64(k), s.NS, int64(s.Flags)} {
				line = append(strconv.AppendInt(line, v, 10), '\t')
			}
			line[len(line)-1] = '\n'
			if _, err := w.Write(line); err != nil {
				return err
			}
		}
	}
	_, err = fmt.Fprintf(w, "#end rows=%d\n", rows)
	return err
}

// ReadRaw reads one raw file, of any plan. An error about a damaged one names it and the
// line.
func ReadRaw(path string) (*Run, error) { return readRaw(path, maxMedians) }

// readRaw reads a raw file of at most the given number of cases.
func readRaw(path string, cases int) (*Run, error) {
	f, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, damaged(path, err)
	}
	d := rawDecoder{in: bufio.NewReaderSize(z, rawBuffer), cases: cases}
	if err := d.decode(); err != nil {
		return nil, damaged(fmt.Sprintf("%s:%d", path, d.line), err)
	}
	return &d.run, nil
}

func damaged(where string, err error) error {
	return fmt.Errorf("%s: %w; the file is damaged: move it away, --resume measures this mpirun again", where, err)
}

type rawDecoder struct {
	in    *bufio.Reader
	cases int // at most
	line  int
	run   Run
}

// next returns the next line, of at most limit bytes. It is valid until the next call.
func (d *rawDecoder) next(limit int) ([]byte, error) {
	d.line++
	line, err := d.in.ReadSlice('\n')
	if err == nil {
		return line[:len(line)-1], nil
	}
	// Only the header is longer than the buffer.
	whole := slices.Clone(line)
	for errors.Is(err, bufio.ErrBufferFull) && len(whole) < limit {
		line, err = d.in.ReadSlice('\n')
		whole = append(whole, line...)
	}
	switch {
	case errors.Is(err, bufio.ErrBufferFull) || len(whole) > limit:
		return nil, fmt.Errorf("a line of more than %d bytes", limit)
	case errors.Is(err, io.EOF):
		return nil, errors.New("the file ends before its #end line")
	case err != nil:
		return nil, err
	}
	return whole[:len(whole)-1], nil
}

func (d *rawDecoder) decode() error {
	head, err := d.next(min(headerLimit(d.cases), maxHeader))
	if err != nil {
		return err
	}
	if len(head) == 0 || head[0] != '#' {
		return errors.New("no header line")
	}
	if err := d.header(head[1:]); err != nil {
		return fmt.Errorf("header: %w", err)
	}
	if d.run.Schema != RawSchema {
		return fmt.Errorf("schema %q, this pgmpi reads %q", d.run.Schema, RawSchema)
	}
	d.run.Samples = make([][]protocol.Sample, len(d.run.Cases))
	room, left := maxRoom, maxSamples
	for i, c := range d.run.Cases {
		if c.NRep < 0 || c.NRep > left {
			return fmt.Errorf("case %d has nrep %d; a file holds at most %d samples", i, c.NRep, maxSamples)
		}
		left -= c.NRep
		n := min(c.NRep, room)
		room -= n
		d.run.Samples[i] = make([]protocol.Sample, 0, n)
	}
	for rows := 0; ; rows++ {
		line, err := d.next(maxRow)
		if err != nil {
			return err
		}
		if len(line) > 0 && line[0] == '#' {
			return d.end(string(line), rows)
		}
		if err := d.row(line); err != nil {
			return err
		}
	}
}

// header decodes the header. A few bytes may stand for a case or a clock with all
// its fields, so their lists are limited by count.
func (d *rawDecoder) header(text []byte) (err error) {
	var h struct {
		Header
		Cases    json.RawMessage `json:"cases"`
		Clocks   json.RawMessage `json:"clocks"`
		Probes   json.RawMessage `json:"yardstick"`
		Counters json.RawMessage `json:"counters"`
		Parts    json.RawMessage `json:"parts"`
	}
	if err := json.Unmarshal(text, &h); err != nil {
		return err
	}
	d.run.Header = h.Header
	if d.run.Cases, err = list[CaseInfo](h.Cases, d.cases, "cases"); err != nil {
		return err
	}
	for i, c := range d.run.Cases {
		if err := cmp.Or(c.Usage.Check(d.run.Shape.NP), c.Messages.Check(), c.Counting.Check()); err != nil {
			return fmt.Errorf("case %d: %w", i, err)
		}
	}
	if d.run.Clocks, err = list[protocol.ClockInfo](h.Clocks, maxClocks, "clocks"); err != nil {
		return err
	}
	if d.run.Probes, err = list[protocol.Probes](h.Probes, maxReadings, "readings of the yardstick"); err != nil {
		return err
	}
	if d.run.Counters, err = list[protocol.Counter](h.Counters, protocol.MaxCounters, "counters"); err != nil {
		return err
	}
	d.run.Parts, err = list[Part](h.Parts, maxParts, "parts")
	return err
}

func (d *rawDecoder) row(line []byte) error {
	var v [4]int64
	rest := line
	for i := range v {
		n, used := leadingInt(rest)
		last := i == len(v)-1
		if used == 0 || last != (used == len(rest)) || (!last && rest[used] != '\t') {
			if i == 2 && v[0] < int64(len(d.run.Cases)) && bytes.Count(line, []byte("\t")) == 3 {
				ns, _, _ := bytes.Cut(rest, []byte("\t")) // NaN, Inf, negative
				return fmt.Errorf("case %s at %s, repetition %d: %.30q is no run-time in whole nanoseconds",
					d.run.Cases[v[0]].Function, conf.HumanSize(d.run.Cases[v[0]].Msize), v[1], ns)
			}
			return fmt.Errorf("expected case, repetition, nanoseconds and flags, got %.60q", line)
		}
		v[i] = n
		if !last {
			rest = rest[used+1:]
		}
	}
	if v[0] >= int64(len(d.run.Samples)) {
		return fmt.Errorf("case %d of %d", v[0], len(d.run.Samples))
	}
	s := &d.run.Samples[v[0]]
	if v[1] != int64(len(*s)) || len(*s) >= d.run.Cases[v[0]].NRep {
		return fmt.Errorf("repetition %d of case %d, expected %d of %d", v[1], v[0], len(*s), d.run.Cases[v[0]].NRep)
	}
	*s = append(*s, protocol.Sample{NS: v[2], Flags: int(v[3])})
	return nil
}

// leadingInt reads the digits at the start of b; used is 0 if b starts with none, or with
// more than protocol.MaxRawInt has.
func leadingInt(b []byte) (n int64, used int) {
	for used < len(b) && b[used] >= '0' && b[used] <= '9' {
		if used == 18 {
			return 0, 0
		}
		n = n*10 + int64(b[used]-'0')
		used++
	}
	return n, used
}

func (d *rawDecoder) end(line string, rows int) error {
	if want := fmt.Sprintf("#end rows=%d", rows); line != want {
		return fmt.Errorf("%q after %d rows", line, rows)
	}
	for i, c := range d.run.Cases {
		if len(d.run.Samples[i]) != c.NRep {
			return fmt.Errorf("case %d has %d samples, the header says %d", i, len(d.run.Samples[i]), c.NRep)
		}
	}
	// The rest of the gzip stream holds its checksum.
	if _, err := d.in.ReadByte(); !errors.Is(err, io.EOF) {
		return cmp.Or(err, errors.New("text after the #end line"))
	}
	return nil
}
