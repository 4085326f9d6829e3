package export

import (
	"errors"
	"io"
	"reflect"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/snappy"

	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results/imported"
)

// Writer writes a table of rows of one kind. Close ends it.
type Writer[T any] interface {
	Write(rows []T) error
	Close() error
}

const (
	CSV     = "csv"
	Parquet = "parquet"
	OSU     = "osu" // only of medians
)

var Formats = []string{CSV, Parquet, OSU}

func New[T any](format string, w io.Writer, row reflect.Type) (Writer[T], error) {
	switch format {
	case CSV:
		return newCSV[T](w, row)
	case Parquet:
		schema := parquet.SchemaOf(reflect.Zero(row).Interface())
		return parquetWriter[T]{parquet.NewGenericWriter[T](w, schema, parquet.MaxRowsPerRowGroup(groupRows), parquet.Compression(&snappy.Codec{}))}, nil
	case OSU:
		if o, ok := any(&osuWriter{out: w}).(Writer[T]); ok {
			return o, nil
		}
		return nil, errors.New("osu has medians only: --what medians")
	}
	return nil, errors.New(conf.Unknown("format", format, Formats))
}

// osuWriter writes medians as OSU's benchmarks write times.
type osuWriter struct {
	out     io.Writer
	library string
	times   []imported.OSUTime
}

// Write implements Writer. Another library begins anew.
func (o *osuWriter) Write(rows []Median) error {
	for _, r := range rows {
		if r.MedianS == nil || r.Calls > 1 || r.Mode != string(protocol.ModeMeasure) {
			continue
		}
		if r.Library != o.library {
			if err := o.Close(); err != nil {
				return err
			}
			o.library = r.Library
		}
		o.times = append(o.times, imported.OSUTime{Function: r.Function, Msize: r.Msize, Shape: guidelines.ShapeOf(r.Shape, int(r.NP)), Run: int(r.Mpirun), NS: *r.MedianS * 1e9})
	}
	return nil
}

func (o *osuWriter) Close() error {
	_, err := io.WriteString(o.out, imported.OSUText(o.library, o.times))
	o.times = nil
	return err
}

// groupRows are the rows that are kept in memory before they are written.
const groupRows = 1 << 18

type parquetWriter[T any] struct{ *parquet.GenericWriter[T] }

func (p parquetWriter[T]) Write(rows []T) error {
	_, err := p.GenericWriter.Write(rows)
	return err
}
