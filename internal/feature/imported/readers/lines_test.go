package readers

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"pgmpi/guidelines"
	"pgmpi/internal/feature/imported/source"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// Each condition of a rule about lines that may be anything has here a case that it alone decides.

func TestLinesOfReproMPIAreToldFromOthers(t *testing.T) {
	for line, want := range map[string]bool{"test nrep count runtime_sec": true, "process test": true, "test": false,
		"test test":  false,
		"nrep count": false, "a test of mine": false, "": false} {
		should.Equal(t, isReproHeader(strings.Fields(line)), want, line)
	}
	p := &parser{columns: strings.Fields("process test nrep runtime_sec")}
	for line, want := range map[string]bool{"0 MPI_Bcast": true, "x GL_Bcast_as_ScatterAllgather y": true,
		"0 Send_Recv 1 2.0": true, "0 Send_Recv 1": false,
		"0 Send_Recv 1 x": false, "0 Send_Recv x 2.0": false, "x Send_Recv 1 2.0": false, "0": false, "": false} {
		should.Equal(t, p.isRow(strings.Fields(line)), want, line)
	}
	should.Hold(t, !(&parser{}).isRow([]string{"MPI_Bcast"}), "before the columns")
	m := one(t, "reprompi", "x",
		"#@nprocs=2\nhello\n\ntest nrep msize runtime_sec\nMPI_Bcast 0 8 0.000001\nworld\n"+reproTail)
	should.Hold(t, shown(m) == "MPI_Bcast 8 1000" && m.skipped.n == 2, "%+v", m)
	m = one(t, "reprompi", "x",
		"#@nprocs=2\ntest nrep msize runtime_sec\nMPI_Bcast 0 8 0.000001\nBBarrier 0 8 0.000001\n"+reproTail)
	should.Hold(t, shown(m) == "MPI_Bcast 8 1000" && len(m.unused) == 1 && m.skipped.n == 0, "%+v", m)
}

func TestWhenDataWereMeasuredIsInAFileElseInItsName(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "2024-05-06")
	must.Do(t, os.Mkdir(dir, 0o777))
	for name, c := range map[string]struct {
		its   string
		dated dated
		want  string
	}{
		"osu": {"# Processes: 2\n" + twoTables, byName, "2024-05-06"},
		"imb": {imbText, byData, "2026-05-14"},
	} {
		path := filepath.Join(dir, name)
		must.Do(t, os.WriteFile(path, []byte(c.its), 0o666))
		for _, j := range must.Get(jobsOf(path))(t) {
			should.Hold(t, j.dated == c.dated && j.when.Format(time.DateOnly) == c.want, "%s: %v, %s", name, j.dated, j.when)
			should.Equal(t, j.Folder, "", "files of one folder")
		}
	}
	should.Equal(t, monday(2024, 2), time.Date(2024, 1, 8, 0, 0, 0, 0, time.UTC))
}

func TestALogOfNCCLMayLackWhatOthersHave(t *testing.T) {
	start := func(program string) string {
		return "# Collective test starting: " + program + "_perf\n# nThread 1 nGpus 2\n# Using devices\n"
	}
	rank := func(n, pid int) string {
		return fmt.Sprintf("#  Rank  %d Group  0 Pid %d on a device  %d [0] G\n", n, pid,
			n)
	}
	two := rank(0, 7) + rank(1, 7)
	m := one(t, "nccl-text", "x", start("all_reduce")+"# nccl-library=22703\n"+two+ncclRows)
	should.Equal(t, m.Version, "NCCL 22703")
	for name, c := range map[string][2]string{ // and the end of the error
		"another program": {start("sendrecv") + two + ncclRows, "no guideline is about sendrecv_perf"},
		"copies, then another rank": {start("all_reduce") + rank(0, 7) + rank(0, 8) + rank(1, 9) + ncclRows,
			errCopies.Error()},
		"a time that is not there": {start("all_reduce") + two + strings.Replace(ncclRows, "20.00", "N/A", 1),
			"had no positive time, and is left out"},
		"groups that are not alike": {start("all_reduce") + two + strings.Replace(rank(2, 8), "Group  0", "Group  1",
			1) + ncclRows, "are not told apart"},
		"a time stamp that is no one": {start("all_reduce") + two + strings.NewReplacer("#wrong\n", "#wrong timestamp\n",
			"N/A\n", "N/A 2025 10\n").Replace(ncclRows), ""},
	} {
		_, err := text(t, "nccl-text", "x", c[0], Given{})
		should.Hold(t, err != nil && strings.HasSuffix(err.Error(), c[1]), "%s: %v", name, err)
	}
	both := start("all_reduce") + two + ncclRows + "# all_gather_perf\n" + strings.Replace(ncclRows, "1024 256",
		"2048 512", 1)
	should.Equal(t, allShown(must.Get(text(t, "nccl-text", "x", both, Given{}))(t)),
		"MPI_Allreduce 1024 20000, MPI_Allgather 1024 20000")
}

func TestProcessesOfRCCLAreThoseThatWereGiven(t *testing.T) {
	record := `[{"numCycle":0,"name":"AllReduce","ranks":%d,"size":8,"inPlace":0,"time":9}]`
	_, err := text(t, "rccl", "x", fmt.Sprintf(record, 2), Given{Shape: guidelines.Shape{NP: 8}})
	should.Fail(t, err, "it has 2 processes, and 8 were given")
	_, err = text(t, "rccl", "x", fmt.Sprintf(record, 0), Given{})
	should.Fail(t, err, "are no number of processes")
	_, err = text(t, "rccl", "x", "numCycle,name\n\"0,AllReduce\n", Given{})
	should.Fail(t, err, "quoted-field")
}

// A log may be damaged beyond the lines by which its program is recognised.
func TestWhatCannotBeReadToItsEndIsRefusedAtItsLine(t *testing.T) {
	for _, r := range readers {
		np := map[string]int{"osu": 2}[r.name] // the others say it
		blank := map[string]string{"pico": "1"}[r.name] + strings.Repeat(" ", 1000) + "\n"
		lines := seeds[r.name][0] + strings.Repeat(blank, source.MostLine/1000)
		_, err := seeded(r, io.MultiReader(strings.NewReader(lines), iotest.ErrReader(errors.New("the disk is gone"))), np)
		place := fmt.Sprintf(":%d", 1+strings.Count(lines, "\n"))
		if r.name == "nccl" || r.name == "rccl" { // read at once
			place = ""
		}
		should.Fail(t, err, "int32.csv"+place+": the disk is gone")
	}
}
