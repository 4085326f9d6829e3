package export

import (
	"fmt"
	"reflect"
	"slices"

	"pgmpi/analyze"
	"pgmpi/internal/clean"
)

// Source says where a row comes from. Columns of every table begin with it; new ones of a table go
// to its end.
type Source struct {
	Folder  string `parquet:"folder"`  // as it was given
	Library string `parquet:"library"` // what the library says of itself, to the first comma
	Host    string `parquet:"host"`    // where pgmpi ran
	Shape   string `parquet:"shape"`
}

type Sample struct {
	Source
	Function string `parquet:"function"`
	MockupOf string `parquet:"mockup_of"` // the collective that a mock-up stands for
	Variant  string `parquet:"variant"`
	Msize    int64  `parquet:"msize"` // bytes
	Mpirun   int32  `parquet:"mpirun"`
	Rep      int32  `parquet:"rep"` // from 0, within the mpirun
	NS       int64  `parquet:"ns"`  // run-time in nanoseconds, of all Calls together
	Flags    int32  `parquet:"flags"`
	Outlier  bool   `parquet:"outlier"` // valid, and left out by the filter
	Mode     string `parquet:"mode"`
	Calls    int32  `parquet:"calls"`    // in a row that one sample is; nearly always 1
	Elements string `parquet:"elements"` // of a reduction that has others than the check's, "int/max"
}

type Median struct {
	Source
	Function   string   `parquet:"function"`
	MockupOf   string   `parquet:"mockup_of"`
	Variant    string   `parquet:"variant"`
	Msize      int64    `parquet:"msize"`
	NP         int32    `parquet:"np"`
	Mpirun     int32    `parquet:"mpirun"`
	MedianS    *float64 `parquet:"median_s"` // seconds, or nil without a valid sample
	N          int32    `parquet:"n"`        // samples that it is of
	Outliers   int32    `parquet:"outliers"`
	Invalid    int32    `parquet:"invalid"`
	Mode       string   `parquet:"mode"`
	Calls      int32    `parquet:"calls"`
	FinishedAt string   `parquet:"finished_at"`
	Pair       int32    `parquet:"pair"` // the comparison whose sides took turns, from 1, or 0
	Elements   string   `parquet:"elements"`
}

// verdicts lists the columns of the table of verdicts after its Source. An export does not hold a
// gate again, so the columns of gates are not among them.
var verdicts = slices.DeleteFunc(analyze.InOrder([]string{"guideline", "type", "function", "mockup", "msize", "msize_other", "k", "np", "verdict", "ratio", "ratio_lo95", "ratio_hi95",
	"median_s", "other_median_s", "p_adjusted", "replication", "firm", "mpiruns", "reason"}, analyze.Columns),
	func(c analyze.Column) bool {
		return slices.Contains([]string{"shape", "state", "alarm", "state_reason"}, c.Name)
	})

// plain holds the types of cells, by the kind of a column's values.
var plain = map[reflect.Kind]reflect.Type{reflect.String: reflect.TypeFor[string](), reflect.Slice: reflect.TypeFor[string](), reflect.Bool: reflect.TypeFor[bool](),
	reflect.Int: reflect.TypeFor[int32](), reflect.Int64: reflect.TypeFor[int64](), reflect.Float64: reflect.TypeFor[float64]()}

var Verdict = func() reflect.Type {
	fields := []reflect.StructField{{Name: "Source", Type: reflect.TypeFor[Source](), Anonymous: true}}
	for i, c := range verdicts {
		f := reflect.StructField{Name: fmt.Sprint("Column", i), Type: plain[c.Type.Kind()]}
		if c.Optional {
			f.Type = reflect.PointerTo(f.Type)
		}
		f.Tag = reflect.StructTag(fmt.Sprintf("parquet:%q", c.Name))
		fields = append(fields, f)
	}
	return reflect.StructOf(fields)
}()

func OfVerdict(s Source, v *analyze.Verdict) any {
	row := reflect.New(Verdict).Elem()
	row.Field(0).Set(reflect.ValueOf(s))
	for i, c := range verdicts {
		value, field := c.Value(v), row.Field(1+i)
		if value == nil {
			continue
		}
		if c.Optional {
			field.Set(reflect.New(field.Type().Elem()))
			field = field.Elem()
		}
		if field.Kind() == reflect.String {
			value = clean.Line(fmt.Sprint(value))
		}
		field.Set(reflect.ValueOf(value).Convert(field.Type()))
	}
	return row.Interface()
}
