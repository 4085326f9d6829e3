package export

import (
	"errors"
	"io"
	"reflect"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/snappy"

	"pgmpi/internal/conf"
)

// Writer writes a table of rows of one kind. Close ends it.
type Writer[T any] interface {
	Write(rows []T) error
	Close() error
}

// The formats of tables.
const (
	CSV     = "csv"
	Parquet = "parquet"
)

// Formats are their names.
var Formats = []string{CSV, Parquet}

// New is a writer of a format to w, for rows of a type.
func New[T any](format string, w io.Writer, row reflect.Type) (Writer[T], error) {
	switch format {
	case CSV:
		return newCSV[T](w, row)
	case Parquet:
		schema := parquet.SchemaOf(reflect.Zero(row).Interface())
		return parquetWriter[T]{parquet.NewGenericWriter[T](w, schema, parquet.MaxRowsPerRowGroup(groupRows), parquet.Compression(&snappy.Codec{}))}, nil
	}
	return nil, errors.New(conf.Unknown("format", format, Formats))
}

// groupRows are the rows that are kept in memory before they are written.
const groupRows = 1 << 18

type parquetWriter[T any] struct{ *parquet.GenericWriter[T] }

func (p parquetWriter[T]) Write(rows []T) error {
	_, err := p.GenericWriter.Write(rows)
	return err
}
