package calls

import (
	"os"
	"path/filepath"
	"testing"

	"pgmpi/guidelines"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/document"
	"pgmpi/internal/experiment"
	"pgmpi/internal/fail"
	"pgmpi/testkit/bed"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestFingerprintMeasuresOneCaseAlone(t *testing.T) {
	alone := func(text string, change func(*glfile.File)) (*Fingerprint, *bed.Ranks, error) {
		config := glfile.Default()
		config.MPI.Rank, config.NREP.Fixed, config.Job.MPIRuns, config.Job.NP = bed.RankProgram(t), 50, 3, []int{2}
		config.MPI.Launch = []string{"true", "{np}"}
		if change != nil {
			change(&config)
		}
		ranks := &bed.Ranks{}
		_, found, err := bed.Run(t, Experiment(text), &config, t.TempDir()+"/out", ranks)
		if err != nil {
			return nil, ranks, err
		}
		return found.Value.(*Fingerprint), ranks, nil
	}
	f, ranks, err := alone("Bcast:1Ki:p4", nil)
	must.Do(t, err)
	for _, j := range ranks.Jobs() {
		should.Hold(t, len(j.Cases) == 1 && j.NP == 4 && j.Cases[0].Function == "MPI_Bcast" && j.Cases[0].NRep == 50 &&
			len(j.Order) == 1, "%+v", j)
	}
	should.Hold(t, f.Samples == 150 && len(f.Runs) == 3 && f.Shape == "p4" && f.Visits == 1 && f.Categories[First] == 3,
		"%+v", f)
	for text, want := range map[string]string{
		"Bcats:8":       "did you mean MPI_Bcast?",
		"Bcast:8:four":  "four",
		"Bcast:2x":      "2x",
		"Bcast":         "of the form",
		"Reduce:8:p0":   "0",
		"Bcast:8:2x2x2": "2x2x2",
	} {
		_, _, err := alone(text, nil)
		should.Fail(t, err, want, "%s", text)
	}
	_, _, err = alone("Bcast:9", func(f *glfile.File) { f.Job.Datatype = "double" })
	should.Fail(t, err, "no multiple of the 8 bytes", "9 bytes of doubles")
	_, _, err = alone("Bcast:8", func(f *glfile.File) { f.Job.NP = []int{2, 4} })
	should.Fail(t, err, "one number of processes", "two numbers of processes")
}

func TestAFingerprintIsFinishedByItsMpiruns(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		config := b.Config("[job]\nnp = [2]\nmpiruns = 6\nmsizes = [\"8\"]\n[check]\nfunctions = [\"MPI_Bcast\"]\n")
		c := must.Get(b.New(Experiment("MPI_Bcast:8"), config, b.Out))(t)
		must.Do(t, c.Open())
		answered := func() bool {
			must.Do(t, os.WriteFile(filepath.Join(b.Out, c.Answer.FileIn(document.JSON)), []byte("{}"), 0o666))
			return must.Get(experiment.StatusOf(b.Out, Feature.Kinds))(t).Reported
		}
		should.Hold(t, !answered(), "a fingerprint without an mpirun")
		must.Get(bed.Done(t.Context(), c))(t)
		should.Hold(t, answered(), "a fingerprint that is all there")
	})
}

func TestACheckDoesNotGoOnInTheFolderOfAFingerprint(t *testing.T) {
	config, path := glfile.Default(), t.TempDir()+"/out"
	config.MPI.Rank, config.MPI.Launch, config.Job.NP = bed.RankProgram(t), []string{"true", "{np}"}, []int{2}
	config.Job.MPIRuns, config.Job.Msizes, config.Check.Functions = 3, guidelines.MsizeList{"8"}, []string{"MPI_Bcast"}
	_, _, err := bed.Run(t, Experiment("MPI_Bcast:8"), &config, path, &bed.Ranks{})
	must.Do(t, err)
	_, _, err = bed.Run(t, experiment.Check, &config, path, &bed.Ranks{})
	should.Hold(t, fail.Is[*fail.Setup](err), "%v", err)
	should.Fail(t, err, "is a folder of pgmpi fingerprint: `pgmpi fingerprint CASE --out "+path+" --resume` goes on in it", "")
}
