package protocol

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"strings"
	"testing"

	"pgmpi/nrep"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// What a rank sends is taken up to its bounds and refused beyond, each for its own reason.

// read gives lines to a reader until one is refused.
func read(job *Job, lines ...string) (*OutputReader, error) {
	r := NewOutputReader(job)
	for _, line := range lines {
		if _, err := r.Add([]byte(line)); err != nil {
			return r, err
		}
	}
	return r, nil
}

// closed are lines, and after them one of a word that counts them: LineSoFar or LineEnd.
func closed(word, fields string, lines ...string) []string {
	crc := uint32(0)
	for _, line := range lines {
		crc = crc32.Update(crc, crc32.IEEETable, []byte(line+"\n"))
	}
	return append(lines[:len(lines):len(lines)], fmt.Sprintf(`%s {"lines":%d,"crc":"%08x"%s}`, word, len(lines), crc, fields))
}

func TestCasesAreTakenUpToTheirBounds(t *testing.T) {
	job := &Job{NP: 2, CallsJob: &CallsJob{Cases: []JobCase{{NRep: 3}, {NRep: 3}}}}
	long := strings.Repeat("x", maxMessage)
	for fields, ok := range map[string]bool{
		`"case":0,"status":"ok","nrep":6`:                                          true,
		`"case":0,"status":"ok","nrep":7`:                                          false,
		`"case":-1,"status":"ok"`:                                                  false,
		`"case":1,"status":"ok"`:                                                   true,
		`"case":0,"status":"wrong","message":"` + long + `"`:                       true,
		`"case":0,"status":"wrong","message":"` + long + `x"`:                      false,
		`"case":0,"status":"ok","reason":"` + long + `"`:                           true,
		`"case":0,"status":"ok","reason":"` + long + `x"`:                          false,
		`"case":0,"status":"ok","window_ns":0`:                                     true,
		`"case":0,"status":"ok","provable":{"n":0,"median_ns":0,"min_ns":0}`:       true,
		`"case":0,"status":"ok","provable":{"n":-1,"median_ns":0,"min_ns":0}`:      false,
		`"case":0,"status":"ok","provable":{"n":1,"median_ns":-1,"min_ns":0}`:      false,
		`"case":0,"status":"ok","provable":{"n":1,"median_ns":0,"min_ns":-1}`:      false,
		`"case":0,"status":"ok","messages":{"calls":1,"count":0,"bytes":0}`:        true,
		`"case":0,"status":"ok","messages":{"calls":0}`:                            false,
		`"case":0,"status":"ok","messages":{"calls":1,"count":-1}`:                 false,
		`"case":0,"status":"ok","messages":{"calls":1,"bytes":-1}`:                 false,
		`"case":0,"status":"ok","messages":{"calls":1,"most":-1}`:                  false,
		`"case":0,"status":"ok","counting":{"n":1,"with_ns":0.5,"without_ns":0.5}`: true,
		`"case":0,"status":"ok","counting":{"n":0,"with_ns":2,"without_ns":1}`:     false,
		`"case":0,"status":"ok","counting":{"n":1,"with_ns":0,"without_ns":1}`:     false,
		`"case":0,"status":"ok","counting":{"n":1,"with_ns":2,"without_ns":0}`:     false,
	} {
		_, err := read(job, "case {"+fields+"}")
		should.Hold(t, (err == nil) == ok, "%.80s: %v", fields, err)
	}
}

