package export

import (
	"bytes"
	"encoding/csv"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/internal/clean"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func ratio(x float64) *float64 { return &x }

var (
	samples = []Sample{
		{Source: Source{"before, 1", "MPICH 4.0.2", "=host", "p2"}, Function: "MPI_Scan", Msize: 8, Mpirun: 1, NS: 1500, Mode: "run", Calls: 1},
		{Source: Source{"before, 1", "MPICH 4.0.2", "=host", "p2"}, Function: "scan_as_exscan", MockupOf: "MPI_Scan", Variant: `"@x"`, Msize: 1 << 40, Mpirun: 2, Rep: 7, NS: 1 << 50, Flags: 3, Outlier: true, Mode: "split", Calls: 4},
	}
	found = []any{
		OfVerdict(Source{}, &analyze.Verdict{Guideline: "GL8", Verdict: judge.Violated, Tested: analyze.Tested{Effect: analyze.Effect{Ratio: ratio(1.25)}}, Firm: true, Runs: 25, Alternative: &analyze.Alternative{Function: "x", Calls: 8}}),
		OfVerdict(Source{}, &analyze.Verdict{Guideline: "-mine", Verdict: judge.NotMeasured, Reason: "no \"memory\", sorry"}),
	}
)

func written[T any](t *testing.T, format string, rows []T) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := New[T](format, &out, reflect.TypeOf(rows[0]))
	if err == nil {
		err = errors.Join(w.Write(rows[:1]), w.Write(rows[1:]), w.Close())
	}
	must.Do(t, err)
	return out.Bytes()
}

func TestCSVHasAColumnForEveryFieldAndNoFormula(t *testing.T) {
	want := `folder,library,host,shape,function,mockup_of,variant,msize,mpirun,rep,ns,flags,outlier,mode,calls,elements
"before, 1",MPICH 4.0.2,'=host,p2,MPI_Scan,,,8,1,0,1500,0,FALSE,run,1,
"before, 1",MPICH 4.0.2,'=host,p2,scan_as_exscan,MPI_Scan,"""@x""",1099511627776,2,7,1125899906842624,3,TRUE,split,4,
`
	should.Equal(t, string(written(t, CSV, samples)), want)
	got := must.Get(csv.NewReader(bytes.NewReader(written(t, CSV, found))).ReadAll())(t)
	head := got[0]
	const first = "folder,library,host,shape,guideline,type,function,mockup,msize,msize_other,k,np,verdict,ratio,ratio_lo95,ratio_hi95,median_s,other_median_s,p_adjusted,replication,firm,mpiruns,reason,p_value,"
	should.Hold(t, strings.HasPrefix(strings.Join(head, ","), first) && len(head) == reflect.TypeFor[Source]().NumField()+len(analyze.Columns)-4,
		"%d columns: %v", len(head), head)
	at := func(row int, name string) string { return got[row][slices.Index(head, name)] }
	should.Hold(t, at(1, "ratio") == "1.25" && at(2, "ratio") == "" && at(2, "guideline") == "'-mine" && at(2, "reason") == `no "memory", sorry` && at(1, "firm") == "TRUE" && at(1, "mpiruns") == "25" && at(1, "alternative_calls") == "8" && at(2, "alternative_calls") == "" && at(1, "k") == "0",
		"%q", got)
}

func TestParquetReadsBackAsItWasWritten(t *testing.T) {
	readsBack(t, samples)
	readsBack(t, []Median{{Function: "MPI_Scan", MedianS: ratio(1.5e-6), N: 28}, {Function: "MPI_Scan", Mpirun: 2, Invalid: 5}})
}

func TestVerdictsReadBackFromParquet(t *testing.T) {
	file := written(t, Parquet, found)
	got, err := parquet.Read[any](bytes.NewReader(file), int64(len(file)))
	must.Hold(t, err == nil && len(got) == 2, "%v %v", got, err)
	first, second := got[0].(map[string]any), got[1].(map[string]any)
	should.Hold(t, first["ratio"] == 1.25 && first["mpiruns"] == int32(25) && first["alternative_calls"] == int32(8) && second["ratio"] == nil && second["guideline"] == "-mine" && second["firm"] == false,
		"%v", got)
}

func readsBack[T any](t *testing.T, rows []T) {
	t.Helper()
	file := written(t, Parquet, rows)
	got, err := parquet.Read[T](bytes.NewReader(file), int64(len(file)))
	should.Hold(t, err == nil && reflect.DeepEqual(got, rows), "%v: got %+v, want %+v", err, got, rows)
}

func TestColumnsAreTheSameInBothFormats(t *testing.T) {
	var names []string
	for _, f := range parquet.SchemaOf(Sample{}).Fields() {
		names = append(names, f.Name())
	}
	head, _, _ := strings.Cut(string(written(t, CSV, samples)), "\n")
	should.Hold(t, head == strings.Join(names, ","), "csv has %s, Parquet %v", head, names)
}

func TestAnUnknownFormatIsRefused(t *testing.T) {
	_, err := New[Sample]("parket", nil, nil)
	should.Fail(t, err, "did you mean parquet?")
}

// FuzzCSV: whatever a text is, it is one cell, the same text, and no formula.
func FuzzCSV(f *testing.F) {
	for _, text := range []string{"", "=1+1", "a,b", "\"", "x\ny", " x", "@", "-1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = clean.Line(text)
		got, err := csv.NewReader(bytes.NewReader(written(t, CSV, []Median{{Function: text}, {}}))).ReadAll()
		should.Hold(t, err == nil && len(got) == 3 && got[1][4] == clean.Cell(text), "%q became %q, %v", text, got, err)
	})
}
