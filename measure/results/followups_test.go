package results

import (
	"os"
	"path/filepath"
	"testing"

	"pgmpi/measure/protocol"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func manifestOf(t *testing.T, followUps string) (*Manifest, error) {
	t.Helper()
	f := &Folder{Path: t.TempDir()}
	text := `{"schema":"` + ManifestSchema + `","mpiruns":1,"plan":{"cases":[{},{}],"tests":[{"case":0,"others":[1]}]},` + followUps + `}`
	must.Do(t, os.WriteFile(filepath.Join(f.Path, manifestName), []byte(text), 0o666))
	return f.Manifest()
}

func TestFollowUpsAreReadFromWhereOlderVersionsWroteThem(t *testing.T) {
	const comparison = `[{"test":0,"case":0,"part":1,"calls":4}]`
	want := []Comparison{{Test: 0, Case: 0, Part: 1, Calls: 4}}
	now := must.Get(manifestOf(t, `"follow_ups":{"malloc":{"mpiruns":3,"malloc":"settled","comparisons":`+comparison+`}}`))(t)
	old := must.Get(manifestOf(t, `"split":null,"malloc":{"mpiruns":3,"malloc":"settled","follow_ups":`+comparison+`}`))(t)
	should.Equal(t, now.FollowUps, old.FollowUps)
	should.Equal(t, old.Following(protocol.ModeMalloc), want)
	should.Equal(t, [3]int{old.Runs(protocol.ModeMalloc), old.Runs(protocol.ModeSplit), old.Runs(protocol.ModeMeasure)}, [3]int{3, 0, 1})
	should.Equal(t, old.FollowUps[protocol.ModeMalloc].Malloc, "settled")
}

func TestFollowUpsOfNoModeAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		`"follow_ups":{"run":{"mpiruns":1}}`:            `follow-ups of "run", which measures none`,
		`"follow_ups":{"split":null}`:                   `follow-ups of "split"`,
		`"split":{"mpiruns":-1}`:                        "-1 mpiruns of split",
		`"split":{"follow_ups":[{"test":9,"calls":1}]}`: "leads outside of the plan",
		`"split":3`: "split: ",
	} {
		_, err := manifestOf(t, text)
		should.Fail(t, err, want, text)
	}
}
