package remedy

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pgmpi/internal/conf"
	"pgmpi/internal/fail"
	"pgmpi/internal/feature/remedy/under"
	"pgmpi/internal/tuning"
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
		text, err := under.TOML(x.Config, p.env)
		if err == nil {
			r.Files = append(r.Files, SettingTOML)
			err = errors.Join(writeFile(r.Folder, SettingTOML, text), writeFile(r.Folder, f.Name, f.Content))
		}
		if err != nil {
			return err
		}
	}
	slices.Sort(r.Files)
	for _, name := range append(slices.Clone(tuning.AllFiles), SettingTOML) {
		if slices.Contains(r.Files, name) {
			continue
		}
		if err := os.Remove(filepath.Join(r.Folder, name)); err != nil && !os.IsNotExist(err) {
			return fail.AsSetup(err)
		}
	}
	return nil
}

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
