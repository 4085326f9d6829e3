package bisect

import (
	"encoding/json"
	"testing"

	"pgmpi/testkit/must"
)

// FuzzResult tries any bisect.json: unless it is refused it can be shown, and tells git only good, bad and skip.
func FuzzResult(f *testing.F) {
	for _, text := range []string{
		`{"steps":[{"commit":"0123456789abcdef0123456789abcdef01234567 subject","mark":"good"}],"cells":[{"function":"MPI_Bcast","msize":8,"shape":"p2","ratio":2}],"commits":3}`,
		`{"steps":[{"commit":"0123456789abcdef0123456789abcdef01234567","mark":"log"}]}`, `{"steps":[{"commit":"0","mark":"bad"}]}`, `{"cells":[{}]}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var r Result
		if json.Unmarshal(text, &r) != nil || r.check() != nil {
			return
		}
		must.Hold(t, r.String() != "", "an empty answer")
		for _, s := range r.Steps {
			must.Hold(t, s.Mark == Good || s.Mark == Bad || s.Mark == Skip, "git is told %q", s.Mark)
		}
	})
}
