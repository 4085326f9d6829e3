// Package under writes a configuration in which the variables of a setting are in mpi.env.
package under

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/BurntSushi/toml"

	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/fail"
	"pgmpi/measure"
)

// TOML returns the configuration of the check with the variables of a setting in mpi.env:
// the keys of its gl.toml, and those that its flags made different from the defaults.
func TOML(config *glfile.File, env map[string]string) ([]byte, error) {
	all := map[string]any{}
	if _, err := toml.Decode(config.Source, &all); err != nil {
		return nil, fail.AsSetup(err)
	}
	sectionOf := func(table string) map[string]any {
		section, there := all[table].(map[string]any)
		if !there {
			section = map[string]any{}
			all[table] = section
		}
		return section
	}
	f, usual := *config, glfile.Default()
	f.MPI.Under = "" // its variables are in mpi.env by now
	for _, k := range glfile.Keys() {
		text := k.TOML(&f)
		table, key, _ := strings.Cut(k.Name, ".")
		section, _ := all[table].(map[string]any)
		if _, given := section[key]; k.Name == envKey || text == k.TOML(&usual) && !given {
			continue
		}
		var one struct{ Value any }
		if _, err := toml.Decode("Value = "+text, &one); err != nil {
			return nil, fail.AsSetup(fmt.Errorf("%s: %w", k.Name, err))
		}
		sectionOf(table)[key] = one.Value
	}
	sectionOf("mpi")["env"] = measure.Env(f.MPI.Env, env)
	if list, ok := all["mockup"].([]map[string]any); ok { // their files are next to another gl.toml
		for i := range min(len(list), len(f.Mockup)) {
			list[i]["file"] = f.Mockup[i].File
		}
	}
	var b bytes.Buffer
	b.WriteString("# The configuration of the check that was mended, with the setting in mpi.env.\n")
	if err := toml.NewEncoder(&b).Encode(all); err != nil {
		return nil, fail.AsSetup(err)
	}
	_, err := glfile.Parse("gl.toml", b.Bytes())
	return b.Bytes(), fail.AsSetup(err)
}

// envKey is the only key whose value is a table.
const envKey = "mpi.env"
