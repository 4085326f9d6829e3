package export

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"reflect"
	"strconv"
	"strings"

	"pgmpi/guidelines"
	"pgmpi/internal/clean"
	"pgmpi/internal/conf"
	"pgmpi/internal/osu"
	"pgmpi/measure/protocol"
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
		return newParquet[T](w, row)
	case OSU:
		if o, ok := any(&osuWriter{out: w}).(Writer[T]); ok {
			return o, nil
		}
		return nil, errors.New("osu has medians only: --what medians")
	}
	return nil, errors.New(conf.Unknown("format", format, Formats))
}

type osuWriter struct {
	out     io.Writer
	library string
	times   []osu.Time
}

// Write implements Writer. Another library starts a new table.
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
		o.times = append(o.times, osu.Time{Function: r.Function, Msize: r.Msize, Shape: guidelines.ShapeOf(r.Shape, int(r.NP)), Run: int(r.Mpirun), NS: *r.MedianS * 1e9})
	}
	return nil
}

func (o *osuWriter) Close() error {
	_, err := io.WriteString(o.out, osu.Text(o.library, o.times))
	o.times = nil
	return err
}

// columnsOf goes through the columns of a kind of row, by name, in their order.
func columnsOf(row reflect.Type) iter.Seq2[string, reflect.StructField] {
	return func(yield func(string, reflect.StructField) bool) {
		for _, f := range reflect.VisibleFields(row) {
			if !f.Anonymous && !yield(f.Tag.Get("parquet"), f) {
				return
			}
		}
	}
}

// csvWriter writes the columns that the Parquet file has. encoding/csv would make a string of every
// number.
type csvWriter[T any] struct {
	out     *bufio.Writer
	columns [][]int           // where a row has them
	texts   map[string][]byte // their cells
	line    []byte
}

// mostTexts bounds the memory: the names in a folder are few, its sentences may be many.
const mostTexts = 1 << 12

// logical has the truth values that R, pandas and DuckDB all read.
var logical = map[bool]string{false: "FALSE", true: "TRUE"}

func newCSV[T any](w io.Writer, row reflect.Type) (Writer[T], error) {
	c := &csvWriter[T]{out: bufio.NewWriterSize(w, 1<<16), texts: map[string][]byte{}}
	var head []string
	for name, f := range columnsOf(row) {
		head, c.columns = append(head, name), append(c.columns, f.Index)
	}
	_, err := fmt.Fprintln(c.out, strings.Join(head, ","))
	return c, err
}

func (c *csvWriter[T]) Write(rows []T) error {
	for i := range rows {
		row := reflect.ValueOf(&rows[i]).Elem()
		if row.Kind() == reflect.Interface {
			row = row.Elem()
		}
		c.line = c.line[:0]
		for _, at := range c.columns {
			if err := c.cell(row.FieldByIndex(at)); err != nil {
				return err
			}
			c.line = append(c.line, ',')
		}
		c.line[len(c.line)-1] = '\n'
		if _, err := c.out.Write(c.line); err != nil {
			return err
		}
	}
	return nil
}

// cell appends a value: numbers in full, and an empty cell for what is undefined.
func (c *csvWriter[T]) cell(v reflect.Value) error {
	switch v.Kind() {
	case reflect.Int32, reflect.Int64:
		c.line = strconv.AppendInt(c.line, v.Int(), 10)
	case reflect.Bool:
		c.line = append(c.line, logical[v.Bool()]...)
	case reflect.Float64:
		c.line = strconv.AppendFloat(c.line, v.Float(), 'g', -1, 64)
	case reflect.Pointer:
		if !v.IsNil() {
			return c.cell(v.Elem())
		}
	case reflect.String:
		text, err := c.text(v.String())
		c.line = append(c.line, text...)
		return err
	default:
		return fmt.Errorf("csv: no cell is a %s", v.Kind())
	}
	return nil
}

// text returns a text, in quotes if it needs them.
func (c *csvWriter[T]) text(text string) ([]byte, error) {
	if cell, ok := c.texts[text]; ok {
		return cell, nil
	}
	var cell bytes.Buffer
	w := csv.NewWriter(&cell)
	err := w.Write([]string{clean.Cell(text)})
	w.Flush()
	if len(c.texts) == mostTexts {
		clear(c.texts)
	}
	c.texts[text] = bytes.TrimSuffix(cell.Bytes(), []byte("\n"))
	return c.texts[text], err
}

func (c *csvWriter[T]) Close() error { return c.out.Flush() }
