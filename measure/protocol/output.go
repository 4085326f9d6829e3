package protocol

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"strconv"
	"strings"

	"pgmpi/measure/host"
)

// The line protocol between the driver and rank 0 (docs/protocol.md). Every
// line is a word, a space and its text.
const (
	LineHello    = "pgmpi-hello" // + Hello as JSON; rank 0's first line
	LineJob      = "job"         // + "I/N CRC32 CHUNK"; the driver's lines
	LineAck      = "ack"         // + I, after job line I
	LineProgress = "progress"    // + "DONE TOTAL NAME"
	LineCase     = "case"        // + CaseResult as JSON
	LineSamples  = "samples"     // + "CASE FIRST NS[:FLAGS]…"
	LineNodes    = "nodes"       // + a part of a Layout as JSON; only where the job asks for it
	LineSync     = "sync"        // + ClockSync as JSON; only with ModeClocks
	LineError    = "error"       // + a sentence; the mpirun has failed
	LineEnd      = "end"         // + End as JSON; without it an mpirun is not finished
)

// End is the last line of a finished mpirun.
type End struct {
	Lines     int    `json:"lines"` // nodes, case, samples and sync lines before it
	CRC       string `json:"crc"`   // CRC-32 (IEEE) over these lines with their newlines, in hex
	MemoryCap int64  `json:"memory_cap"`
	MeasureNS int64  `json:"measure_ns"`
	TimedNS   int64  `json:"timed_ns"`
	Load      Load   `json:"load"`
	Timing    Timing `json:"timing"`
	// Yardstick is in the order of time; only of an mpirun that measures.
	Yardstick []Yardstick `json:"yardstick,omitempty"`
	// Clock is the one that timed. Clocks are all there are, from an mpirun that
	// verifies or examines them.
	Clock  *ClockInfo  `json:"clock,omitempty"`
	Clocks []ClockInfo `json:"clocks,omitempty"`
}

// Output is what rank 0 of a finished mpirun sent after its last case.
type Output struct {
	Cases   []CaseResult
	Samples map[int][]Sample // by index into Job.Cases
	Layout  *host.Layout     // nil: not asked for
	End     End
	Syncs   []ClockSync // with ModeClocks
}

// OutputWriter writes the closing lines of an mpirun.
type OutputWriter struct {
	w     io.Writer
	lines int
	crc   uint32
	err   error
}

// NewOutputWriter returns a writer to w, which should be buffered. An error stays
// until End returns it.
func NewOutputWriter(w io.Writer) *OutputWriter { return &OutputWriter{w: w} }

func (o *OutputWriter) line(text []byte) {
	if o.err != nil {
		return
	}
	o.lines++
	o.crc = crc32.Update(o.crc, crc32.IEEETable, text)
	_, o.err = o.w.Write(text)
}

// samplesPerLine keeps lines far below what launchers forward at once.
const samplesPerLine = 512

// Case writes what became of a case, and its samples.
func (o *OutputWriter) Case(c CaseResult, samples []Sample) {
	o.JSON(LineCase, c)
	for first := 0; first < len(samples); first += samplesPerLine {
		b := fmt.Appendf(nil, "%s %d %d", LineSamples, c.Case, first)
		for _, s := range samples[first:min(len(samples), first+samplesPerLine)] {
			b = append(b, ' ')
			b = strconv.AppendInt(b, s.NS, 10)
			if s.Flags != 0 {
				b = append(b, ':')
				b = strconv.AppendInt(b, int64(s.Flags), 10)
			}
		}
		o.line(append(b, '\n'))
	}
}

// Layout writes where the ranks run. It comes before the cases.
func (o *OutputWriter) Layout(l *host.Layout) {
	for _, part := range l.Parts() {
		o.JSON(LineNodes, part)
	}
}

// JSON writes a line of the given word with v as its text.
func (o *OutputWriter) JSON(word string, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		o.err = err
		return
	}
	o.line(fmt.Appendf(nil, "%s %s\n", word, text))
}

// End writes the end record, which does not count itself.
func (o *OutputWriter) End(e End) error {
	e.Lines, e.CRC = o.lines, fmt.Sprintf("%08x", o.crc)
	o.JSON(LineEnd, e)
	return o.err
}

// OutputReader collects the closing lines of an mpirun.
type OutputReader struct {
	out   Output
	lines int
	crc   uint32
}

// Add takes one nodes, case, samples, sync or end line without its newline. done
// is true after the end record.
func (o *OutputReader) Add(line []byte) (done bool, err error) {
	word, text, _ := bytes.Cut(line, []byte(" "))
	switch string(word) {
	case LineCase:
		o.out.Cases, err = with(o.out.Cases, text)
	case LineSync:
		o.out.Syncs, err = with(o.out.Syncs, text)
	case LineSamples:
		err = o.samples(string(text))
	case LineNodes:
		var part host.Layout
		if err = json.Unmarshal(text, &part); o.out.Layout == nil {
			o.out.Layout = &host.Layout{}
		}
		o.out.Layout.Join(&part)
	case LineEnd:
		return true, o.end(text)
	default:
		return false, fmt.Errorf("unexpected line %.60q", line)
	}
	if err != nil {
		return false, fmt.Errorf("%s line: %w", word, err)
	}
	o.lines++
	o.crc = crc32.Update(crc32.Update(o.crc, crc32.IEEETable, line), crc32.IEEETable, []byte("\n"))
	return false, nil
}

// with appends the value that a line holds as JSON.
func with[T any](list []T, text []byte) ([]T, error) {
	var v T
	err := json.Unmarshal(text, &v)
	return append(list, v), err
}

func (o *OutputReader) samples(text string) error {
	f := strings.Fields(text)
	if len(f) < 3 {
		return fmt.Errorf("%d fields", len(f))
	}
	index, err1 := strconv.Atoi(f[0])
	first, err2 := strconv.Atoi(f[1])
	if err1 != nil || err2 != nil {
		return fmt.Errorf("%.40q does not begin with a case and a repetition", text)
	}
	if o.out.Samples == nil {
		o.out.Samples = map[int][]Sample{}
	}
	have := o.out.Samples[index]
	if len(have) != first {
		return fmt.Errorf("the samples of case %d start at %d, expected %d", index, first, len(have))
	}
	for _, t := range f[2:] {
		s, err := ParseSample(t)
		if err != nil {
			return fmt.Errorf("case %d: %w", index, err)
		}
		have = append(have, s)
	}
	o.out.Samples[index] = have
	return nil
}

func (o *OutputReader) end(text []byte) error {
	if err := json.Unmarshal(text, &o.out.End); err != nil {
		return fmt.Errorf("end record: %w", err)
	}
	e := o.out.End
	if crc := fmt.Sprintf("%08x", o.crc); e.Lines != o.lines || e.CRC != crc {
		return fmt.Errorf("the end record counts %d lines with checksum %s, %d with %s arrived: standard output was damaged on its way", e.Lines, e.CRC, o.lines, crc)
	}
	if o.out.Layout != nil {
		return o.out.Layout.Check()
	}
	return nil
}

// Output returns what was collected; only to be used after the end record.
func (o *OutputReader) Output() *Output { return &o.out }
