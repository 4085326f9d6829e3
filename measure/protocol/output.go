package protocol

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pgmpi/measure/host"
)

// The line protocol between the driver and rank 0 (docs/dev/protocol.md). Every
// line is a word, a space and its text.
const (
	LineHello    = "pgmpi-hello" // + Hello as JSON; rank 0's first line
	LineJob      = "job"         // + "I/N CRC32 CHUNK"; the driver's lines
	LineAck      = "ack"         // + I, after job line I
	LineProgress = "progress"    // + "DONE TOTAL NAME"
	LineFirst    = "first"       // + "NAME at SIZE" before a first call, if asked for, or MockupFault + " FILE"; "" after
	LineCase     = "case"        // + CaseResult as JSON
	LineSamples  = "samples"     // + "CASE FIRST NS[:FLAGS]…"
	LineRank     = "rank"        // + "CASE RANK FIRST NS…"; before the case, only where the job asks for it
	LineCount    = "count"       // + "CASE COUNTER FIRST N…"; the same, where the job has counters
	LineNodes    = "nodes"       // + a part of a Layout as JSON; only where the job asks for it
	LineSync     = "sync"        // + ClockSync as JSON; only of a ClocksJob
	LineExit     = "exit"        // + Exit as JSON; the same, where the job asks for it
	LineError    = "error"       // + a sentence; the mpirun has failed
	LineSoFar    = "sofar"       // + SoFar as JSON: what came before has arrived whole
	LineEnd      = "end"         // + End as JSON; without it an mpirun is not finished
)

// End is the last line of a finished mpirun, with the results of its kind of work.
type End struct {
	Lines int    `json:"lines"` // nodes, rank, count, case, samples, sync and exit lines before it
	CRC   string `json:"crc"`   // CRC-32 (IEEE) over these lines with their newlines, in hex
	Load  Load   `json:"load"`
	// Clock is the clock that timed. Clocks lists all clocks, from an mpirun that verifies or examines
	// them.
	Clock  *ClockInfo  `json:"clock,omitempty"`
	Clocks []ClockInfo `json:"clocks,omitempty"`

	Settings *host.Settings `json:"settings,omitempty"` // of a job with Layout

	*CallsEnd `json:"calls,omitempty"`
	Answer    *Answer   `json:"answer,omitempty"`   // of the Work of a job without cases
	Barriers  *Barriers `json:"barriers,omitempty"` // only there where the job asks for exits
}

type CallsEnd struct {
	MemoryCap int64     `json:"memory_cap"`
	MeasureNS int64     `json:"measure_ns"`
	TimedNS   int64     `json:"timed_ns"`
	Timing    Timing    `json:"timing"`
	Probes    []Probes  `json:"yardstick,omitempty"` // in the order of time; only of an mpirun that measures
	Mockups   []Mockups `json:"mockups,omitempty"`   // of the job, as they were loaded
	Counters  []Counter `json:"counters,omitempty"`  // of the job, if it has any
}

// SoFar closes the lines that an mpirun sends before its end.
type SoFar struct {
	Lines  int    `json:"lines"` // as in End, of all such lines so far
	CRC    string `json:"crc"`
	Rounds int    `json:"rounds,omitempty"` // of the job, that are finished
}

// Output holds what rank 0 of a finished mpirun sent after its last case.
type Output struct {
	Cases   []CaseResult
	Samples map[int][]Sample // by index into Job.Cases
	// Ranks holds the local durations of every rank, ns, by index into Job.Cases and by rank. It is nil
	// if they were not asked for.
	Ranks map[int][][]int64
	// Counts holds the counts of each repetition, at the rank with the highest. It is by index into
	// Job.Cases and into Job.Counters, and nil if nothing was counted.
	Counts map[int][][]int64
	Layout *host.Layout // nil if not asked for
	End    End
	Syncs  []ClockSync // of a ClocksJob
	Exits  []Exit      // by rank, where the job asks for them
}

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

