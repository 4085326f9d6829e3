package analyze

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// FuzzReport: no manifest and no mpirun, however wrong, makes the analysis
// panic, and every Report can be written and says the same when read. method
// picks one of judge.Methods.
func FuzzReport(f *testing.F) {
	m := fixture()
	m.R = 1
	run := measured(m, 10000, 50000, 20000, 30000, 20000, 25000)[0]
	manifest, err1 := json.Marshal(m)
	raw, err2 := json.Marshal(run)
	if err1 != nil || err2 != nil {
		f.Fatal(err1, err2)
	}
	for method := range judge.Methods {
		f.Add(manifest, raw, uint8(method))
	}
	m.R, m.Looks, m.LookWeights = 3, []int{1, 2, 3}, []float64{.2, .3, .5}
	m.Split = &results.SplitPlan{R: 2, FollowUps: []results.FollowUp{{Test: 1, Case: 1, Part: 0, Calls: 8}}}
	m.Stopped = map[protocol.Mode]int{protocol.ModeMeasure: 2}
	looking, err1 := json.Marshal(m)
	split, err2 := json.Marshal(followed(m, 5, 7)[0])
	if err1 != nil || err2 != nil {
		f.Fatal(err1, err2)
	}
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
			if err := set.Add(&run); err != nil && !strings.HasPrefix(err.Error(), "raw/") {
				t.Fatalf("%q does not name the file", err)
			}
		}
		a, err := Judge(&m, set, cfg)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "manifest: ") {
				t.Fatalf("%q does not name the manifest", err)
			}
			return
		}
		writable(t, a.Report)
	})
}

func writable(t *testing.T, r *Report) {
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var again Report
	if err := json.Unmarshal(text, &again); err != nil {
		t.Fatal(err)
	}
	if again.Exit != r.Exit || again.ExitCode() != r.ExitCode() || len(again.Verdicts) != len(r.Verdicts) {
		t.Fatalf("exit code %d, read again %d", r.Exit, again.Exit)
	}
	for i, v := range again.Verdicts {
		if v.Verdict == "" {
			t.Fatalf("test %d has no verdict", i)
		}
	}
}

// FuzzNight: whatever a report.json holds, reading it as a night ends with the night
// or an error.
func FuzzNight(f *testing.F) {
	m := fixture()
	m.R = 1
	run := measured(m, 10000, 50000, 20000, 30000, 20000, 25000)[0]
	set := medians.New(m)
	if err := set.Add(&run); err != nil {
		f.Fatal(err)
	}
	a, err := Judge(m, set, judge.Default())
	if err != nil {
		f.Fatal(err)
	}
	text, err := json.Marshal(a.Report)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"schema":"pgmpi-report/1","verdicts":[{},{"msize":-1}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if n, err := ReadPastNight(bytes.NewReader(text), "night"); (n == nil) == (err == nil) {
			t.Fatalf("%v and %v", n, err)
		}
	})
}

// FuzzHistory: no two reports, whoever wrote them, make a history panic or say what JSON cannot.
func FuzzHistory(f *testing.F) {
	for _, x := range []float64{1, 1.3, 1e-300} {
		before, err1 := json.Marshal(nightly(1, 1, 0.5))
		after, err2 := json.Marshal(nightly(2, x, 0.5))
		if err1 != nil || err2 != nil {
			f.Fatal(err1, err2)
		}
		f.Add(before, after)
	}
	f.Add([]byte(`{"verdicts":[{"median_s":1e-308,"ratio":1e-308,"ratio_lo95":1e-308,"ratio_hi95":1e-308}]}`),
		[]byte(`{"verdicts":[{"median_s":1e308,"ratio":1e308,"ratio_lo95":1e308,"ratio_hi95":1e308},{}],"gate":{},"yardstick":[{"line_ns":-1}]}`))
	f.Fuzz(func(t *testing.T, before, after []byte) {
		var a, b Report
		if json.Unmarshal(before, &a) != nil || json.Unmarshal(after, &b) != nil {
			t.Skip()
		}
		var n Nights
		for _, r := range []*Report{&a, &a, &a, &b, &b, &b} {
			if err := n.Add("path", r, ""); err != nil {
				t.Fatal(err)
			}
		}
		h, err := n.History(nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := json.Marshal(h); err != nil {
			t.Fatal(err)
		}
	})
}