func TestSamplesOfATestAreTakenUpToTheirNumber(t *testing.T) {
	job := &Job{NP: 2, CallsJob: &CallsJob{Cases: []JobCase{{NRep: 3}, {NRep: 3}}}}
	const first = `case {"case":0,"status":"ok","nrep":2}`
	for says, lines := range map[string][]string{
		"":                           {first, "samples 0 0 5", "samples 0 1 0:1"},
		"start at 1, expected 0":     {first, "samples 0 1 5"},
		"start at 0, expected 1":     {first, "samples 0 0 5", "samples 0 0 5"},
		`bad sample "x"`:             {first, "samples 0 0 x"},
		`bad sample "x:1"`:           {first, "samples 0 0 x:1"},
		`bad sample "5:x"`:           {first, "samples 0 0 5:x"},
		"2 fields":                   {first, "samples 0 0"},
		"is no run-time":             {first, "samples 0 0 1000000000000000000"},
		`"5:-1" is no run-time`:      {first, "samples 0 0 5:-1"},
		`"5:1000000000000000000" is`: {first, "samples 0 0 5:1000000000000000000"},
	} {
		_, err := read(job, lines...)
		if says == "" {
			should.Do(t, err)
		} else {
			should.Fail(t, err, says)
		}
	}
	s, err := ParseSample("999999999999999999") // 18 digits
	should.Hold(t, err == nil && s.NS == 999999999999999999, "%v, %v", s, err)
}

// However many cases there are, all together have no more samples than fit into memory.
func TestAllCasesTogetherHaveALimitOfSamples(t *testing.T) {
	job := &Job{NP: 1, CallsJob: &CallsJob{Measure: &MeasureJob{PerRank: true}, Cases: []JobCase{{NRep: 3}}, Rounds: []int{1}}}
	const ok, two = `case {"case":0,"status":"ok","nrep":2}`, "samples 0 0 5 5"
	for _, c := range []struct {
		left  int
		lines []string
		ok    bool
	}{
		{2, []string{ok, two}, true},
		{1, []string{ok, two}, false},
		{2, []string{"rank 0 0 0 5 5"}, true},
		{1, []string{"rank 0 0 0 5 5"}, false},
		{3, []string{ok, two, `case {"case":0,"status":"wrong"}`, "rank 0 0 0 5 5 5"}, true}, // they do not count
		{3, []string{ok, two, `case {"case":0,"status":"ok","nrep":2}`, "rank 0 0 0 5 5"}, false},
	} {
		r := NewOutputReader(job)
		should.Equal(t, r.left, MaxSamples)
		r.left = c.left
		var err error
		for i := 0; i < len(c.lines) && err == nil; i++ {
			_, err = r.Add([]byte(c.lines[i]))
		}
		should.Hold(t, (err == nil) == c.ok, "%+v: %v", c, err)
	}
}

func TestNumbersOfRanksAreTakenUpToTwiceTheRepetitions(t *testing.T) {
	job := &Job{NP: 2, CallsJob: &CallsJob{Measure: &MeasureJob{PerRank: true}, Cases: []JobCase{{NRep: 2}, {NRep: 2}}}}
	for line, ok := range map[string]bool{"rank 0 0 0 1 2 3 4": true, "rank 0 0 0 1 2 3 4 5": false, "rank 1 0 0 1": true, "rank -1 0 0 1": false,
		"rank 2 0 0 1": false, "rank 0 1 0 1": true, "rank 0 2 0 1": false, "rank 0 0 0 x": false} {
		_, err := read(job, line)
		should.Hold(t, (err == nil) == ok, "%s: %v", line, err)
	}
	predicted := &Job{NP: 1, CallsJob: &CallsJob{Cases: []JobCase{{}}, Predict: &PredictJob{NREP: nrep.Config{Max: 10}}}}
	_, err := read(predicted, `case {"case":0,"status":"ok","nrep":20}`)
	should.Do(t, err)
}

