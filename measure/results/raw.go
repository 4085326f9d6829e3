package results

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"runtime"
	"slices"
	"time"

	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/measure/protocol"
)

const RawSchema = "pgmpi-raw/1"

type Header struct {
	Schema string            `json:"schema"`
	Mode   protocol.Mode     `json:"mode"`
	Shape  guidelines.Shape  `json:"shape"`
	Run    int               `json:"run"`   // 1-based
	Seed   uint64            `json:"seed"`  // of the order in this mpirun
	Order  []int             `json:"order"` // indices into Cases, as measured
	Cases  []CaseInfo        `json:"cases"` // in Plan order
	Rank   protocol.RankInfo `json:"rank"`  // as the rank program reports itself
	// Clock timed the run; nil in files of older versions, which knew only monotonic.
	// Clocks lists all of them, in the first mpirun of a shape.
	Clock      *protocol.ClockInfo  `json:"clock,omitempty"`
	Clocks     []protocol.ClockInfo `json:"clocks,omitempty"`
	MemoryCap  int64                `json:"memory_cap"` // bytes
	WallNS     int64                `json:"wall_ns"`    // from exec of mpirun to its end record
	LaunchNS   int64                `json:"launch_ns"`  // of that, before rank 0 got the job
	MeasureNS  int64                `json:"measure_ns"` // in rank 0, from the first case to the last, with the yardstick
	TimedNS    int64                `json:"timed_ns"`   // of that, in untimed calls and in the timing loop
	FinishedAt string               `json:"finished_at"`
	// With names the raw file of the mpirun in which this rode, after that had its samples. WallNS is then
	// what it took there.
	With   string          `json:"with,omitempty"`
	Load   protocol.Load   `json:"load"`
	Timing protocol.Timing `json:"timing"`
	// Predictions counts the predictions of stage 1 that one mpirun has made, where starting
	// takes long; absent means one.
	Predictions int `json:"predictions,omitempty"`
	// Probes has the speed of the machine, in the order of time; absent in stage 1 and in
	// files of older versions.
	Probes   []protocol.Probes  `json:"yardstick,omitempty"`
	Counters []protocol.Counter `json:"counters,omitempty"` // that were asked for
	// Parts are mpiruns that were cut off and have made the first samples of the file. They are in the
	// order of time, and absent if one mpirun has made all samples, and in stage 1.
	Parts []Part `json:"parts,omitempty"`
}

// Part describes the whole rounds of visits of an mpirun that was cut off.
type Part struct {
	Rounds     int    `json:"rounds"` // that it has finished
	Of         int    `json:"of"`     // that there were to do
	WallNS     int64  `json:"wall_ns"`
	FinishedAt string `json:"finished_at"` // RFC 3339, UTC
	Host       string `json:"host"`        // of rank 0
}

func (h *Header) Predicted() int { return h.Run - 1 + max(1, h.Predictions) }

func (h *Header) RoundsLeft() int {
	if len(h.Parts) == 0 {
		return 0
	}
	last := h.Parts[len(h.Parts)-1]
	return max(0, last.Of-last.Rounds)
}

type CaseInfo struct {
	Plan     int    `json:"plan"` // index into Plan.Cases
	Function string `json:"function"`
	Msize    int64  `json:"msize"`           // bytes
	Calls    int    `json:"calls,omitempty"` // calls in a row that one sample times; absent means one
	// Pair is the number, from 1, of the comparison whose two cases took turns call by call. It is absent elsewhere, and
	// in files of older versions, in which other cases lay in between.
	Pair int `json:"pair,omitempty"`
	protocol.CaseResult
}

// MarshalJSON puts the answer of a Work, if there is one, under the name of that.
func (c CaseInfo) MarshalJSON() ([]byte, error) {
	type plain CaseInfo // without this method
	answer := c.Answer
	c.Answer = nil
	text, err := json.Marshal(plain(c))
	if err != nil || answer == nil {
		return text, err
	}
	name, err := json.Marshal(answer.Work)
	return slices.Concat(text[:len(text)-1], []byte(","), name, []byte(":"), answer.Found, []byte("}")), err
}

// Run is a whole raw file. Samples[i] are the repetitions of Header.Cases[i], in order.
type Run struct {
	Header
	Samples [][]protocol.Sample
}

