package app

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgmpi/internal/fail"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func tried() *TryResult {
	return &TryResult{Schema: TrySchema, Program: "solver", Processes: 2, Command: []string{"mpirun", "-np", "2", "./solver"}, With: "OMPI_MCA_osc=sm", AB: gained().AB}
}

func TestWhatIsTriedIsVariablesAndOptionsOfTheLauncher(t *testing.T) {
	s := must.Get(settingOf(strings.Fields("OMPI_MCA_osc=sm UCX_TLS=tcp --bind-to none LD_PRELOAD=x.so")))(t)
	should.Equal(t, s, Setting{Env: map[string]string{"OMPI_MCA_osc": "sm", "UCX_TLS": "tcp"},
		Ranks: map[string]string{"UCX_TLS": "tcp", "LD_PRELOAD": "x.so"}, Options: []string{"--bind-to", "none"}})
	should.Equal(t, s.written(), "LD_PRELOAD=x.so OMPI_MCA_osc=sm UCX_TLS=tcp --bind-to none")
	for _, words := range []string{"", "none", "PGMPI_APPLY=x", "=x", "A=1 B"} {
		_, err := settingOf(strings.Fields(words))
		should.Fail(t, err, "--with")
	}
}

// The script leaves what it was started with in the file "seen".
func TestASettingIsTriedOnAProgramWithoutAProfile(t *testing.T) {
	p := scripted(t, calling+`echo "x$A $*" >>seen; test -e out && exit 1; echo >out`)
	p.Profiled, p.Before = nil, []string{"rm", "-f", "out"}
	s := must.Get(settingOf([]string{"A=1", "--fast"}))(t)
	must.Get(p.AB(context.Background(), LeastPairs, s, func(string) {}))(t)
	seen := string(must.Get(os.ReadFile("seen"))(t))
	should.Equal(t, strings.Count(seen, "x1 --fast\n"), LeastPairs+1)
	should.Equal(t, strings.Count(seen, "x \n"), LeastPairs+1)
	should.Hold(t, p.Profiled.Program == "app" && p.Profiled.Processes == 2, "%+v", p.Profiled)

	p = scripted(t, calling)
	p.Before = []string{"false"}
	err := p.compared()
	should.Fail(t, err, "--before: false")
	should.Hold(t, fail.Is[*fail.Setup](err), "%T", err)

	p = scripted(t, `n=$(wc -l <n 2>/dev/null || echo 0); echo >>n; echo "2 $((n * 60)) app" >"$PGMPI_CALLED"`)
	p.Profiled = nil
	should.Fail(t, p.compared(), "run 2 of 14: its ranks called 60 collectives")
	p = scripted(t, "true")
	p.Profiled = nil
	should.Fail(t, p.compared(), "did not come to MPI_Finalize")
}

func TestASettingInAFolderIsTriedAsItIsUsed(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(dir, "env.sh"), []byte("export OMPI_MCA_coll_tuned_bcast_algorithm='2'\nexport MALLOC_TRIM_THRESHOLD_='9'\n"), 0o666))
	s := must.Get(settingIn(dir, ""))(t)
	should.Equal(t, s.written(), "MALLOC_TRIM_THRESHOLD_=9 OMPI_MCA_coll_tuned_bcast_algorithm=2")
	should.Equal(t, s.Ranks, map[string]string{"MALLOC_TRIM_THRESHOLD_": "9"})
	_, err := settingIn(filepath.Join(dir, "none"), "")
	should.Fail(t, err, "none")
}

func TestWhatIsTriedIsFasterSlowerOrNeither(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		says   string
		code   bool
	}{{1.1, 1.3, "solver gains 16.7 % [9.1, 23.1] of its run-time with OMPI_MCA_osc=sm.", true},
		{.9, 1.3, "No gain is shown for solver with OMPI_MCA_osc=sm: 16.7 % [-11.1, 23.1] of its run-time. Up to 23.1 % is not excluded", false},
		{.7, .9, "solver is SLOWER with OMPI_MCA_osc=sm", false}} {
		r := tried()
		r.AB = &ProgramAB{WithoutS: []float64{6, 6}, WithS: []float64{5, 5}, Ratio: 1.2, RatioLo: c.lo, RatioHi: c.hi}
		d := tries.Document(r)
		should.Contain(t, d.Sections[0].Text[0].Text, c.says)
		should.Equal(t, d.Exit == nil, c.code)
		g := gained()
		g.Under, g.AB = "c/apply", r.AB
		should.Contain(t, gainSeen(g, g.AB), "With c/apply: seen: 16.7 %")
	}
}