// A later round brings what has been made since: no samples less.
func TestRoundsOnlyGoOn(t *testing.T) {
	job := &Job{NP: 1, CallsJob: &CallsJob{Cases: []JobCase{{NRep: 3}}, Rounds: []int{2, 4}}}
	rounds := func(n ...int) error {
		var lines []string
		for _, n := range n {
			lines = append(lines, fmt.Sprintf(`sofar {"lines":0,"crc":"00000000","rounds":%d}`, n))
		}
		_, err := read(job, lines...)
		return err
	}
	should.Do(t, rounds(0, 1, 1, 2))
	should.Fail(t, rounds(2, 1), "1 rounds after 2")
	should.Fail(t, rounds(3), "3 rounds after 0, of 2")
	_, err := read(job, `sofar {"lines":1,"crc":"00000000","rounds":3}`)
	should.Fail(t, err, "standard output was damaged", "damage comes before anything else")
	_, err = read(job, `sofar {`)
	should.Fail(t, err, "sofar line")
	_, err = read(job, `case {"case":0,"status":"ok","nrep":2}`, "samples 0 0 5 5", `case {"case":0,"status":"ok","nrep":2}`)
	should.Do(t, err, "as many as before")
	_, err = read(&Job{CallsJob: &CallsJob{Cases: []JobCase{{NRep: 3}}}}, `case {"case":0,"status":"ok"}`, `case {"case":0,"status":"ok"}`)
	should.Fail(t, err, "a second time", "without rounds")
}

func TestAnEndAnswersItsJob(t *testing.T) {
	calls, listing := Job{NP: 2, CallsJob: &CallsJob{}}, Job{NP: 2, Work: must.Get(ListAlgorithms.Ask(AlgorithmsJob{}))(t)}
	placed, silent := Job{NP: 2, Layout: true}, Job{NP: 2}
	for name, c := range map[string]struct {
		job   Job
		lines []string
		says  string
	}{
		"calls":             {calls, closed(LineEnd, `,"calls":{}`), ""},
		"no calls":          {calls, closed(LineEnd, ``), "another kind of job"},
		"calls of no one":   {silent, closed(LineEnd, `,"calls":{}`), "another kind of job"},
		"a list":            {listing, closed(LineEnd, `,"answer":{"work":"algorithms","found":{}}`), ""},
		"no list":           {listing, closed(LineEnd, ``), "another kind of job"},
		"a list of no one":  {silent, closed(LineEnd, `,"answer":{"work":"algorithms","found":{}}`), "another kind of job"},
		"another answer":    {listing, closed(LineEnd, `,"answer":{"work":"other","found":[]}`), `"algorithms" was asked for`},
		"no layout":         {placed, closed(LineEnd, ``), "another kind of job"},
		"damaged":           {silent, []string{`end {"lines":1,"crc":"00000000"}`}, "damaged"},
		"another checksum":  {silent, []string{`end {"lines":0,"crc":"00000001"}`}, "damaged"},
		"not a record":      {silent, []string{`end {`}, "end record: "},
		"a wrong layout":    {placed, closed(LineEnd, ``, `nodes {"nodes":[{"host":"a","kind":1}]}`), `node "a" has kind 1 of 0`},
		"negative calls":    {calls, closed(LineEnd, `,"calls":{"timed_ns":-1}`), "timed_ns is -1"},
		"too many barriers": {silent, closed(LineEnd, `,"barriers":{"calls":0}`), "barriers that cannot have been"},
	} {
		_, err := read(&c.job, c.lines...)
		if c.says == "" {
			should.Do(t, err, name)
		} else {
			should.Fail(t, err, c.says, name)
		}
	}
}

func TestEveryReadingOfTheYardstickIsATime(t *testing.T) {
	should.Do(t, (&CallsEnd{Probes: []Probes{{}}}).check(), "0: not read")
	for i := range 6 {
		var p Probes
		for k, field := range []*float64{&p.AtS, &p.LineNS, &p.MemcpyNS, &p.ReduceLocalNS, &p.PingPong8NS, &p.PingPong64KNS} {
			*field = 0.5
			if k == i {
				*field = -1e-9
			}
		}
		should.Fail(t, (&CallsEnd{Probes: []Probes{{}, p}}).check(), "negative reading", "reading %d", i)
	}
}

