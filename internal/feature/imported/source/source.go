// Package source hands out the lines that a benchmark wrote, of files as people keep them.
//
// In come bytes; out come lines without what terminals, launchers and programs that keep logs put around them. gzip
// and UTF-16 are unpacked, within limits. The package does not know any benchmark but by its headings.
package source

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"unicode/utf16"
)

const (
	MostLine     = 1 << 20 // of a line, and of the lines by which a file is recognised
	mostUnpacked = 64 << 20
	mostUTF16    = 64 << 20
)

// Text is the text of a file.
type Text struct {
	*bufio.Reader
	label *regexp.Regexp // before each line, or nil
	Cut   bool           // the last line that was read has no end
}

// New reads a text of about some bytes.
func New(r io.Reader, size int64) (*Text, error) {
	b := bufio.NewReaderSize(r, int(min(max(size, 4096)+1, MostLine)))
	mark, _ := b.Peek(3)
	switch {
	case bytes.HasPrefix(mark, []byte{0x1f, 0x8b}):
		unpacked, err := gzip.NewReader(b)
		if err != nil {
			return nil, err
		}
		b = bufio.NewReaderSize(&limited{unpacked, mostUnpacked}, MostLine)
		mark, _ = b.Peek(3)
	case bytes.HasPrefix(mark, []byte{0xff, 0xfe}), bytes.HasPrefix(mark, []byte{0xfe, 0xff}), isUTF16(b):
		text, err := fromUTF16(b)
		if err != nil {
			return nil, err
		}
		b = bufio.NewReaderSize(strings.NewReader(text), MostLine)
	}
	if string(mark) == byteOrder {
		b.Discard(len(byteOrder))
	}
	return &Text{Reader: b}, nil
}

const byteOrder = "\ufeff"

// limited fails beyond a number of bytes, so that a small file does not become all memory.
type limited struct {
	io.Reader
	left int64
}

func (l *limited) Read(p []byte) (n int, err error) {
	if n, err = l.Reader.Read(p); err != nil && err != io.EOF {
		err = fmt.Errorf("the compressed file is damaged or cut off: %w", err)
	}
	if l.left -= int64(n); l.left < 0 {
		return 0, fmt.Errorf("more than %d MiB when unpacked", mostUnpacked>>20)
	}
	return n, err
}

// isUTF16 recognises a text of two bytes for each letter, of which one is 0, without a mark of byte order.
func isUTF16(b *bufio.Reader) bool {
	text, _ := b.Peek(64)
	zeros := [2]int{}
	for i, c := range text {
		if c == 0 {
			zeros[i%2]++
		}
	}
	return len(text) >= 8 && (zeros == [2]int{0, len(text) / 2} || zeros == [2]int{(len(text) + 1) / 2, 0})
}

// fromUTF16 reads what PowerShell writes for `>`.
func fromUTF16(r io.Reader) (string, error) {
	text, err := io.ReadAll(io.LimitReader(r, mostUTF16+1))
	if err != nil {
		return "", err
	}
	if len(text) > mostUTF16 {
		return "", fmt.Errorf("text of UTF-16 of more than %d MiB", mostUTF16>>20)
	}
	low := 0
	if text[0] == 0xfe || text[0] == 0 {
		low = 1
	}
	var units []uint16
	for i := 0; i+1 < len(text); i += 2 {
		units = append(units, uint16(text[i+low])|uint16(text[i+1-low])<<8)
	}
	return string(utf16.Decode(units)), nil
}

// Head returns the first lines, up to a mebibyte, and learns the label before them.
func (s *Text) Head() (string, error) {
	raw, err := s.Peek(MostLine)
	if err != nil && err != io.EOF && !errors.Is(err, bufio.ErrBufferFull) {
		return "", err
	}
	if bytes.IndexByte(raw[:min(len(raw), 8192)], 0) >= 0 {
		return "", nil // no text
	}
	lines := strings.Split(string(raw), "\n")
	for i, line := range lines {
		lines[i] = plain(line)
	}
	s.label = labelOf(lines)
	for i, line := range lines {
		lines[i] = s.strip(line)
	}
	return strings.Join(lines, "\n"), nil
}

// Next returns the next line. What a line has beyond a mebibyte is left out.
func (s *Text) Next() (line string, more bool, err error) {
	raw, err := s.ReadSlice('\n')
	line = string(raw)
	for err == bufio.ErrBufferFull {
		_, err = s.ReadSlice('\n')
	}
	if s.Cut = err == io.EOF; s.Cut && line == "" {
		return "", false, nil
	}
	if err != nil && err != io.EOF {
		return "", false, err
	}
	return s.strip(plain(line)), true, nil
}

