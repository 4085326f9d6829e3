package experiment_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/experiment"
	"pgmpi/internal/fail"
	"pgmpi/internal/tuning"
	"pgmpi/measure"
	"pgmpi/testkit/bed"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

const rulesVariable = "OMPI_MCA_coll_tuned_dynamic_rules_filename"

// settingFolder is a folder with an env.sh; FOLDER in it stands for its path.
func settingFolder(t *testing.T, env map[string]string, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, value := range env {
		env[name] = strings.ReplaceAll(value, "FOLDER", folder)
	}
	text := must.Get(tuning.EnvSh(env, nil))(t)
	for name, content := range files {
		must.Do(t, os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600))
	}
	must.Do(t, os.WriteFile(filepath.Join(folder, tuning.EnvFile), text, 0o600))
	return folder
}

func TestCheckRunsUnderTheVariablesOfASetting(t *testing.T) {
	rules := "1\n7\n1\n0\n1\n0 0 0 0\n"
	folder := settingFolder(t, map[string]string{"MALLOC_TRIM_THRESHOLD_": "1000000000", rulesVariable: "FOLDER/openmpi.rules"},
		map[string]string{"openmpi.rules": rules})
	f := glfile.Default()
	f.MPI.Env = map[string]string{"A": "1", "MALLOC_TRIM_THRESHOLD_": "1000000000"}
	mine := f.MPI.Env
	f.MPI.Under = folder
	for range 2 { // once more when it is resumed
		must.Do(t, experiment.Under(&f))
	}
	want := map[string]string{"A": "1", "MALLOC_TRIM_THRESHOLD_": "1000000000", rulesVariable: filepath.Join(folder, "openmpi.rules")}
	should.Equal(t, f.MPI.Env, want, "mpi.env")
	should.Equal(t, len(mine), 2, "the map of the configuration was changed in place: others may hold it")
}

// how-to-gain tells people to source env.sh: a check in that shell would measure the setting, and say nothing.
func TestWhatTheShellPutsBeforeTheLibraryIsRefusedUnlessItIsNamed(t *testing.T) {
	for _, set := range [][2]string{{"PGMPI_APPLY", "/rules"}, {"PGMPI_PROFILE", "/prof"}, {"OMPI_MCA_mca_base_env_list", "LD_PRELOAD=/l.so;PGMPI_APPLY=/rules"}} {
		t.Run(set[0], func(t *testing.T) {
			t.Setenv(set[0], set[1])
			b := bed.New(t)
			config := b.Config(bed.Quick)
			_, err := b.New(experiment.Check, config, b.Out)
			var setup *fail.Setup
			should.Hold(t, errors.As(err, &setup) && strings.Contains(err.Error(), "--under"), "%v", err)
			_, err = measure.FindRanks(config.MPI, b.Fake.Start)
			should.Fail(t, err, "is set in this shell", "what is not a check")
			config = b.Config(bed.Quick)
			config.MPI.Env = map[string]string{"PGMPI_APPLY": "/rules", "PGMPI_PROFILE": ""}
			c := must.Get(b.New(experiment.Check, config, b.Out))(t)
			should.Hold(t, c.Manifest.Factors.Env[set[0]] == set[1] && c.Manifest.Factors.LooksAt("LD_PRELOAD"), "%+v", c.Manifest.Factors)
			should.Equal(t, len(b.Fake.Jobs()), 0, "mpiruns")
		})
	}
}

func TestSettingThatCouldNotBeInForceIsRefused(t *testing.T) {
	for _, c := range []struct {
		name       string
		env, files map[string]string
		want       string
	}{
		{"a file that is not there", map[string]string{rulesVariable: "FOLDER/absent.rules"}, nil, "absent.rules, which is not there"},
		{"a relative path", map[string]string{rulesVariable: "openmpi.rules"}, nil, `"openmpi.rules", which is no absolute path`},
		{"a damaged file", map[string]string{rulesVariable: "FOLDER/bad.rules"}, map[string]string{"bad.rules": "1\nx\n"}, "bad.rules:2"},
		{"nothing set", map[string]string{}, nil, "sets no variable"},
		{"code for the ranks", map[string]string{"LD_PRELOAD": "FOLDER/evil.so"}, nil, "sets LD_PRELOAD, which no remedy writes"},
		{"a launcher's helper", map[string]string{"OMPI_MCA_plm_rsh_agent": "FOLDER/evil"}, nil, "if you trust it, set it in mpi.env"},
		{"another value in mpi.env", map[string]string{"A": "2"}, nil, `sets A to "2", and mpi.env sets it to "1"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := glfile.Default()
			f.MPI.Env = map[string]string{"A": "1"}
			f.MPI.Under = settingFolder(t, c.env, c.files)
			should.Fail(t, experiment.Under(&f), c.want)
		})
	}
	f := glfile.Default()
	f.MPI.Under = t.TempDir()
	should.Fail(t, experiment.Under(&f), "env.sh", "a folder without an env.sh")
}

func TestMockupsOfApplyAreASetting(t *testing.T) {
	rank := filepath.Join(t.TempDir(), "rank")
	must.Do(t, os.WriteFile(rank, []byte("#!/bin/sh\n"), 0o777))
	must.Do(t, os.WriteFile(rank+"-preload.so", nil, 0o666))
	f := glfile.Default()
	f.MPI.Rank = rank
	f.MPI.Under = settingFolder(t, map[string]string{"LD_PRELOAD": rank + "-preload.so", "PGMPI_APPLY": "FOLDER/mockups.txt"}, nil)
	t.Setenv(tuning.Preload, "/their.so")
	must.Do(t, experiment.Under(&f))
	should.Equal(t, f.MPI.Env[tuning.Preload], rank+"-preload.so:/their.so", "what the ranks load")
	f.MPI.Env, f.MPI.Rank = nil, rank+"-of-another-library"
	should.Fail(t, experiment.Under(&f), "LD_PRELOAD, which no remedy writes", "code that is not of its rank program")
}
