package experiment_test

import (
	"strings"
	"testing"

	"pgmpi/analyze/samples"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/experiment"
	"pgmpi/internal/fixture/bed"
)

func TestFingerprintMeasuresOneCaseAlone(t *testing.T) {
	alone := func(text string, change func(*glfile.File)) (*samples.Fingerprint, *bed.Ranks, error) {
		config := glfile.Default()
		config.MPI.Rank, config.NREP.Fixed, config.Job.MPIRuns, config.Job.NP = bed.RankProgram(t), 50, 3, []int{2}
		config.MPI.Launch = []string{"true", "{np}"}
		if change != nil {
			change(&config)
		}
		ranks := &bed.Ranks{}
		_, found, err := measured(t, experiment.Fingerprint(text), &config, t.TempDir()+"/out", ranks)
		if err != nil {
			return nil, ranks, err
		}
		return found.Value.(*samples.Fingerprint), ranks, nil
	}
	f, ranks, err := alone("Bcast:1Ki:p4", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range ranks.Jobs() {
		if len(j.Cases) != 1 || j.NP != 4 || j.Cases[0].Function != "MPI_Bcast" || j.Cases[0].NRep != 50 || len(j.Order) != 1 {
			t.Errorf("%+v", j)
		}
	}
	if f.Samples != 150 || len(f.Runs) != 3 || f.Shape != "p4" || f.Visits != 1 || f.Categories[samples.First] != 3 {
		t.Errorf("%+v", f)
	}
	for text, want := range map[string]string{
		"Bcats:8":       "did you mean MPI_Bcast?",
		"Bcast:8:four":  "four",
		"Bcast:2x":      "2x",
		"Bcast":         "of the form",
		"Reduce:8:p0":   "0",
		"Bcast:8:2x2x2": "2x2x2",
	} {
		if _, _, err := alone(text, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if _, _, err := alone("Bcast:9", func(f *glfile.File) { f.Job.Datatype = "double" }); err == nil || !strings.Contains(err.Error(), "no multiple of the 8 bytes") {
		t.Errorf("9 bytes of doubles: %v", err)
	}
	if _, _, err := alone("Bcast:8", func(f *glfile.File) { f.Job.NP = []int{2, 4} }); err == nil || !strings.Contains(err.Error(), "one number of processes") {
		t.Errorf("two numbers of processes: %v", err)
	}
}
