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

// RanksSchema names the format of a file of durations by rank.
const RanksSchema = "pgmpi-ranks/1"

// Ranks holds the durations of every rank in an mpirun of stage 2, by its own clock:
// NS[case][rank] has the repetitions, ns.
type Ranks struct {
	Schema string           `json:"schema"` // RanksSchema
	Shape  guidelines.Shape `json:"shape"`
	Run    int              `json:"run"`
	Plan   []int            `json:"plan"` // indices into Plan.Cases, of the cases
	NRep   []int            `json:"nrep"` // by case, of each rank
	NS     [][][]int64      `json:"-"`
}

// RanksOf takes the durations of a run from what its ranks sent by case, if they sent any.
func RanksOf(r *Run, sent map[int][][]int64) *Ranks {
	if len(sent) == 0 {
		return nil
	}
	out := &Ranks{Schema: RanksSchema, Shape: r.Shape, Run: r.Run}
	for i, c := range r.Cases {
		if c.Status == protocol.StatusOK && len(sent[i]) == r.Shape.NP {
			out.Plan, out.NRep, out.NS = append(out.Plan, c.Plan), append(out.NRep, c.NRep), append(out.NS, sent[i])
		}
	}
	return out
}

func ranksName(shape guidelines.Shape, run int) string {
	return filepath.Join(rawName, "ranks-"+RawName(protocol.ModeMeasure, shape, run))
}

func (f *Folder) WriteRanks(r *Ranks) error {
	return f.writeSeries(ranksName(r.Shape, r.Run), r, r.NRep, r.NS)
}

// writeSeries stores numbers by case, rank or counter, and repetition.
func (f *Folder) writeSeries(name string, header any, nrep []int, all [][][]int64) error {
	return f.WriteFile(name, func(w io.Writer) error {
		z := gzip.NewWriter(w)
		b := bufio.NewWriterSize(z, 1<<16)
		head, err := json.Marshal(header)
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "#%s\n", head) // a bufio.Writer keeps its first error
		var line []byte
		rows := 0
		for i, parts := range all {
			for rank, series := range parts {
				if len(series) != nrep[i] {
					return fmt.Errorf("part %d has %d numbers of case %d, which has %d repetitions", rank, len(series), i, nrep[i])
				}
				for k, ns := range series {
					line = fmt.Appendf(line[:0], "%d\t%d\t%d\t%d\n", i, rank, k, ns)
					_, _ = b.Write(line)
				}
				rows += len(series)
			}
		}
		fmt.Fprintf(b, "#end rows=%d\n", rows)
		return errors.Join(b.Flush(), z.Close())
	})
}

// RanksOfCase returns the durations by rank of a case of the Plan in an mpirun, or nil if
// they were not stored.
func (f *Folder) RanksOfCase(shape guidelines.Shape, run, plan int) ([][]int64, error) {
	_, all, err := f.seriesOfCase(ranksName(shape, run), RanksSchema, shape, run, plan)
	return all, err
}

// seriesOfCase reads one case of a file of series; it returns nil if there is no such file, or
// it lacks the case.
func (f *Folder) seriesOfCase(name, schema string, shape guidelines.Shape, run, plan int) (*seriesHead, [][]int64, error) {
	path := filepath.Join(f.Path, name)
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

// seriesHead is the first line of a file of series: the fields of Ranks and Counts.
type seriesHead struct {
	Schema   string             `json:"schema"`
	Shape    guidelines.Shape   `json:"shape"`
	Run      int                `json:"run"`
	Counters []protocol.Counter `json:"counters"`
	Plan     []int              `json:"plan"`
	NRep     []int              `json:"nrep"`
}

func readSeriesHead(in *bufio.Scanner, schema string, shape guidelines.Shape, run int) (*seriesHead, error) {
	var head seriesHead
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

func (head *seriesHead) parts() int {
	if head.Schema == CountsSchema {
		return min(len(head.Counters), protocol.MaxCounters)
	}
	return min(head.Shape.NP, maxMembers)
}

func (head *seriesHead) readCase(in *bufio.Scanner, plan int) ([][]int64, error) {
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

// rankRow parses case, rank or counter, repetition, and number.
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