// Case writes a case, and its samples from index first on: those before are written.
func (o *OutputWriter) Case(c CaseResult, samples []Sample, first int) {
	o.JSON(LineCase, c)
	for ; first < len(samples); first += samplesPerLine {
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

// Rank writes local durations of a rank, ns, from repetition first on.
func (o *OutputWriter) Rank(c, rank, first int, ns []int64) { o.series(LineRank, c, rank, first, ns) }

func (o *OutputWriter) Count(c, counter int, n []int64) { o.series(LineCount, c, counter, 0, n) }

func (o *OutputWriter) series(word string, c, which, first int, ns []int64) {
	for at := 0; at < len(ns); at += samplesPerLine {
		b := fmt.Appendf(nil, "%s %d %d %d", word, c, which, first+at)
		for _, d := range ns[at:min(len(ns), at+samplesPerLine)] {
			b = strconv.AppendInt(append(b, ' '), d, 10)
		}
		o.line(append(b, '\n'))
	}
}

func (o *OutputWriter) Layout(l *host.Layout) {
	for _, part := range l.Parts() {
		o.JSON(LineNodes, part)
	}
}

// SoFar closes what has been written by now, after this number of rounds of the job.
func (o *OutputWriter) SoFar(rounds int) error {
	text, err := json.Marshal(SoFar{o.lines, fmt.Sprintf("%08x", o.crc), rounds})
	if err = errors.Join(o.err, err); err == nil {
		_, o.err = fmt.Fprintf(o.w, "%s %s\n", LineSoFar, text)
	}
	return errors.Join(err, o.err)
}

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

// MaxLine limits a line of the ranks, in bytes.
const MaxLine = 1 << 20

// maxMessage limits a message about a case, in bytes.
const maxMessage = 1 << 10

// OutputReader collects the closing lines of an mpirun, and refuses more than its
// job can bring.
type OutputReader struct {
	job    *Job
	calls  CallsJob   // of the job, or empty if it has none
	timed  MeasureJob // of calls, or empty if it has none
	out    Output
	at     map[int]int // where in out.Cases a case of the job is
	closed Finished    // by the last SoFar
	left   int         // samples that may still come
	lines  int
	crc    uint32
}

func IsOutput(line []byte) bool {
	word, _, _ := bytes.Cut(line, []byte(" "))
	switch string(word) {
	case LineProgress, LineFirst, LineCase, LineSamples, LineRank, LineCount, LineNodes, LineSync, LineExit, LineSoFar, LineEnd:
		return true
	}
	return false
}

// ErrDamaged says that records are missing or changed.
var ErrDamaged = errors.New("standard output was damaged on its way")

// FromRank0 tells whether a line is one of rank 0's, by its form.
func FromRank0(line []byte) bool {
	word, _, _ := bytes.Cut(line, []byte(" "))
	return string(word) == LineHello || string(word) == LineAck || Malformed(line) == nil
}

// Malformed returns why a line is no record of rank 0's, or nil. Other programs print on standard output too, and their
// lines may begin with the word of a record.
func Malformed(line []byte) error {
	word, text, _ := bytes.Cut(line, []byte(" "))
	fits := false
	switch string(word) {
	case LineCase, LineNodes, LineSync, LineExit, LineSoFar, LineEnd:
		fits = len(text) > 0 && text[0] == '{' && json.Valid(text)
	case LineSamples, LineRank, LineCount:
		fits = seriesForm.Match(text)
	case LineProgress:
		fits = progressForm.Match(text)
	case LineFirst:
		fits = len(text) == 0 || bytes.Contains(text, []byte(" at ")) || bytes.HasPrefix(text, []byte(MockupFault))
	}
	if fits {
		return nil
	}
	return fmt.Errorf("unexpected line %.60q", line)
}

var (
	seriesForm   = regexp.MustCompile(`^\d+( -?\d+)+(:\d+)?( -?\d+(:\d+)?)*$`)
	progressForm = regexp.MustCompile(`^\d+ \d+ `)
)

func NewOutputReader(job *Job) *OutputReader {
	o := &OutputReader{job: job, left: MaxSamples, at: map[int]int{}}
	if job.CallsJob != nil {
		o.calls = *job.CallsJob
	}
	if m := o.calls.Measure; m != nil {
		o.timed = *m
	}
	return o
}

// Add takes one nodes, case, samples, sync, sofar or end line without its newline. done
// is true after the end record.
func (o *OutputReader) Add(line []byte) (done bool, err error) {
	word, text, _ := bytes.Cut(line, []byte(" "))
	switch string(word) {
	case LineCase:
		if o.out.Cases, err = with(o.out.Cases, text); err == nil {
			err = o.checkCase(len(o.out.Cases) - 1)
		}
	case LineSync:
		if o.job.Clocks == nil || len(o.out.Syncs) == len(o.job.Clocks.Methods) {
			err = errors.New("more than there are methods to examine")
			break
		}
		if o.out.Syncs, err = with(o.out.Syncs, text); err == nil {
			err = o.out.Syncs[len(o.out.Syncs)-1].check()
		}
	case LineExit:
		err = o.exit(text)
	case LineSamples:
		err = o.samples(string(text))
	case LineRank:
		most := o.job.NP
		if !o.timed.PerRank {
			most = 0
		}
		err = o.series(string(text), &o.out.Ranks, most)
	case LineCount:
		err = o.series(string(text), &o.out.Counts, len(o.timed.Counters))
	case LineNodes:
		var part host.Layout
		if err = json.Unmarshal(text, &part); o.out.Layout == nil {
			o.out.Layout = &host.Layout{}
		}
		o.out.Layout.Join(&part)
		if l := o.out.Layout; err == nil && max(len(l.Kinds), len(l.Pinnings), len(l.Nodes)) > o.job.NP {
			err = fmt.Errorf("more nodes than the %d ranks", o.job.NP)
		}
	case LineSoFar:
		return false, o.soFar(text)
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

func with[T any](list []T, text []byte) ([]T, error) {
	var v T
	err := json.Unmarshal(text, &v)
	return append(list, v), err
}

func (o *OutputReader) checkCase(i int) error {
	c := &o.out.Cases[i]
	before, known := o.at[c.Case]
	goesOn := known && len(o.calls.Rounds) > 0 && o.out.Cases[before].Status == StatusOK
	switch {
	case !known && i >= len(o.calls.Cases):
		return fmt.Errorf("more than the %d cases of the job", len(o.calls.Cases))
	case c.Case < 0 || c.Case >= len(o.calls.Cases):
		return fmt.Errorf("case %d of a job with %d", c.Case, len(o.calls.Cases))
	case known && !goesOn:
		return fmt.Errorf("case %d a second time", c.Case)
	case c.Status != StatusOK && !slices.Contains(NotTimed, c.Status):
		return fmt.Errorf("case %d has the status %.40q", c.Case, c.Status)
	case c.NRep < 0 || c.NRep > o.most(c.Case):
		return fmt.Errorf("case %d announces %d samples, and can have at most %d", c.Case, c.NRep, o.most(c.Case))
	case len(c.Message) > maxMessage || len(c.Reason) > maxMessage:
		return fmt.Errorf("case %d has a message of more than %d bytes", c.Case, maxMessage)
	case c.WindowNS < 0 || c.Provable != nil && min(int64(c.Provable.N), c.Provable.MedianNS, c.Provable.MinNS) < 0:
		return fmt.Errorf("case %d has a negative time", c.Case)
	}
	if err := cmp.Or(c.Usage.Check(o.job.NP), c.Messages.Check(), c.Counting.Check(), o.answer(c.Answer)); err != nil {
		return fmt.Errorf("case %d: %w", c.Case, err)
	}
	if goesOn {
		return o.goOn(before, *c)
	}
	o.at[c.Case] = i
	return nil
}

// answer refuses an answer that was not asked for, or that is impossible.
func (o *OutputReader) answer(a *Answer) error {
	switch {
	case a == nil:
		return nil
	case o.job.Work == nil:
		return fmt.Errorf("an answer of %.40q, and nothing was asked for", a.Work)
	}
	return o.job.Work.check(a)
}

// goOn replaces a case's result after one round by its result after a later one.
func (o *OutputReader) goOn(i int, now CaseResult) error {
	have := len(o.out.Samples[now.Case])
	switch {
	case now.Status != StatusOK: // what was timed of it does not count
		o.left += have
		delete(o.out.Samples, now.Case)
	case now.NRep < have:
		return fmt.Errorf("case %d announces %d samples, and had %d before", now.Case, now.NRep, have)
	}
	o.out.Cases[i] = now
	o.out.Cases = o.out.Cases[:len(o.out.Cases)-1]
	return nil
}

// most returns the most samples that a case may bring: those asked for, and as many again that were out
// of sync.
func (o *OutputReader) most(i int) int {
	if p := o.calls.Predict; p != nil {
		return 2 * p.NREP.Most()
	}
	return 2 * o.calls.Cases[i].NRep
}

// numbers splits a text into its first n numbers and the fields after them, at least one.
func numbers(text string, n int) (first []int, rest []string, err error) {
	f := strings.Fields(text)
	if len(f) <= n {
		return nil, nil, fmt.Errorf("%d fields", len(f))
	}
	for _, t := range f[:n] {
		v, err := strconv.Atoi(t)
		if err != nil {
			return nil, nil, fmt.Errorf("%.40q does not begin with %d numbers", text, n)
		}
		first = append(first, v)
	}
	return first, f[n:], nil
}

func (o *OutputReader) samples(text string) error {
	at, rest, err := numbers(text, 2)
	if err != nil {
		return err
	}
	index, first := at[0], at[1]
	i, announced := o.at[index]
	if !announced {
		return fmt.Errorf("samples of case %d, which has not been announced", index)
	}
	if o.out.Samples == nil {
		o.out.Samples = map[int][]Sample{}
	}
	have := o.out.Samples[index]
	if len(have) != first {
		return fmt.Errorf("the samples of case %d start at %d, expected %d", index, first, len(have))
	}
	for _, t := range rest {
		s, err := ParseSample(t)
		if err != nil {
			return fmt.Errorf("case %d: %w", index, err)
		}
		if s.NS == 0 && s.Flags == 0 {
			return fmt.Errorf("case %d, repetition %d: %w", index, len(have), ErrNoTime)
		}
		if o.left--; o.left < 0 || len(have) == o.out.Cases[i].NRep {
			return fmt.Errorf("case %d has more than the %d samples that were announced, or all cases together more than %d", index, o.out.Cases[i].NRep, MaxSamples)
		}
		have = append(have, s)
	}
	o.out.Samples[index] = have
	return nil
}

// series takes numbers of a case, by repetition, of one of `most` ranks or counters.
func (o *OutputReader) series(text string, into *map[int][][]int64, most int) error {
	at, rest, err := numbers(text, 3) // case, rank or counter, first repetition
	if err != nil {
		return err
	}
	if most == 0 {
		return errors.New("the job does not ask for them")
	}
	if at[0] < 0 || at[0] >= len(o.calls.Cases) || at[1] < 0 || at[1] >= most {
		return fmt.Errorf("case %d at %d, of a job with %d cases and %d of these", at[0], at[1], len(o.calls.Cases), most)
	}
	if *into == nil {
		*into = map[int][][]int64{}
	}
	if (*into)[at[0]] == nil {
		(*into)[at[0]] = make([][]int64, most)
	}
	have := &(*into)[at[0]][at[1]]
	if len(*have) != at[2] || len(*have)+len(rest) > o.most(at[0]) {
		return fmt.Errorf("case %d at %d: numbers from %d on, expected %d, and at most %d of them", at[0], at[1], at[2], len(*have), o.most(at[0]))
	}
	for _, t := range rest {
		s, err := ParseSample(t)
		if err != nil {
			return err
		}
		if o.left--; o.left < 0 {
			return fmt.Errorf("all cases together have more than %d samples", MaxSamples)
		}
		*have = append(*have, s.NS)
	}
	return nil
}

func (o *OutputReader) end(text []byte) error {
	if err := json.Unmarshal(text, &o.out.End); err != nil {
		return fmt.Errorf("end record: %w", err)
	}
	if err := o.arrived(o.out.End.Lines, o.out.End.CRC); err != nil {
		return fmt.Errorf("end record: %w", err)
	}
	e := &o.out.End
	alone := o.job.CallsJob == nil && o.job.Work != nil
	if (o.job.CallsJob == nil) != (e.CallsEnd == nil) || alone != (e.Answer != nil) || o.job.Layout && o.out.Layout == nil {
		return errors.New("end record: it answers another kind of job")
	}
	if err := cmp.Or(e.CallsEnd.check(), e.Barriers.check(), o.answer(e.Answer)); err != nil {
		return fmt.Errorf("end record: %w", err)
	}
	slices.SortFunc(o.out.Cases, func(a, b CaseResult) int { return cmp.Compare(a.Case, b.Case) })
	if o.out.Layout != nil {
		return o.out.Layout.Check()
	}
	return nil
}

func (e *CallsEnd) check() error {
	if e == nil {
		return nil
	}
	for name, n := range map[string]int64{"memory_cap": e.MemoryCap, "measure_ns": e.MeasureNS, "timed_ns": e.TimedNS, "cache_bytes": e.Timing.CacheBytes,
		"clock_syncs": int64(e.Timing.ClockSyncs), "drift_ns": e.Timing.DriftNS, "max_drift_ns": e.Timing.MaxDriftNS} {
		if n < 0 {
			return fmt.Errorf("%s is %d", name, n)
		}
	}
	for _, y := range e.Probes {
		if min(y.AtS, y.LineNS, y.MemcpyNS, y.ReduceLocalNS, y.PingPong8NS, y.PingPong64KNS) < 0 {
			return errors.New("a negative reading of the yardstick")
		}
	}
	return nil
}

func (o *OutputReader) arrived(lines int, crc string) error {
	if here := fmt.Sprintf("%08x", o.crc); lines != o.lines || crc != here {
		return fmt.Errorf("it counts %d lines with checksum %s, %d with %s arrived: %w", lines, crc, o.lines, here, ErrDamaged)
	}
	return nil
}

func (o *OutputReader) soFar(text []byte) error {
	var s SoFar
	err := json.Unmarshal(text, &s)
	if err == nil {
		err = o.arrived(s.Lines, s.CRC)
	}
	if err == nil && (s.Rounds < o.closed.Rounds || s.Rounds > len(o.calls.Rounds)) {
		err = fmt.Errorf("%d rounds after %d, of %d that are not the last", s.Rounds, o.closed.Rounds, len(o.calls.Rounds))
	}
	if err != nil {
		return fmt.Errorf("%s line: %w", LineSoFar, err)
	}
	o.closed = Finished{slices.Clone(o.out.Cases), maps.Clone(o.out.Samples), s.Rounds}
	return nil
}

// Finished holds what has arrived whole, whatever becomes of the mpirun.
type Finished struct {
	Cases   []CaseResult
	Samples map[int][]Sample // by index into Job.Cases
	Rounds  int              // of the job, or 0 if its cases finish one by one
}

func (o *OutputReader) Finished() Finished { return o.closed }

// Output returns what was collected; only to be used after the end record.
func (o *OutputReader) Output() *Output { return &o.out }
