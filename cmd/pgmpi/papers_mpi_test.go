package main

import (
	"encoding/json"
	"testing"

	"pgmpi/internal/feature/calls"
	"pgmpi/internal/fixture/must"
	"pgmpi/internal/fixture/should"
)

// The first sample of a fresh process is its first call, and nothing comes between the counted ones.
func TestAFreshProcessIsTimedFromItsFirstCallOn(t *testing.T) {
	t.Parallel()
	b := newFixture(t, libraries[0])
	s := b.pgmpi("fingerprint", "--rank", b.rank, "--guidelines", b.toml("[nrep]\nfixed = 60\n"), "--np", "2", "--mpiruns", "3", "--fresh", "--counters", "messages,sent-bytes",
		"--out", b.out, "--format", "json", "Allreduce:1Ki").exits(t, 0)
	var f calls.Fingerprint
	must.Do(t, json.Unmarshal([]byte(s.stdout), &f))
	must.Hold(t, len(f.Counters) == 2 && f.Counters[0].Min != nil, "%+v", f)
	should.Hold(t, len(f.Runs) == 3 && len(f.Runs[0].NS) == 60 && f.Reading == nil, "%+v, %+v", f.Runs, f.Reading)
	should.Hold(t, *f.Counters[0].Min >= 1 && *f.Counters[1].Min >= 1024, "%v messages, %v bytes", *f.Counters[0].Min, *f.Counters[1].Min)
}