func (s *Text) strip(line string) string {
	if s.label != nil {
		line = line[len(s.label.FindString(line)):]
	}
	return strings.TrimSpace(strings.TrimPrefix(line, `\`))
}

// control finds what terminals obey: colours, titles of windows.
var control = regexp.MustCompile("\x1b\\[[0-9;?]*[ -/]*[@-~]|\x1b\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|\x1b[()][0-9A-B]")

var (
	markup   = regexp.MustCompile(`(?:(?:&#0?1[03];)*</stdout>|<br ?/?>)+$|^<p>`) // of mpirun --xml, and of lists of mails
	unmarked = strings.NewReplacer("&nbsp;", " ", "&#032;", " ", "&gt;", ">", "&lt;", "<", "&amp;", "&")
)

// plain takes away ends of lines, colours, marks of byte order, and what a later carriage return has overwritten.
func plain(line string) string {
	line = strings.TrimRight(line, "\r\n")
	if end := strings.TrimRight(line, " "); strings.HasSuffix(end, ">") && strings.ContainsAny(end, "/&b") {
		line = unmarked.Replace(markup.ReplaceAllString(end, ""))
	}
	if i := strings.LastIndexByte(line, '\r'); i >= 0 {
		line = line[i+1:]
	}
	if strings.IndexByte(line, 0x1b) >= 0 {
		line = control.ReplaceAllString(line, "")
	}
	if i := strings.IndexFunc(line, func(c rune) bool { return c >= 0x80 }); i >= 0 {
		line = strings.NewReplacer(byteOrder, "", "\u00a0", " ").Replace(line)
	}
	return line
}

// heading begins the lines by which benchmarks are recognised.
var heading = regexp.MustCompile(`\\?# *(?:OSU |OMB[- ]|Size |Benchmarking |#processes|Intel ?\(R\) MPI|nccl-tests |nThread |` +
	`Using devices|Rank +\d|size +count|SKaMPI |begin result|@[a-z]\w*=)|#bytes +#repetitions`)

// mostLabel exceeds a time stamp with a host's name.
const mostLabel = 120

// labelOf returns what stands before a benchmark's first heading, as it stands before all its lines: a launcher's
// rank ("[1,0]<stdout>:", "0: "), a time stamp, a mark of quotation. Numbers in it may differ from line to line.
func labelOf(lines []string) *regexp.Regexp {
	forms, best := map[string]int{}, ""
	for _, line := range lines {
		if strings.IndexByte(line, '#') < 0 { // a regular expression takes long
			continue
		}
		at := heading.FindStringIndex(line)
		if at == nil || at[0] > mostLabel {
			continue
		}
		form := formOf(line[:at[0]])
		if forms[form]++; forms[form] > forms[best] {
			best = form
		}
	}
	if best == "" {
		return nil
	}
	return regexp.MustCompile(best)
}

var (
	piecesOfLabel = regexp.MustCompile(`\d+|\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\b|\s+|\{[^{}]*\}|.`)
	onlyNumber    = regexp.MustCompile(`^\s*\d+\s+$`)
)

// formOf returns the pattern of a label, or "" for none.
func formOf(label string) string {
	if strings.TrimSpace(label) == "" {
		return ""
	}
	form := "^"
	for _, piece := range piecesOfLabel.FindAllString(strings.ToValidUTF8(label, "?"), -1) {
		switch {
		case piece[0] >= '0' && piece[0] <= '9':
			form += `\d+`
		case len(piece) == 3 && piece[0] >= 'A' && piece[0] <= 'Z':
			form += `[A-Z][a-z]{2}`
		case strings.TrimSpace(piece) == "":
			form += `\s+`
		case len(piece) > 1 && piece[0] == '{': // where a program that keeps a log was
			form += `\{[^{}]*\}`
		default:
			form += regexp.QuoteMeta(piece)
		}
	}
	if before, ok := strings.CutSuffix(form, `\s+`); ok && !onlyNumber.MatchString(label) {
		form = before + `\s*`
	}
	return strings.Replace(form, `^\s+`, `^\s*`, 1) // numbers are aligned
}

// Of returns the text of an open file.
func Of(f *os.File) (*Text, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return New(f, info.Size())
}
