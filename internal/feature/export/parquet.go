package export

import (
	"encoding/binary"
	"io"
	"math"
	"math/bits"
	"reflect"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// groupRows limits the rows that are kept in memory before they are written.
const groupRows = 1 << 17

const magic = "PAR1"

// parquetWriter lays out pages of what parquet-go encodes. Its own writer, for any row, brings six
// compressions, protobuf, SQL and a web server along; ours needs none: delta and run lengths leave
// little to compress.
type parquetWriter[T any] struct {
	out     io.Writer
	at      int64 // bytes that are written
	columns []*column
	rows    int // in the columns
	file    format.FileMetaData
}

// column holds the values of a group: a number's bits, or a text's place in the dictionary.
type column struct {
	field   []int // where a row has it
	schema  format.SchemaElement
	present []byte // 1 for each row that has a value; nil unless it is optional
	values  []int64
	words   map[string]int64
	plain   []byte // the dictionary
}

func newParquet[T any](w io.Writer, row reflect.Type) (Writer[T], error) {
	p := &parquetWriter[T]{out: w}
	p.file.Version, p.file.CreatedBy = 1, "pgmpi"
	p.file.Schema = append(p.file.Schema, format.SchemaElement{Name: "pgmpi"})
	for name, f := range columnsOf(row) {
		c := &column{field: f.Index, schema: format.SchemaElement{Name: name, RepetitionType: thrift.New(format.Required)}}
		kind := f.Type
		if kind.Kind() == reflect.Pointer {
			kind, c.schema.RepetitionType.V = kind.Elem(), format.Optional
		}
		c.schema.Type = thrift.New(physical[kind.Kind()])
		if kind.Kind() == reflect.String {
			c.words = map[string]int64{}
			c.schema.ConvertedType = thrift.New(deprecated.UTF8)
			c.schema.LogicalType.Value = &format.StringType{}
		}
		p.columns, p.file.Schema = append(p.columns, c), append(p.file.Schema, c.schema)
	}
	p.file.Schema[0].NumChildren = thrift.New(int32(len(p.columns)))
	return p, p.write([]byte(magic))
}

var physical = map[reflect.Kind]format.Type{reflect.String: format.ByteArray, reflect.Bool: format.Boolean,
	reflect.Int32: format.Int32, reflect.Int64: format.Int64, reflect.Float64: format.Double}

func (p *parquetWriter[T]) Write(rows []T) error {
	for i := range rows {
		row := reflect.ValueOf(&rows[i]).Elem()
		if row.Kind() == reflect.Interface {
			row = row.Elem()
		}
		for _, c := range p.columns {
			c.add(row.FieldByIndex(c.field))
		}
		if p.rows++; p.rows == groupRows {
			if err := p.group(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *parquetWriter[T]) Close() error {
	if p.rows > 0 {
		if err := p.group(); err != nil {
			return err
		}
	}
	foot, err := thrift.Marshal(&thrift.CompactProtocol{}, &p.file)
	if err != nil {
		return err
	}
	foot = binary.LittleEndian.AppendUint32(foot, uint32(len(foot)))
	return p.write(append(foot, magic...))
}

func (p *parquetWriter[T]) write(b []byte) error {
	n, err := p.out.Write(b)
	p.at += int64(n)
	return err
}

// group writes the rows that the columns hold, and empties them.
func (p *parquetWriter[T]) group() error {
	g := format.RowGroup{NumRows: int64(p.rows), FileOffset: p.at, Ordinal: int16(len(p.file.RowGroups))}
	for _, c := range p.columns {
		begin := p.at
		chunk := format.ColumnMetaData{Type: c.schema.Type.V, PathInSchema: []string{c.schema.Name}, NumValues: int64(p.rows)}
		chunk.Statistics.NullCount = int64(p.rows - len(c.values))
		if c.words != nil {
			chunk.DictionaryPageOffset, chunk.Encoding = p.at, []format.Encoding{format.Plain}
			head := format.PageHeader{Type: format.DictionaryPage, DictionaryPageHeader: thrift.New(format.DictionaryPageHeader{NumValues: int32(len(c.words))})}
			if err := p.page(head, c.plain); err != nil {
				return err
			}
		}
		body, encoding, err := c.encoded()
		if err != nil {
			return err
		}
		chunk.DataPageOffset, chunk.Encoding = p.at, append(chunk.Encoding, format.RLE, encoding)
		head := format.PageHeader{Type: format.DataPage, DataPageHeader: thrift.New(format.DataPageHeader{NumValues: int32(p.rows), Encoding: encoding,
			DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE, Statistics: chunk.Statistics})}
		if err := p.page(head, body); err != nil {
			return err
		}
		chunk.TotalUncompressedSize, chunk.TotalCompressedSize = p.at-begin, p.at-begin
		g.TotalByteSize += p.at - begin
		g.Columns = append(g.Columns, format.ColumnChunk{FileOffset: begin, MetaData: chunk})
		c.present, c.values, c.plain = c.present[:0], c.values[:0], c.plain[:0]
		clear(c.words)
	}
	g.TotalCompressedSize = g.TotalByteSize
	p.file.RowGroups, p.file.NumRows, p.rows = append(p.file.RowGroups, g), p.file.NumRows+g.NumRows, 0
	return nil
}

func (p *parquetWriter[T]) page(head format.PageHeader, body []byte) error {
	head.UncompressedPageSize, head.CompressedPageSize = int32(len(body)), int32(len(body))
	b, err := thrift.Marshal(&thrift.CompactProtocol{}, &head)
	if err != nil {
		return err
	}
	return p.write(append(b, body...))
}

func (c *column) add(v reflect.Value) {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			c.present = append(c.present, 0)
			return
		}
		c.present, v = append(c.present, 1), v.Elem()
	}
	var x int64
	switch v.Kind() {
	case reflect.String:
		var known bool
		if x, known = c.words[v.String()]; !known {
			x = int64(len(c.words))
			c.words[v.String()] = x
			c.plain = append(binary.LittleEndian.AppendUint32(c.plain, uint32(v.Len())), v.String()...)
		}
	case reflect.Float64:
		x = int64(math.Float64bits(v.Float()))
	case reflect.Bool:
		if v.Bool() {
			x = 1
		}
	default:
		x = v.Int()
	}
	c.values = append(c.values, x)
}

// encoded returns a page: which rows have a value, if not all have, and the values.
func (c *column) encoded() (page []byte, encoding format.Encoding, err error) {
	if c.schema.RepetitionType.V == format.Optional {
		levels, err := (&rle.Encoding{BitWidth: 1}).EncodeLevels(nil, c.present)
		if err != nil {
			return nil, 0, err
		}
		page = append(binary.LittleEndian.AppendUint32(nil, uint32(len(levels))), levels...)
	}
	var body []byte
	switch c.schema.Type.V {
	case format.ByteArray:
		width := bits.Len(uint(max(0, len(c.words)-1)))
		encoding = format.RLEDictionary
		page = append(page, byte(width))
		body, err = (&rle.Encoding{BitWidth: width}).EncodeInt32(nil, narrow(c.values))
	case format.Int32:
		encoding = format.DeltaBinaryPacked
		body, err = (&delta.BinaryPackedEncoding{}).EncodeInt32(nil, narrow(c.values))
	case format.Int64:
		encoding = format.DeltaBinaryPacked
		body, err = (&delta.BinaryPackedEncoding{}).EncodeInt64(nil, c.values)
	case format.Boolean:
		body = make([]byte, (len(c.values)+7)/8)
		for i, x := range c.values {
			body[i/8] |= byte(x) << (i % 8)
		}
	default:
		for _, x := range c.values {
			body = binary.LittleEndian.AppendUint64(body, uint64(x))
		}
	}
	return append(page, body...), encoding, err
}

func narrow(x []int64) []int32 {
	out := make([]int32, len(x))
	for i, v := range x {
		out[i] = int32(v)
	}
	return out
}
