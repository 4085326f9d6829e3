package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgmpi/internal/fixture/must"
)

func TestDamagedRawFileIsRefusedAndMeasuredAgain(t *testing.T) {
	t.Parallel()
	b := newFixture(t, libraries[1])
	gl := b.toml(quick)
	b.check("--guidelines", gl).exits(t, 0, 1)
	const name = "run-p2-02.tsv.gz"
	path := filepath.Join(b.out, "raw", name)
	whole := must.Get(os.ReadFile(path))(t)
	other := *b
	other.out = filepath.Join(b.dir, "other")
	other.check("--guidelines", b.toml(strings.Replace(quick, `"1Ki"`, `"2Ki"`, 1))).exits(t, 0, 1)
	foreign := must.Get(os.ReadFile(filepath.Join(other.out, "raw", name)))(t)
	first := must.Get(os.ReadFile(filepath.Join(b.out, "raw", "run-p2-01.tsv.gz")))(t)
	b.toml(quick)
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
			for _, s := range []said{b.pgmpi("analyze", b.out), b.check("--resume", "--guidelines", gl)} {
				s.exits(t, 3).says(t, name, "move it away", "--resume")
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
