package series

import (
	"bytes"
	"encoding/json"
	"testing"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/must"
)

// FuzzNight: whatever a report.json holds, reading it as a night ends with the night
// or an error.
func FuzzNight(f *testing.F) {
	m := fixture.Manifest()
	m.R = 1
	run := fixture.Measured(m, 10000, 50000, 20000, 30000, 20000, 25000)[0]
	set := medians.New(m)
	must.Do(f, set.Add(&run))
	a := must.Get(analyze.Judge(m, set, judge.Default()))(f)
	text := must.Get(json.Marshal(a.Report))(f)
	f.Add(text)
	f.Add([]byte(`{"schema":"pgmpi-report/1","verdicts":[{},{"msize":-1}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		n, err := ReadCheck(bytes.NewReader(text), "night")
		must.Hold(t, (n == nil) != (err == nil), "%v and %v", n, err)
	})
}

// FuzzHistory: no two reports, whoever wrote them, make a history panic or say what JSON cannot.
func FuzzHistory(f *testing.F) {
	for _, x := range []float64{1, 1.3, 1e-300} {
		before, err1 := json.Marshal(nightly(1, 1, 0.5))
		after, err2 := json.Marshal(nightly(2, x, 0.5))
		must.Hold(f, err1 == nil && err2 == nil, "%v %v", err1, err2)
		f.Add(before, after)
	}
	f.Add([]byte(`{"verdicts":[{"median_s":1e-308,"ratio":1e-308,"ratio_lo95":1e-308,"ratio_hi95":1e-308}]}`),
		[]byte(`{"verdicts":[{"median_s":1e308,"ratio":1e308,"ratio_lo95":1e308,"ratio_hi95":1e308},{}],"gate":{},"yardstick":[{"line_ns":-1}]}`))
	f.Fuzz(func(t *testing.T, before, after []byte) {
		var a, b analyze.Report
		if json.Unmarshal(before, &a) != nil || json.Unmarshal(after, &b) != nil {
			t.Skip()
		}
		var checks []*Check
		for _, r := range []*analyze.Report{&a, &a, &a, &b, &b, &b} {
			checks = append(checks, CheckOf(r, "path"))
		}
		h := must.Get(NewHistory(checks, nil))(t)
		must.Get(json.Marshal(h))(t)
	})
}
