package remedy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"pgmpi/internal/conf"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/fail"
	"pgmpi/internal/tuning"
	"pgmpi/measure"
	"pgmpi/measure/results"
)

func writeFile(folder, name string, content []byte) error {
	f := results.Folder{Path: folder}
	return fail.AsSetup(f.WriteText(name, string(content)))
}

// export writes the proved setting, if any, and the report. The setting of a remedy before stays until
// then, and is in force until env.sh is written.
func (x *mending) export(p setting) error {
	r := x.found
	proved := p.folder
	r.Env, r.Effects, r.Conformance, r.Mpiruns = map[string]string{}, p.inEffect, p.conformance, p.mpiruns
	if p.folder = r.Folder; len(p.choices) > 0 {
		if _, err := p.write(x.target); err != nil {
			return err
		}
		r.Env = p.env
	}
	for i := range r.Effects {
		r.Effects[i].Text = strings.ReplaceAll(r.Effects[i].Text, proved, p.folder)
	}
	if n := r.Believed(); n > 0 {
		x.note("of %d of %s it cannot be told whether it is in force, only that the setting as a whole helps", n, conf.Plural(len(r.Effects), "part"))
	}
	r.Exit = exitCode(r)
	if err := errors.Join(x.exportTOML(&p), x.exportTrades()); err != nil {
		return err
	}
	return x.writeDocument()
}

// exportTOML writes gl.toml and env.sh, and removes files of the setting before that lie next to them.
func (x *mending) exportTOML(p *setting) error {
	r := x.found
	for _, f := range p.files {
		r.Files = append(r.Files, f.Name)
		if f.Name != tuning.EnvFile {
			continue
		}
		text, err := x.toml(p.env)
		if err == nil {
			r.Files = append(r.Files, SettingTOML)
			err = errors.Join(writeFile(r.Folder, SettingTOML, text), writeFile(r.Folder, f.Name, f.Content))
		}
		if err != nil {
			return err
		}
	}
	slices.Sort(r.Files)
	for _, name := range []string{tuning.EnvFile, tuning.RulesFile, tuning.TreeFile, SettingTOML} {
		if slices.Contains(r.Files, name) {
			continue
		}
		if err := os.Remove(filepath.Join(r.Folder, name)); err != nil && !os.IsNotExist(err) {
			return fail.AsSetup(err)
		}
	}
	return nil
}

// toml returns the configuration of the check with the variables of a setting in mpi.env:
// the keys of its gl.toml, and those that its flags made different from the defaults.
func (x *mending) toml(env map[string]string) ([]byte, error) {
	all := map[string]any{}
	if _, err := toml.Decode(x.Config.Source, &all); err != nil {
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
	f, usual := *x.Config, glfile.Default()
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
	_, err := glfile.Parse(SettingTOML, b.Bytes())
	return b.Bytes(), fail.AsSetup(err)
}

// envKey is the only key whose value is a table.
const envKey = "mpi.env"

func (x *mending) writeDocument() (err error) {
	d := kind.Document(x.found)
	folder := results.Folder{Path: x.found.Folder}
	for name, format := range map[string]string{File: "json", results.Readme: "table"} {
		f, unknown := kind.Format(format)
		if unknown != nil {
			return unknown
		}
		err = errors.Join(err, folder.WriteFile(name, func(w io.Writer) error { return f.Write(w, d) }))
	}
	return fail.AsSetup(err)
}
