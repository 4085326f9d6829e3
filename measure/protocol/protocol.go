package protocol

import (
	"bufio"
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

// JobChunk is the most job text on one line, in bytes: hydra dies when more
// than a pipe's 64 KiB waits on a rank's standard input.
const JobChunk = 24 << 10

// Hello is rank 0's first word.
type Hello struct {
	Protocol int      `json:"protocol"`
	NP       int      `json:"np"` // size of MPI_COMM_WORLD
	Rank     RankInfo `json:"rank"`
	Shared   []string `json:"shared,omitempty"` // files in /dev/shm that rank 0 maps
	PML      string   `json:"pml,omitempty"`    // Open MPI's point-to-point messaging layer
}

// ProtocolVersion is what Hello.Protocol says.
const ProtocolVersion = 1

// End is the last word of a finished mpirun.
type End struct {
	Lines     int    `json:"lines"` // nodes, case and samples lines before it
	CRC       string `json:"crc"`   // CRC-32 (IEEE) over these lines with their newlines, in hex
	MemoryCap int64  `json:"memory_cap"`
	MeasureNS int64  `json:"measure_ns"`
	TimedNS   int64  `json:"timed_ns"`
	Load      Load   `json:"load"`
	Timing    Timing `json:"timing"`
	// Clock is the one that timed; Clocks are all, from an mpirun that verifies or examines them.
	Clock  *ClockInfo  `json:"clock,omitempty"`
	Clocks []ClockInfo `json:"clocks,omitempty"`
}

// EncodeJob splits a job into protocol lines without their newlines.
func EncodeJob(j *Job) ([]string, error) {
	text, err := json.Marshal(j)
	if err != nil {
		return nil, err
	}
	n := (len(text) + JobChunk - 1) / JobChunk
	lines := make([]string, 0, n)
	for i := range n {
		chunk := text[i*JobChunk : min(len(text), (i+1)*JobChunk)]
		lines = append(lines, fmt.Sprintf("%s %d/%d %08x %s", LineJob, i+1, n, crc32.ChecksumIEEE(chunk), chunk))
	}
	return lines, nil
}

// ReadJob reads the lines that EncodeJob made. ack is called with the number of
// every line that arrived whole.
func ReadJob(r *bufio.Reader, ack func(i int)) (*Job, error) {
	var text []byte
	for i, n := 1, 1; i <= n; i++ {
		line, err := r.ReadString('\n')
		if err != nil {
			return nil, fmt.Errorf("job line %d: %w", i, err)
		}
		at, of, chunk, err := parseJobLine(strings.TrimSuffix(line, "\n"))
		switch {
		case err != nil:
			return nil, fmt.Errorf("job line %d: %w", i, err)
		case at != i || (i > 1 && of != n):
			return nil, fmt.Errorf("job line %d: got line %d of %d; standard input lost or repeated a line", i, at, of)
		}
		n = of
		text = append(text, chunk...)
		ack(i)
	}
	var j Job
	if err := json.Unmarshal(text, &j); err != nil {
		return nil, fmt.Errorf("job: %w", err)
	}
	return &j, nil
}

func parseJobLine(line string) (at, of int, chunk string, err error) {
	f := strings.SplitN(line, " ", 4)
	if len(f) != 4 || f[0] != LineJob {
		return 0, 0, "", fmt.Errorf("expected %q, got %.60q", LineJob+" I/N CRC32 TEXT", line)
	}
	if _, err := fmt.Sscanf(f[1], "%d/%d", &at, &of); err != nil {
		return 0, 0, "", fmt.Errorf("bad line number %q", f[1])
	}
	if at < 1 || at > of {
		return 0, 0, "", fmt.Errorf("line number %q is not one of 1 to %d", f[1], of)
	}
	if got := fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(f[3]))); got != f[2] {
		return 0, 0, "", fmt.Errorf("checksum %s, expected %s: standard input is damaged on its way to rank 0", got, f[2])
	}
	return at, of, f[3], nil
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

// NewOutputWriter returns a writer to w, which should be buffered.
func NewOutputWriter(w io.Writer) *OutputWriter { return &OutputWriter{w: w} }

