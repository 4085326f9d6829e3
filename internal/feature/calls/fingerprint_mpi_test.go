package calls

import (
	"encoding/json"
	"testing"

	"pgmpi/testkit/mpirun"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// A fresh process's first sample is its first call, and nothing comes between the counted calls.
func TestAFreshProcessIsTimedFromItsFirstCallOn(t *testing.T) {
	t.Parallel()
	b := mpirun.New(t, mpirun.Libraries[0])
	s := b.Pgmpi("fingerprint", "--rank", b.Rank, "--guidelines", b.TOML("[nrep]\nfixed = 60\n"), "--np", "2", "--mpiruns", "3", "--fresh", "--counters", "messages,sent-bytes",
		"--out", b.Out, "--format", "json", "Allreduce:1Ki").Exits(t, 0)
	var f Fingerprint
	must.Do(t, json.Unmarshal([]byte(s.Stdout), &f))
	must.Hold(t, len(f.Counters) == 2 && f.Counters[0].Min != nil, "%+v", f)
	should.Hold(t, len(f.Runs) == 3 && len(f.Runs[0].NS) == 60 && f.Reading == nil, "%+v, %+v", f.Runs, f.Reading)
	should.Hold(t, *f.Counters[0].Min >= 1 && *f.Counters[1].Min >= 1024, "%v messages, %v bytes", *f.Counters[0].Min, *f.Counters[1].Min)
}