func TestListsAreTakenUpToTheirLength(t *testing.T) {
	list := func(collectives, each int) error {
		e := AlgorithmsEnd{Collectives: make([]Algorithms, collectives)}
		for i := range e.Collectives {
			e.Collectives[i].Names = make([]Algorithm, each)
		}
		return e.check()
	}
	barriers := func(b Barriers) error { return b.check() }
	for name, c := range map[string]struct {
		err error
		ok  bool
	}{
		"100 collectives":   {list(100, 0), true},
		"101 collectives":   {list(101, 0), false},
		"100 algorithms":    {list(1, 100), true},
		"101 algorithms":    {list(1, 101), false},
		"one barrier":       {barriers(Barriers{Calls: 1}), true},
		"none":              {barriers(Barriers{}), false},
		"late ones":         {barriers(Barriers{Calls: 1, Late: -1}), false},
		"apart":             {barriers(Barriers{Calls: 1, ApartNS: -1}), false},
		"apart in 19 of 20": {barriers(Barriers{Calls: 1, ApartP95NS: -1}), false},
		"the time":          {barriers(Barriers{Calls: 1, TimeNS: math.NaN()}), false},
	} {
		should.Equal(t, c.err == nil, c.ok, name)
	}
}

func TestNodesAndExitsAreNoMoreThanRanks(t *testing.T) {
	for line, ok := range map[string]bool{
		`nodes {"kinds":[{},{}]}`:       true,
		`nodes {"kinds":[{},{},{}]}`:    false,
		`nodes {"nodes":[{},{},{}]}`:    false,
		`nodes {"pinnings":["","",""]}`: false,
	} {
		_, err := read(&Job{NP: 2}, line)
		should.Hold(t, (err == nil) == ok, "%s: %v", line, err)
	}
	_, err := read(&Job{NP: 2}, `nodes {"kinds":[{},{},{}],"nodes":1}`)
	should.Fail(t, err, "cannot unmarshal", "what is damaged is not counted")
	asked := &ClocksJob{Barriers: 1, Methods: []string{"hca3"}}
	for name, c := range map[string]struct {
		job  Job
		line string
		ok   bool
	}{
		"an exit":              {Job{NP: 1, Clocks: asked}, `exit {}`, true},
		"nobody asked":         {Job{NP: 1}, `exit {}`, false},
		"no record":            {Job{NP: 1, Clocks: asked}, `exit {`, false},
		"before the first":     {Job{NP: 1, Clocks: asked}, `exit {"first":-0.1}`, false},
		"a bound of -1":        {Job{NP: 1, Clocks: asked}, `exit {"bound_ns":[0,-1]}`, false},
		"no bound below 0":     {Job{NP: 1, Clocks: asked}, `exit {"bound_ns":[-1,0]}`, false},
		"a bound may be 0":     {Job{NP: 1, Clocks: asked}, `exit {"bound_ns":[0,0]}`, true},
		"a method":             {Job{NP: 1, Clocks: asked}, `sync {"failed":"x"}`, true},
		"methods of no one":    {Job{NP: 1}, `sync {}`, false},
		"more exits than rank": {Job{NP: 0, Clocks: asked}, `exit {}`, false},
	} {
		_, err := read(&c.job, c.line)
		should.Hold(t, (err == nil) == c.ok, "%s: %v", name, err)
	}
	_, err = read(&Job{NP: 1, Clocks: asked}, `sync {"failed":"x"}`, `sync {"failed":"x"}`)
	should.Fail(t, err, "more than there are methods")
}

