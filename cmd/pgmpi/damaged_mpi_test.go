package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgmpi/testkit/mpirun"
	"pgmpi/testkit/must"
)

func TestDamagedRawFileIsRefusedAndMeasuredAgain(t *testing.T) {
	t.Parallel()
	b := newFixture(t, mpirun.Libraries[1])
	gl := b.TOML(quick)
	b.Check("--guidelines", gl).Exits(t, 0, 1)
	const name = "run-p2-02.tsv.gz"
	path := filepath.Join(b.Out, "raw", name)
	whole := must.Get(os.ReadFile(path))(t)
	other := *b
	other.Out = filepath.Join(b.Dir, "other")
	other.Check("--guidelines", b.TOML(strings.Replace(quick, `"1Ki"`, `"2Ki"`, 1))).Exits(t, 0, 1)
	foreign := must.Get(os.ReadFile(filepath.Join(other.Out, "raw", name)))(t)
	first := must.Get(os.ReadFile(filepath.Join(b.Out, "raw", "run-p2-01.tsv.gz")))(t)
	b.TOML(quick)
	for _, c := range []struct {
		what string
		text []byte
	}{
		{"a bit flipped in the middle", flipped(whole, len(whole)/2)},
		{"a bit flipped in the checksum", flipped(whole, len(whole)-6)},
		{"a bit flipped at the start", flipped(whole, 0)},
		{"cut off", whole[:len(whole)-9]},
		{"empty", nil},
		{"of another plan", foreign},
		{"another mpirun's", first},
	} {
		t.Run(c.what, func(t *testing.T) {
			must.Do(t, os.WriteFile(path, c.text, 0o666))
			for _, s := range []mpirun.Said{b.Pgmpi("analyze", b.Out), b.Check("--resume", "--guidelines", gl)} {
				s.Exits(t, 3).Says(t, name, "move it away", "--resume")
			}
		})
	}
	must.Do(t, os.Remove(path))
	b.goesOn(gl, 3)
}

func flipped(text []byte, at int) []byte {
	out := bytes.Clone(text)
	out[at] ^= 1 << 3
	return out
}
