package results

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzip"

	"pgmpi/guidelines"
	"pgmpi/internal/regular"
	"pgmpi/measure/protocol"
)

// The formats of files of series: what every rank took, and what counters have counted.
const (
	ranksSchema  = "pgmpi-ranks/1"
	countsSchema = "pgmpi-counters/1"
)

// Series holds numbers of each repetition of an mpirun of stage 2, N[case][part]: the durations
// of every rank by its own clock, ns, or each counter's count at the rank with the highest.
type Series struct {
	Schema   string             `json:"schema"` // ranksSchema or countsSchema
	Shape    guidelines.Shape   `json:"shape"`
	Run      int                `json:"run"`
	Counters []protocol.Counter `json:"counters,omitempty"` // those that were read
	Plan     []int              `json:"plan"`               // indices into Plan.Cases, of the cases
	NRep     []int              `json:"nrep"`               // by case
	N        [][][]int64        `json:"-"`
}

// RanksOf takes the durations of a run from what its ranks sent by case, if they sent any.
func RanksOf(r *Run, sent map[int][][]int64) *Series {
	parts := make([]int, r.Shape.NP)
	for i := range parts {
		parts[i] = i
	}
	return seriesOf(ranksSchema, r, sent, r.Shape.NP, parts)
}

// CountsOf takes the counts of a run from what its ranks sent by case and counter, if any.
func CountsOf(r *Run, sent map[int][][]int64) *Series {
	var read []int
	var counters []protocol.Counter
	for i, c := range r.Counters {
		if c.Why == "" {
			counters, read = append(counters, c), append(read, i)
		}
	}
	out := seriesOf(countsSchema, r, sent, len(r.Counters), read)
	if out != nil {
		out.Counters = counters
	}
	return out
}

func seriesOf(schema string, r *Run, sent map[int][][]int64, n int, parts []int) *Series {
	if len(sent) == 0 {
		return nil
	}
	out := &Series{Schema: schema, Shape: r.Shape, Run: r.Run}
	for i, c := range r.Cases {
		if c.Status != protocol.StatusOK || len(sent[i]) != n {
			continue
		}
		var kept [][]int64
		for _, k := range parts {
			kept = append(kept, sent[i][k])
		}
		out.Plan, out.NRep, out.N = append(out.Plan, c.Plan), append(out.NRep, c.NRep), append(out.N, kept)
	}
	return out
}

func seriesName(schema string, shape guidelines.Shape, run int) string {
	word := map[string]string{ranksSchema: "ranks-", countsSchema: "counters-"}[schema]
	return filepath.Join(rawName, word+RawName(protocol.ModeMeasure, shape, run))
}

func (f *Folder) WriteSeries(s *Series) error {
	return f.WriteFile(seriesName(s.Schema, s.Shape, s.Run), func(w io.Writer) error {
		z := gzip.NewWriter(w)
		b := bufio.NewWriterSize(z, 1<<16)
		head, err := json.Marshal(s)
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "#%s\n", head) // a bufio.Writer keeps its first error
		var line []byte
		rows := 0
		for i, parts := range s.N {
			for part, numbers := range parts {
				if len(numbers) != s.NRep[i] {
					return fmt.Errorf("part %d has %d numbers of case %d, which has %d repetitions", part, len(numbers), i, s.NRep[i])
				}
				for k, v := range numbers {
					line = fmt.Appendf(line[:0], "%d\t%d\t%d\t%d\n", i, part, k, v)
					_, _ = b.Write(line)
				}
				rows += len(numbers)
			}
		}
		fmt.Fprintf(b, "#end rows=%d\n", rows)
		return errors.Join(b.Flush(), z.Close())
	})
}

// RanksOfCase returns the durations by rank of a case of the Plan in an mpirun, or nil if
// they were not stored.
func (f *Folder) RanksOfCase(shape guidelines.Shape, run, plan int) ([][]int64, error) {
	_, all, err := f.seriesOfCase(ranksSchema, shape, run, plan)
	return all, err
}