func TestJobLinesAreCountedTheSameAllAlong(t *testing.T) {
	line := func(at, of int, text string) string {
		return fmt.Sprintf("%s %d/%d %08x %s\n", LineJob, at, of, crc32.ChecksumIEEE([]byte(text)), text)
	}
	for says, text := range map[string]string{
		"":                         line(1, 2, `{"np":`) + line(2, 2, `2, "place": "a b"}`),
		"got line 2 of 3":          line(1, 2, `{"np":`) + line(2, 3, `2}`),
		"got line 1 of 2":          line(1, 2, `{"np":`) + line(1, 2, `2}`),
		`"0/2" is not one`:         line(0, 2, `{}`),
		`"3/2" is not one`:         line(3, 2, `{}`),
		`expected "job`:            "work 1/1 00000000 {}\n",
		"job line 1: expected":     "job 1/1 00000000\n",
		"job: unexpected end":      line(1, 1, `{"np":`),
		`bad line number "1"`:      "job 1 00000000 {}\n",
		"job line 2: EOF":          line(1, 2, `{"np":`),
		"job: it must ask for one": line(1, 1, `{"calls":{}}`),
	} {
		job, err := ReadJob(bufio.NewReader(strings.NewReader(text)), func(int) {})
		if says == "" {
			should.Hold(t, err == nil && job.NP == 2 && job.Place == "a b", "%+v, %v", job, err)
		} else {
			should.Fail(t, err, says)
		}
	}
	for _, extra := range []int{0, 1} { // a job that fills its lines to the last byte, and one byte more
		j := &Job{}
		one := must.Get(EncodeJob(j))(t)
		j.Place = strings.Repeat("x", JobChunk-len(strings.SplitN(one[0], " ", 4)[3])-len(`,"place":""`)+extra)
		should.Equal(t, len(must.Get(EncodeJob(j))(t)), 1+extra, "lines")
	}
}

// broken fails from the n-th write on.
type broken struct{ n int }

var errBroken = errors.New("broken pipe")

func (b *broken) Write(p []byte) (int, error) {
	if b.n--; b.n < 0 {
		return 0, errBroken
	}
	return len(p), nil
}

func TestWhatCouldNotBeWrittenIsSaidAtTheEnd(t *testing.T) {
	for n := range 3 {
		o := NewOutputWriter(&broken{n})
		o.Rank(0, 0, 0, []int64{1})
		soFar := o.SoFar(0)
		should.Equal(t, errors.Is(soFar, errBroken), n < 2, "after %d writes", n)
		should.Hold(t, errors.Is(o.End(End{}), errBroken), "after %d writes", n)
	}
	o := NewOutputWriter(&bytes.Buffer{})
	o.JSON(LineEnd, math.NaN()) // JSON has no number for it
	should.Hold(t, o.End(End{}) != nil, "what cannot be written")
}

func TestLongSeriesAreSplitIntoLines(t *testing.T) {
	for n, lines := range map[int]int{1: 1, 512: 1, 513: 2, 1024: 2} {
		var ranks, cases bytes.Buffer
		NewOutputWriter(&ranks).Rank(0, 0, 0, make([]int64, n))
		NewOutputWriter(&cases).Case(CaseResult{}, make([]Sample, n), 0)
		should.Hold(t, bytes.Count(ranks.Bytes(), []byte("\n")) == lines && bytes.Count(cases.Bytes(), []byte("\n")) == 1+lines, "%d numbers: %s", n, ranks.String())
	}
}

func TestOnlySamplesWithoutAFlagAreValid(t *testing.T) {
	samples := []Sample{{NS: 1}, {NS: 2, Flags: FlagLate}, {NS: 3, Flags: FlagLong}, {NS: 4, Flags: FlagLate | FlagLong}, {NS: 5}, {NS: 6, Flags: FlagLong}, {NS: 7, Flags: FlagLong}}
	c := CaseResult{Invalid: 9, Late: 9, Long: 9}
	c.Count(samples)
	should.Hold(t, c.Invalid == 5 && c.Late == 2 && c.Long == 4, "%+v", c)
	should.Equal(t, Valid(samples), []float64{1, 5})
	seconds := ValidSeconds(samples)
	should.Hold(t, len(seconds) == 2 && math.Abs(seconds[1]-5e-9) < 1e-24, "%v", seconds)
}
