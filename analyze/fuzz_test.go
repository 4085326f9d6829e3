package analyze

import (
	"encoding/json"
	"strings"
	"testing"

	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/must"
)

// FuzzReport: no manifest and no mpirun, however wrong, makes the analysis
// panic, and every Report can be written and says the same when read. method
// picks one of judge.Methods.
func FuzzReport(f *testing.F) {
	m := fixture.Manifest()
	m.R = 1
	run := fixture.Measured(m, 10000, 50000, 20000, 30000, 20000, 25000)[0]
	manifest, err1 := json.Marshal(m)
	raw, err2 := json.Marshal(run)
	must.Hold(f, err1 == nil && err2 == nil, "%v %v", err1, err2)
	for method := range judge.Methods {
		f.Add(manifest, raw, uint8(method))
	}
	m.R, m.Looks, m.LookWeights = 3, []int{1, 2, 3}, []float64{.2, .3, .5}
	m.Planned(protocol.ModeSplit, &results.FollowUps{R: 2, Comparisons: []results.Comparison{{Test: 1, Case: 1, Part: 0, Calls: 8}}})
	m.Stopped = map[protocol.Mode]int{protocol.ModeMeasure: 2}
	looking, err1 := json.Marshal(m)
	split, err2 := json.Marshal(followed(m, 5, 7)[0])
	must.Hold(f, err1 == nil && err2 == nil, "%v %v", err1, err2)
	f.Add(looking, raw, uint8(0))
	f.Add(looking, split, uint8(0))
	f.Add([]byte(`{"mpiruns":1000000000000000,"plan":{"cases":[{}]}}`), []byte(`{}`), uint8(0))
	f.Add([]byte(`{"mpiruns":1,"plan":{"guidelines":[{"type":"split"}],"cases":[{"msize":-9223372036854775808},{"msize":1}],`+
		`"tests":[{"type":"split","msize":-9223372036854775808,"case":0,"others":[1]}]}}`),
		[]byte(`{"mode":"run","run":1,"cases":[{"plan":0,"status":"ok","msize":-9223372036854775808},{"plan":1,"status":"ok","msize":1}],`+
			`"Samples":[[{"NS":9223372036854775807}],[{"NS":1}]]}`), uint8(0))
	f.Add([]byte(`{"mpiruns":1,"plan":{"cases":[{}],"tests":[{"case":0,"others":[0]}]},"skip":{"-1":{"status":"wrong"}}}`),
		[]byte(`{"mode":"run","run":1,"cases":[{"status":"ok"}],"Samples":[[{"NS":-1}]]}`), uint8(2))
	f.Fuzz(func(t *testing.T, manifest, raw []byte, method uint8) {
		var m results.Manifest
		var run results.Run
		if json.Unmarshal(manifest, &m) != nil || json.Unmarshal(raw, &run) != nil {
			t.Skip()
		}
		cfg := judge.Default()
		cfg.Method = judge.Methods[int(method)%len(judge.Methods)]
		set := medians.New(&m)
		for n := 1; n <= min(m.R, 8); n++ { // 8 mpiruns are enough for verdicts
			run.Run = n
			err := set.Add(&run)
			must.Hold(t, err == nil || strings.HasPrefix(err.Error(), "raw/"), "%q does not name the file", err)
		}
		a, err := Judge(&m, set, cfg)
		if err != nil {
			must.Hold(t, strings.HasPrefix(err.Error(), "manifest: "), "%q does not name the manifest", err)
			return
		}
		writable(t, a.Report)
	})
}

func writable(t *testing.T, r *Report) {
	text := must.Get(json.Marshal(r))(t)
	var again Report
	must.Do(t, json.Unmarshal(text, &again))
	must.Hold(t, again.Exit == r.Exit && again.ExitCode() == r.ExitCode() && len(again.Verdicts) == len(r.Verdicts), "exit code %d, read again %d", r.Exit, again.Exit)
	for i, v := range again.Verdicts {
		must.Hold(t, v.Verdict != "", "test %d has no verdict", i)
	}
}
