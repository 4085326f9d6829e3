package report

import (
	"os"
	"testing"

	"pgmpi/testkit/kinds"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// shownElsewhere has the kinds of documents without an example here, and what shows them.
var shownElsewhere = map[string]string{
	"algorithms": "cmd/pgmpi's tests of list --algorithms",
	"list":       "cmd/pgmpi's golden files of list",
	"matrix":     "TestMatrix… of cmd/pgmpi and internal/experiment/run",
	"medians":    "medians.csv of every check",
	"plan":       "cmd/pgmpi's tests of dry runs in every format",
	"status":     "internal/experiment's tests of status",
}

// An example gives a kind its golden files, and hostile feeds every example with texts of others.
func TestEveryKindOfDocumentHasAnExample(t *testing.T) {
	var docs []byte
	for _, page := range kinds.Pages {
		text := must.Get(os.ReadFile("../../docs/" + page))(t)
		docs = append(docs, text...)
	}
	shown := map[string]bool{}
	for _, e := range examples(t) {
		shown[e.Document.Name] = true
	}
	all := kinds.Below(t, ".")
	must.Hold(t, len(all) >= 12, "%d kinds of documents were found", len(all))
	for _, k := range all {
		name := k.Name
		should.Hold(t, shown[name] != (shownElsewhere[name] != ""), "%s: kind %q wants either a line of examples() or a reason in shownElsewhere", k.Path, name)
		should.Hold(t, k.Told(docs),
			"%s: neither docs/results-format.md nor docs/dev/results-folder.md has a line about %s", k.Path, name)
	}
}