// Join takes in the part that an earlier attempt at the mpirun has left, if any: cases of
// their own, or the first samples of cases.
func (r *Run) Join(part *Run) {
	if part == nil {
		return
	}
	type entry struct {
		CaseInfo
		samples []protocol.Sample
	}
	key := func(c CaseInfo) [2]int { return [2]int{c.Plan, c.Calls} }
	var all []entry
	where := map[[2]int]int{}
	for _, x := range []*Run{part, r} {
		for i, c := range x.Cases {
			if at, both := where[key(c)]; both {
				all[at] = entry{all[at].and(c), slices.Concat(all[at].samples, x.Samples[i])}
				continue
			}
			where[key(c)] = len(all)
			all = append(all, entry{c, x.Samples[i]})
		}
	}
	slices.SortStableFunc(all, func(a, b entry) int { return cmp.Compare(a.Plan, b.Plan) })
	joined := Run{Header: r.Header}
	joined.Cases, joined.Order = nil, nil
	for i, e := range all {
		if e.Status != protocol.StatusOK {
			e.samples = nil
		}
		e.Case, e.NRep = i, len(e.samples)
		e.Count(e.samples)
		where[key(e.CaseInfo)] = i
		joined.Cases, joined.Samples = append(joined.Cases, e.CaseInfo), append(joined.Samples, e.samples)
	}
	for _, x := range []*Run{part, r} {
		for _, i := range x.Order {
			joined.Order = append(joined.Order, where[key(x.Cases[i])])
		}
	}
	joined.Parts = slices.Concat(part.Parts, r.Parts)
	joined.Predictions = min(part.Predictions, r.Predictions)
	joined.WallNS += part.WallNS
	joined.LaunchNS += part.LaunchNS
	*r = joined
}

// and returns the result of a case in this part and a later one; a failure in either counts.
func (c CaseInfo) and(later CaseInfo) CaseInfo {
	if c.Status != protocol.StatusOK {
		return c
	}
	if c.Usage == nil { // the kernel's counts come with the last round only
		later.Usage = nil
	}
	return later
}

// Possible returns an error for a run-time that is longer than its mpirun.
func (r *Run) Possible(s protocol.Sample) error {
	if r.WallNS > 0 && s.NS > r.WallNS {
		return fmt.Errorf("a call that took %v, in an mpirun of %v", time.Duration(s.NS), time.Duration(r.WallNS))
	}
	return nil
}

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

// decodeHeader decodes the header. Its lists are limited by count: a few bytes may stand for a case or
// a clock with all its fields.
func (r *Run) decodeHeader(in *rowReader, cases int) error {
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
	err := cmp.Or(
		list(&r.Cases, h.Cases, cases, "cases"),
		list(&r.Clocks, h.Clocks, maxClocks, "clocks"),
		list(&r.Probes, h.Probes, maxReadings, "readings of the yardstick"),
		list(&r.Counters, h.Counters, protocol.MaxCounters, "counters"),
		list(&r.Parts, h.Parts, maxParts, "parts"))
	for i, c := range r.Cases {
		if err := cmp.Or(c.Usage.Check(r.Shape.NP), c.Messages.Check(), c.Counting.Check()); err != nil {
			return fmt.Errorf("case %d: %w", i, err)
		}
	}
	if err != nil {
		return err
	}
	return r.decodeAnswers(h.Cases)
}

// decodeAnswers takes the answers of a Work, whose name the mode has. What they mean only that Work knows.
func (r *Run) decodeAnswers(cases json.RawMessage) error {
	for i := range r.Cases {
		r.Cases[i].Answer = nil
	}
	if len(r.Cases) == 0 || !r.Mode.OfWork() {
		return nil
	}
	name := string(r.Mode)
	var fields []map[string]json.RawMessage
	if err := json.Unmarshal(cases, &fields); err != nil {
		return err
	}
	for i := range r.Cases {
		if found := fields[i][name]; found != nil {
			r.Cases[i].Answer = &protocol.Answer{Work: name, Found: found}
		}
	}
	return nil
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

// Runs reads the finished mpiruns of one mode and shape and yields them in order.
// It reads one file per core at a time, and keeps no more in memory. After an error it stops.
func (f *Folder) Runs(mode protocol.Mode, shape guidelines.Shape, plan *guidelines.Plan) iter.Seq2[*Run, error] {
	type read struct {
		run *Run
		err error
	}
	return func(yield func(*Run, error) bool) {
		runs, err := f.Finished(mode, shape)
		if err != nil {
			yield(nil, err)
			return
		}
		var ahead []chan read // of runs, the next first
		for len(runs)+len(ahead) > 0 {
			for len(runs) > 0 && len(ahead) < runtime.GOMAXPROCS(0) {
				run, done := runs[0], make(chan read, 1)
				runs, ahead = runs[1:], append(ahead, done)
				go func() {
					r, err := f.ReadRun(mode, shape, run, plan)
					done <- read{r, err}
				}()
			}
			r := <-ahead[0]
			ahead = ahead[1:]
			if !yield(r.run, r.err) || r.err != nil {
				return
			}
		}
	}
}
