package calls

import (
	"fmt"
	"testing"

	"pgmpi/analyze/judge"
	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/reading"
	"pgmpi/testkit/damaged"
)

func FuzzFolder(f *testing.F) {
	damaged.Folder(f, nil, []damaged.Show{
		func(path string) ([]*document.Document, error) { // times
			folder, m, err := reading.Open(path)
			if err != nil {
				return nil, err
			}
			j, err := reading.Judge(folder, m, judge.Default())
			if err != nil {
				return nil, err
			}
			t, err := newTimes(j.Side(path), true)
			if err != nil {
				return nil, err
			}
			return []*document.Document{runTimes.Document(t)}, nil
		},
		func(path string) ([]*document.Document, error) { // fingerprint
			folder, m, err := reading.Open(path)
			if err != nil || len(m.Plan.Cases) == 0 {
				return nil, err
			}
			k := m.Plan.Cases[0]
			x := Experiment(fmt.Sprintf("%s:%s:%s", k.Function, conf.FormatSize(k.Msize), k.Shape))
			found, err := x.Judge(run.Read(x, folder, m, nil))
			if err != nil {
				return nil, err
			}
			return []*document.Document{found.Document}, nil
		},
	})
}
