package experiment

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/fail"
	"pgmpi/internal/regular"
	"pgmpi/internal/tuning"
	"pgmpi/internal/untimed"
	"pgmpi/measure/launch"
)

const largestEnv = 1 << 20

// Under puts the variables of the setting that mpi.under names into mpi.env. There they are
// recorded and compared like all others. A file that a variable names must be there, by an absolute
// path: a library ignores one that it does not find. An error names the file.
func Under(config *glfile.File) error {
	if config.MPI.Under == "" {
		return nil
	}
	folder, err := filepath.Abs(config.MPI.Under)
	if err != nil {
		return fail.AsSetup(err)
	}
	path := filepath.Join(folder, tuning.EnvFile)
	env, err := readSetting(path)
	if err != nil {
		return fail.Setupf("mpi.under: %w; it wants a folder with the %s of a setting", err, tuning.EnvFile)
	}
	all := maps.Clone(config.MPI.Env)
	if all == nil {
		all = map[string]string{}
	}
	for _, name := range slices.Sorted(maps.Keys(env)) {
		there, twice := all[name]
		if !twice && !tuning.Steers(name, env[name]) && !applied(config.MPI.Rank, name, env[name]) {
			return fail.Setupf("mpi.under: %s sets %s, which no remedy writes, and which may run code in the ranks: if you trust it, set it in mpi.env too", path, name)
		}
		if twice && there != env[name] {
			return fail.Setupf("mpi.under: %s sets %s to %q, and mpi.env sets it to %q: leave one of them out", path, name, env[name], there)
		}
		if all[name] = env[name]; name == tuning.Preload && !twice {
			all[name] = tuning.Loading(env[name])
		}
	}
	config.MPI.Env, config.MPI.Under = all, folder
	return nil
}

// applied tells whether a variable belongs to mock-ups that `pgmpi apply` wrote. They are for the
// rank program's library.
func applied(rank, name, value string) bool {
	if name != tuning.Preload {
		return name == "PGMPI_APPLY"
	}
	library, err := launch.FindPreload(rank)
	return err == nil && value == library
}

func readSetting(path string) (map[string]string, error) {
	text, err := regular.Read(path, largestEnv)
	if err != nil {
		return nil, err
	}
	env, err := tuning.ReadEnv(path, text)
	if err != nil {
		return nil, err
	}
	if len(env) == 0 {
		return nil, fmt.Errorf("%s sets no variable", path)
	}
	for _, f := range untimed.SettingFiles {
		named, there := env[f.Variable]
		switch {
		case !there:
			continue
		case !filepath.IsAbs(named):
			return nil, fmt.Errorf("%s: %s names %q, which is no absolute path: ranks may start in another folder", path, f.Variable, named)
		}
		if _, _, err := untimed.RulesOf(env, f.Variable, f.Writer); os.IsNotExist(err) {
			return nil, fmt.Errorf("%s: %s names %s, which is not there: the library would run without it", path, f.Variable, named)
		} else if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", path, f.Variable, err)
		}
	}
	return env, nil
}
