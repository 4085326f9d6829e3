package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"pgmpi/internal/document"
	"pgmpi/internal/lists"
	"pgmpi/testkit/kinds"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

const ofFeatures = "internal/feature"

// documentsOf returns the kinds of documents below a folder of the repository, or none where no feature is built.
func documentsOf(t *testing.T, folder string) []kinds.Kind {
	if len(features) == 0 && folder == ofFeatures {
		return nil
	}
	all := kinds.Below(t, filepath.Join("../..", folder))
	must.Hold(t, len(all) > 0, "no kind of document was found in %s", folder)
	return all
}

func TestWhatProgramsReadAsJSONIsListedForItsSchema(t *testing.T) {
	listed := lists.Map(documents(), func(d document.Forms) string { return d.FileIn(document.JSON) })
	for _, k := range slices.Concat(documentsOf(t, "analyze/report"), documentsOf(t, ofFeatures)) {
		should.Hold(t, !k.JSON || slices.Contains(listed, k.Name+".json"),
			"%s: documents() of door.go, or Documents of the feature, lacks %s", k.Path, k.Variable)
	}
}

// withoutExample has the documents of features that documents.Check does not see, and what shows them.
var withoutExample = map[string]string{
	"figures": "its scripts and FuzzFolder",
	"needs":   "gain has the same sections, and internal/feature/app tests what is left of them",
}

// An example gives a document its golden files, and texts of others; kinds_test.go of analyze/report asks the core's.
func TestEveryDocumentOfAFeatureHasAnExampleAndALineOfThePage(t *testing.T) {
	var docs []byte
	for _, page := range kinds.Pages {
		docs = append(docs, must.Get(os.ReadFile("../../docs/"+page))(t)...)
	}
	for _, k := range documentsOf(t, ofFeatures) {
		shown := false
		for _, file := range must.Get(filepath.Glob(filepath.Join(filepath.Dir(k.Path), "*_test.go")))(t) {
			text := must.Get(os.ReadFile(file))(t)
			shown = shown || regexp.MustCompile(`documents\.Of\(`+k.Variable+`\b`).Match(text)
		}
		should.Hold(t, shown != (withoutExample[k.Name] != ""), "%s: %s wants an example in documents.Check, or a reason in withoutExample", k.Path, k.Variable)
		should.Hold(t, k.Told(docs), "%s: neither docs/results-format.md nor docs/dev/results-folder.md has a line about %s", k.Path, k.Name)
	}
}