// CountsOfCase returns the counters of an mpirun, and their counts for a case of the Plan in
// each repetition; nil if none were read.
func (f *Folder) CountsOfCase(shape guidelines.Shape, run, plan int) ([]protocol.Counter, [][]int64, error) {
	head, all, err := f.seriesOfCase(countsSchema, shape, run, plan)
	if head == nil || all == nil {
		return nil, nil, err
	}
	return head.Counters[:len(all)], all, nil
}

// seriesOfCase reads one case of a file of series; it returns nil if there is no such file, or
// it lacks the case.
func (f *Folder) seriesOfCase(schema string, shape guidelines.Shape, run, plan int) (*Series, [][]int64, error) {
	path := filepath.Join(f.Path, seriesName(schema, shape, run))
	file, err := regular.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		return nil, nil, damaged(path, err)
	}
	in := bufio.NewScanner(z)
	in.Buffer(nil, maxHeader)
	head, err := readSeriesHead(in, schema, shape, run)
	var out [][]int64
	if err == nil {
		out, err = head.readCase(in, plan)
	}
	if err != nil {
		return nil, nil, damaged(path, err)
	}
	return head, out, nil
}

func readSeriesHead(in *bufio.Scanner, schema string, shape guidelines.Shape, run int) (*Series, error) {
	var head Series
	if !in.Scan() || !strings.HasPrefix(in.Text(), "#") {
		return nil, errors.Join(errors.New("no header line"), in.Err())
	}
	if err := json.Unmarshal(in.Bytes()[1:], &head); err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	if head.Schema != schema || head.Shape != shape || head.Run != run || len(head.NRep) != len(head.Plan) {
		return nil, fmt.Errorf("it is not about mpirun %d of %s", run, shape)
	}
	return &head, nil
}

func (head *Series) parts() int {
	if head.Schema == countsSchema {
		return min(len(head.Counters), protocol.MaxCounters)
	}
	return min(head.Shape.NP, maxMembers)
}

func (head *Series) readCase(in *bufio.Scanner, plan int) ([][]int64, error) {
	out := make([][]int64, head.parts())
	found, rows := false, 0
	for in.Scan() {
		line := in.Text()
		if strings.HasPrefix(line, "#") {
			if want := fmt.Sprintf("#end rows=%d", rows); line != want {
				return nil, fmt.Errorf("%.40q after %d rows", line, rows)
			}
			if !found {
				return nil, nil
			}
			return out, in.Err()
		}
		rows++
		v, err := rankRow(line)
		if err != nil {
			return nil, fmt.Errorf("row %d: %w", rows, err)
		}
		if v[0] >= int64(len(head.Plan)) || v[1] >= int64(len(out)) {
			return nil, fmt.Errorf("row %d: case %d, series %d", rows, v[0], v[1])
		}
		if head.Plan[v[0]] != plan {
			continue
		}
		found = true
		series := &out[v[1]]
		if v[2] != int64(len(*series)) || len(*series) >= head.NRep[v[0]] {
			return nil, fmt.Errorf("row %d: repetition %d, expected %d of %d", rows, v[2], len(*series), head.NRep[v[0]])
		}
		*series = append(*series, v[3])
	}
	return nil, errors.Join(errors.New("the file ends before its #end line"), in.Err())
}

func rankRow(line string) (v [4]int64, err error) {
	f := strings.Split(line, "\t")
	if len(f) != len(v) {
		return v, fmt.Errorf("expected four numbers, got %.60q", line)
	}
	for i := range v {
		if v[i], err = strconv.ParseInt(f[i], 10, 64); err != nil || v[i] < 0 || v[i] > protocol.MaxRawInt {
			return v, fmt.Errorf("%.30q is no number of a row", f[i])
		}
	}
	return v, nil
}
