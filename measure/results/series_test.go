package results

import (
	"compress/gzip"
	"os"
	"reflect"
	"strings"
	"testing"

	"pgmpi/guidelines"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestDurationsByRankComeBackAsTheyWereWritten(t *testing.T) {
	f := must.Get(Create(t.TempDir()))(t)
	defer f.Close()
	run := sampleRun() // case 0 is plan 4 with 3 repetitions, case 2 plan 6 with one
	want := map[int][][]int64{0: {{1, 2, 3}, {4, 5, 6}}, 2: {{7}, {8}}}
	must.Do(t, f.WriteSeries(RanksOf(run, want)))
	for plan, ranks := range map[int][][]int64{4: want[0], 6: want[2], 5: nil} {
		got, err := f.RanksOfCase(run.Shape, run.Run, plan)
		should.Hold(t, err == nil && reflect.DeepEqual(got, ranks), "case %d: %v, %v", plan, got, err)
	}
	got, err := f.RanksOfCase(run.Shape, run.Run+1, 4)
	should.Hold(t, err == nil && got == nil, "another mpirun: %v, %v", got, err)
	should.Hold(t, RanksOf(run, nil) == nil, "nothing was sent")
	should.Fail(t, f.WriteSeries(RanksOf(run, map[int][][]int64{0: {{1, 2, 3}, {4}}})), "part 1 has 1 numbers", "a rank with too few")
}

func TestDamagedDurationsByRankAreRefused(t *testing.T) {
	f := must.Get(Create(t.TempDir()))(t)
	defer f.Close()
	shape := guidelines.Shape{NP: 2}
	const head = `#{"schema":"pgmpi-ranks/1","shape":{"np":2},"run":3,"plan":[4],"nrep":[1]}` + "\n"
	for text, want := range map[string]string{
		head + "0\t0\t0\t5\n0\t1\t0\t6\n#end rows=2\n":         "",
		head + "0\t0\t0\t5\n#end rows=2\n":                     "after 1 rows",
		head + "0\t0\t0\t5\n":                                  "before its #end line",
		head + "0\t0\t0\t-5\n#end rows=1\n":                    "expected four numbers",
		head + "0\t2\t0\t5\n#end rows=1\n":                     "series 2",
		head + "1\t0\t0\t5\n#end rows=1\n":                     "case 1",
		head + "0\t0\t1\t5\n#end rows=1\n":                     "repetition 1",
		head + "0\t0\t0\t5\n0\t0\t1\t5\n#end rows=2\n":         "expected 1 of 1",
		head + "nonsense\n":                                    "expected four numbers",
		"":                                                     "before its #end line",
		strings.Replace(head, `"run":3`, `"run":4`, 1):         "mpirun 3",
		strings.Replace(head, `"nrep":[1]`, `"nrep":[]`, 1):    "mpirun 3",
		strings.Replace(head, "pgmpi-ranks/1", "another/1", 1): "mpirun 3",
	} {
		file := must.Get(os.Create(f.Path + "/" + seriesName(ranksSchema, shape, 3)))(t)
		z := gzip.NewWriter(file)
		_, _ = z.Write([]byte(text))
		z.Close()
		file.Close()
		_, err := f.RanksOfCase(shape, 3, 4)
		should.Hold(t, (err == nil) == (want == "") && (err == nil || strings.Contains(err.Error(), want)), "%q: %v, want %q", text, err, want)
	}
}
