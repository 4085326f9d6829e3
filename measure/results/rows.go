package results

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/klauspost/compress/gzip"

	"pgmpi/internal/regular"
)

// A file of rows is packed text: "#" and its header, lines of four whole numbers, and the
// line "#end rows=N", without which a file is not whole.

type row [4]int64

func encodeRows(w io.Writer, header any, limit int, each func(func(row))) error {
	head, err := json.Marshal(header)
	if err != nil {
		return err
	}
	if len(head) > limit {
		return fmt.Errorf("the header would have %d bytes, and readers take %d", len(head), limit)
	}
	b := bufio.NewWriterSize(w, rawBuffer)
	fmt.Fprintf(b, "#%s\n", head) // a bufio.Writer keeps its first error
	rows := 0
	var line []byte
	each(func(r row) {
		rows++
		line = line[:0]
		for _, v := range r {
			line = append(strconv.AppendInt(line, v, 10), '\t')
		}
		line[len(line)-1] = '\n'
		_, _ = b.Write(line)
	})
	fmt.Fprintf(b, "#end rows=%d\n", rows)
	return b.Flush()
}

func (f *Folder) writeRows(name string, encode func(io.Writer) error) error {
	return f.WriteFile(name, func(w io.Writer) error {
		z, err := gzip.NewWriterLevel(w, gzip.BestSpeed) // half the time, 7 % more bytes
		if err != nil {
			return err
		}
		return errors.Join(encode(z), z.Close())
	})
}

// rowReader reads a file of rows. It keeps no more of it in memory than a line.
type rowReader struct {
	in   *bufio.Reader
	line int
}

// readRows opens a file of rows; an error about a damaged one names it and the line.
func readRows(path string, read func(*rowReader) error) error {
	f, err := regular.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return damaged(path, err)
	}
	r := &rowReader{in: bufio.NewReaderSize(z, rawBuffer)}
	if err := read(r); err != nil {
		return damaged(fmt.Sprintf("%s:%d", path, r.line), err)
	}
	return nil
}

func damaged(where string, err error) error {
	return fmt.Errorf("%s: %w; the file is damaged: move it away, --resume measures this mpirun again", where, err)
}

// next returns the next line, of at most limit bytes. It is valid until the next call.
func (r *rowReader) next(limit int) ([]byte, error) {
	r.line++
	line, err := r.in.ReadSlice('\n')
	if err == nil {
		return line[:len(line)-1], nil
	}
	// Only the header is longer than the buffer.
	whole := slices.Clone(line)
	for errors.Is(err, bufio.ErrBufferFull) && len(whole) < limit {
		line, err = r.in.ReadSlice('\n')
		whole = append(whole, line...)
	}
	switch {
	case errors.Is(err, bufio.ErrBufferFull) || len(whole) > limit:
		return nil, fmt.Errorf("a line of more than %d bytes", limit)
	case errors.Is(err, io.EOF):
		return nil, errors.New("the file ends before its #end line")
	case err != nil:
		return nil, err
	}
	return whole[:len(whole)-1], nil
}

func (r *rowReader) header(limit int, into any) error {
	head, err := r.next(limit)
	switch {
	case err != nil:
		return err
	case len(head) == 0 || head[0] != '#':
		return errors.New("no header line")
	}
	if err := json.Unmarshal(head[1:], into); err != nil {
		return fmt.Errorf("header: %w", err)
	}
	return nil
}

// each calls add with every row, up to the end of the file. The file must end as rows end. odd may have
// a better error for a line whose field bad is no number.
func (r *rowReader) each(add func(row) error, odd func(v row, bad int, line []byte) error) error {
	for rows := 0; ; rows++ {
		whole, err := r.buffered(add)
		rows += whole
		if err != nil {
			return err
		}
		line, err := r.next(maxRow)
		if err != nil {
			return err
		}
		if len(line) > 0 && line[0] == '#' {
			return r.end(string(line), rows)
		}
		v, bad := rowIn(line)
		if bad < len(v) {
			return cmp.Or(odd(v, bad, line), fmt.Errorf("expected four numbers, got %.60q", line))
		}
		if err := add(v); err != nil {
			return err
		}
	}
}

// buffered takes the rows that are whole in the buffer, up to another line, and counts them.
func (r *rowReader) buffered(add func(row) error) (rows int, err error) {
	text, _ := r.in.Peek(r.in.Buffered())
	at := 0
	for err == nil {
		v, used := rowAt(text[at:])
		if used == 0 {
			break
		}
		at, rows = at+used, rows+1
		r.line++
		err = add(v)
	}
	_, _ = r.in.Discard(at)
	return rows, err
}

// rowAt reads the line at the start of b and returns its bytes, or 0 where it is no row or not whole.
func rowAt(b []byte) (v row, used int) {
	for i := range v {
		n, from := int64(0), used
		for used < len(b) && b[used]-'0' <= 9 {
			n = n*10 + int64(b[used]-'0')
			used++
		}
		end := byte('\t')
		if i == len(v)-1 {
			end = '\n'
		}
		if used == from || used-from > mostDigits || used == len(b) || b[used] != end {
			return v, 0
		}
		v[i] = n
		used++
	}
	return v, used
}

// rowIn returns a row, and the first field that is no number, or else len(v).
func rowIn(line []byte) (v row, bad int) {
	for i := range v {
		n, used := leadingInt(line)
		last := i == len(v)-1
		if used == 0 || last != (used == len(line)) || (!last && line[used] != '\t') {
			return v, i
		}
		v[i] = n
		if !last {
			line = line[used+1:]
		}
	}
	return v, len(v)
}

// mostDigits is how many protocol.MaxRawInt has.
const mostDigits = 18

// leadingInt reads the digits at the start of b; used is 0 if b starts with none, or with
// more than mostDigits.
func leadingInt(b []byte) (n int64, used int) {
	for used < len(b) && b[used] >= '0' && b[used] <= '9' {
		if used == mostDigits {
			return 0, 0
		}
		n = n*10 + int64(b[used]-'0')
		used++
	}
	return n, used
}

func (r *rowReader) end(line string, rows int) error {
	if want := fmt.Sprintf("#end rows=%d", rows); line != want {
		return fmt.Errorf("%.40q after %d rows", line, rows)
	}
	// The rest of the gzip stream holds its checksum.
	if _, err := r.in.ReadByte(); !errors.Is(err, io.EOF) {
		return cmp.Or(err, errors.New("text after the #end line"))
	}
	return nil
}
