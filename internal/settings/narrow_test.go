package settings

import (
	"errors"
	"slices"
	"testing"

	"github.com/spf13/pflag"

	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/fail"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func loaded(t *testing.T, by Narrow, args ...string) (*Settings, *glfile.File, error) {
	t.Helper()
	var s Settings
	fs := pflag.NewFlagSet("check", pflag.ContinueOnError)
	s.Narrows(fs, by)
	s.Keys(fs, "np")
	must.Do(t, fs.Parse(args))
	f, err := s.Load(nil)
	return &s, f, err
}

func TestFlagsBeatWhatNarrowsUnlessItComesLast(t *testing.T) {
	for _, last := range []bool{false, true} {
		by := Narrow{Flag: "some", Last: last, Do: func(value string, f *glfile.File) (string, error) {
			should.Equal(t, value, "FILE")
			should.Equal(t, slices.Equal(f.Job.NP, []int{4}), last)
			f.Job.NP = []int{8}
			return "one call", nil
		}}
		s, f, err := loaded(t, by, "--np", "4", "--some", "FILE")
		must.Do(t, err)
		should.Equal(t, s.Note, "one call")
		should.Equal(t, slices.Equal(f.Job.NP, []int{8}), last)
	}
}

func TestWhatNarrowsEndsAsErrorOfSetup(t *testing.T) {
	by := Narrow{Flag: "some", Do: func(string, *glfile.File) (string, error) { return "", errors.New("no call") }}
	_, _, err := loaded(t, by, "--some", "FILE")
	should.Hold(t, fail.Is[*fail.Setup](err), "%v", err)
	s, _, err := loaded(t, by)
	must.Do(t, err)
	should.Equal(t, s.Note, "")
}