func (o *OutputWriter) line(text []byte) {
	if o.err != nil {
		return
	}
	o.lines++
	o.crc = crc32.Update(o.crc, crc32.IEEETable, text)
	_, o.err = o.w.Write(text)
}

// samplesPerLine keeps lines far below what launchers forward at a time.
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
		text, err := json.Marshal(part)
		if err != nil {
			o.err = err
			return
		}
		o.line(fmt.Appendf(nil, "%s %s\n", LineNodes, text))
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

// End writes the end record.
func (o *OutputWriter) End(e End) error {
	if o.err != nil {
		return o.err
	}
	e.Lines, e.CRC = o.lines, fmt.Sprintf("%08x", o.crc)
	text, err := json.Marshal(e)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(o.w, "%s %s\n", LineEnd, text)
	return err
}

// OutputReader collects the closing lines of an mpirun.
type OutputReader struct {
	out   Output
	lines int
	crc   uint32
}

// Add takes one nodes, case, samples or end line without its newline. done is true
// after the end record.
func (o *OutputReader) Add(line []byte) (done bool, err error) {
	word, text, _ := bytes.Cut(line, []byte(" "))
	switch string(word) {
	case LineCase:
		var c CaseResult
		if err := json.Unmarshal(text, &c); err != nil {
			return false, fmt.Errorf("case line: %w", err)
		}
		o.out.Cases = append(o.out.Cases, c)
	case LineSync:
		var c ClockSync
		if err := json.Unmarshal(text, &c); err != nil {
			return false, fmt.Errorf("sync line: %w", err)
		}
		o.out.Syncs = append(o.out.Syncs, c)
	case LineSamples:
		if err := o.samples(string(text)); err != nil {
			return false, err
		}
	case LineNodes:
		var part host.Layout
		if err := json.Unmarshal(text, &part); err != nil {
			return false, fmt.Errorf("nodes line: %w", err)
		}
		if o.out.Layout == nil {
			o.out.Layout = &host.Layout{}
		}
		o.out.Layout.Join(&part)
	case LineEnd:
		return true, o.end(text)
	default:
		return false, fmt.Errorf("unexpected line %.60q", line)
	}
	o.lines++
	o.crc = crc32.Update(crc32.Update(o.crc, crc32.IEEETable, line), crc32.IEEETable, []byte("\n"))
	return false, nil
}

func (o *OutputReader) samples(text string) error {
	f := strings.Fields(text)
	if len(f) < 3 {
		return fmt.Errorf("samples line with %d fields", len(f))
	}
	index, err1 := strconv.Atoi(f[0])
	first, err2 := strconv.Atoi(f[1])
	if err1 != nil || err2 != nil {
		return fmt.Errorf("samples line %.40q", text)
	}
	if o.out.Samples == nil {
		o.out.Samples = map[int][]Sample{}
	}
	have := o.out.Samples[index]
	if len(have) != first {
		return fmt.Errorf("samples of case %d start at %d, expected %d", index, first, len(have))
	}
	for _, t := range f[2:] {
		s, err := ParseSample(t)
		if err != nil {
			return fmt.Errorf("samples of case %d: %w", index, err)
		}
		have = append(have, s)
	}
	o.out.Samples[index] = have
	return nil
}

// ParseSample reads "NS" or "NS:FLAGS". What a raw file cannot hold is an error:
// negative numbers and those of more than 18 digits.
func ParseSample(t string) (Sample, error) {
	d, flags, flagged := strings.Cut(t, ":")
	ns, err := strconv.ParseInt(d, 10, 64)
	s := Sample{NS: ns}
	if err == nil && flagged {
		s.Flags, err = strconv.Atoi(flags)
	}
	if err != nil {
		return s, fmt.Errorf("bad sample %q", t)
	}
	if min(s.NS, int64(s.Flags)) < 0 || max(s.NS, int64(s.Flags)) > MaxRawInt {
		return s, fmt.Errorf("sample %q is no run-time: the clock has stepped, or standard output is damaged", t)
	}
	return s, nil
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
