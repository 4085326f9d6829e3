package results

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"pgmpi/guidelines"
	"pgmpi/internal/lists"
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

// RanksOf returns the durations of a run that its ranks sent by case, if they sent any.
func RanksOf(r *Run, sent map[int][][]int64) *Series {
	parts := make([]int, r.Shape.NP)
	for i := range parts {
		parts[i] = i
	}
	return seriesOf(ranksSchema, r, sent, r.Shape.NP, parts)
}

// CountsOf returns the counts of a run that its ranks sent by case and counter, if any.
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
		kept := lists.Map(parts, func(k int) []int64 { return sent[i][k] })
		out.Plan, out.NRep, out.N = append(out.Plan, c.Plan), append(out.NRep, c.NRep), append(out.N, kept)
	}
	return out
}

func seriesName(schema string, shape guidelines.Shape, run int) string {
	word := map[string]string{ranksSchema: "ranks-", countsSchema: "counters-"}[schema]
	return filepath.Join(rawName, word+RawName(protocol.ModeMeasure, shape, run))
}

func (f *Folder) WriteSeries(s *Series) error {
	return f.writeRows(seriesName(s.Schema, s.Shape, s.Run), s.encode)
}

func (s *Series) encode(w io.Writer) error {
	for i, parts := range s.N {
		for part, numbers := range parts {
			if len(numbers) != s.NRep[i] {
				return fmt.Errorf("part %d has %d numbers of case %d, which has %d repetitions", part, len(numbers), i, s.NRep[i])
			}
		}
	}
	return encodeRows(w, s, maxHeader, func(add func(row)) {
		for i, parts := range s.N {
			for part, numbers := range parts {
				for k, v := range numbers {
					add(row{int64(i), int64(part), int64(k), v})
				}
			}
		}
	})
}

// RanksOfCase returns the durations by rank of a case of the Plan in an mpirun. It returns nil if they
// were not stored.
func (f *Folder) RanksOfCase(shape guidelines.Shape, run, plan int) ([][]int64, error) {
	_, all, err := f.series(ranksSchema, shape, run, func(i int) bool { return i == plan })
	return all[plan], err
}

// Ranks returns the durations by rank of all cases of the Plan in an mpirun. It returns nil if they
// were not stored.
func (f *Folder) Ranks(shape guidelines.Shape, run int) (map[int][][]int64, error) {
	_, all, err := f.series(ranksSchema, shape, run, func(int) bool { return true })
	return all, err
}

// CountsOfCase returns the counters of an mpirun, and their counts for a case of the Plan. The counts
// are by repetition; nil if none were read.
func (f *Folder) CountsOfCase(shape guidelines.Shape, run, plan int) ([]protocol.Counter, [][]int64, error) {
	head, cases, err := f.series(countsSchema, shape, run, func(i int) bool { return i == plan })
	all := cases[plan]
	if all == nil || err != nil {
		return nil, nil, err
	}
	return head.Counters[:len(all)], all, nil
}

// series reads the wanted cases of a file of series, by index into the Plan; none if there is no such file, or
// it lacks them.
func (f *Folder) series(schema string, shape guidelines.Shape, run int, wanted func(plan int) bool) (head *Series, out map[int][][]int64, err error) {
	head = &Series{}
	err = readRows(filepath.Join(f.Path, seriesName(schema, shape, run)), func(r *rowReader) error {
		if err := r.header(maxHeader, head); err != nil {
			return err
		}
		if head.Schema != schema || head.Shape != shape || head.Run != run || len(head.NRep) != len(head.Plan) {
			return fmt.Errorf("it is not about mpirun %d of %s", run, shape)
		}
		out, err = head.read(r, wanted)
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return head, out, err
}

func (head *Series) parts() int {
	if head.Schema == countsSchema {
		return min(len(head.Counters), protocol.MaxCounters)
	}
	return min(head.Shape.NP, maxMembers)
}

func (head *Series) read(in *rowReader, wanted func(plan int) bool) (map[int][][]int64, error) {
	out := map[int][][]int64{}
	err := in.each(func(v row) error {
		if v[0] >= int64(len(head.Plan)) || v[1] >= int64(head.parts()) {
			return fmt.Errorf("case %d, series %d", v[0], v[1])
		}
		plan := head.Plan[v[0]]
		if !wanted(plan) {
			return nil
		}
		if out[plan] == nil {
			out[plan] = make([][]int64, head.parts())
		}
		series := &out[plan][v[1]]
		if v[2] != int64(len(*series)) || len(*series) >= head.NRep[v[0]] {
			return fmt.Errorf("repetition %d, expected %d of %d", v[2], len(*series), head.NRep[v[0]])
		}
		*series = append(*series, v[3])
		return nil
	}, func(row, int, []byte) error { return nil })
	return out, err
}
