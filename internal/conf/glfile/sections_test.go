package glfile

import (
	"encoding/json"
	"strings"
	"testing"

	"pgmpi/internal/conf"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

type lunch struct {
	Dish  string   `json:"dish"`
	Seats int      `json:"seats"`
	With  []string `json:"with"`
}

// The rows are in another order than the fields, whose order JSON has.
var atLunch = &conf.SectionOf[lunch]{Name: "lunch", Measured: true, Rows: func(l *lunch) []conf.Key {
	return []conf.Key{
		{Field: conf.At(&l.Seats, 2, conf.Within(1, 8)), Text: "seats", Flag: "seats", Value: "N"},
		{Field: conf.OneOf(&l.Dish, "soup", "dish", []string{"soup", "salad"}), Text: "what there is"},
		{Field: conf.SomeOf(&l.With, []string{"bread"}, "side", "nothing beside it", []string{"bread", "rice"}), Text: "sides"},
	}
}}

// withSections registers sections for one test.
func withSections(t *testing.T, sections ...conf.Section) {
	before := registered
	t.Cleanup(func() { registered = before })
	registered = nil
	Register(sections...)
}

func TestASectionBringsKeysDefaultsLimitsAndFlags(t *testing.T) {
	withSections(t, atLunch)
	should.Contain(t, Template(), "\n[lunch]\n# Seats.\nseats = 2\n# What there is: soup, salad.\ndish = \"soup\"\n# Sides: bread, rice.\nwith = [\"bread\"]\n\n[batch]\n")
	f := must.Get(Parse("gl.toml", []byte(Template())))(t)
	must.Do(t, f.Validate(nil))
	sameSections(t, *f, Default())
	should.Equal(t, FlagKey("seats").Usage(f), "seats (default 2)")
	should.Equal(t, errorsOf("[lunch]\nseats = 9\ndish = \"sop\"\nwith = []\ndesert = 1\n"),
		"gl.toml:2:1: lunch.seats: must be from 1 to 8, not 9\n"+
			"gl.toml:3:1: unknown dish \"sop\" (did you mean soup?)\n"+
			"gl.toml:4:1: lunch.with: is empty: nothing beside it\n"+
			"gl.toml:5:1: unknown key \"desert\" (known: dish, seats, with)")
	should.Equal(t, errorsOf("[lunch]\nwith = [\"bread\", \"jam\"]\n"), "gl.toml:2:1: unknown side \"jam\" (known: bread, rice)")
	should.Equal(t, errorsOf("[lnch]\n"), `gl.toml:1:2: unknown section "lnch" (did you mean lunch?)`)
	should.Equal(t, errorsOf("[job]\nseats = 3\n"), `gl.toml:2:1: unknown key "seats": it belongs into [lunch]`)
}

func TestCopiesOfAFileKeepTheirSections(t *testing.T) {
	withSections(t, atLunch)
	f := Default()
	same := f
	must.Do(t, FlagKey("seats").Set(&f, "5"))
	should.Hold(t, Of(&f, atLunch).Seats == 5 && Of(&same, atLunch).Seats == 2, "%+v, %+v", Of(&f, atLunch), Of(&same, atLunch))
	Put(&same, atLunch, lunch{Seats: 7})
	other := Default()
	should.Hold(t, Of(&f, atLunch).Seats == 5 && Of(&same, atLunch).Seats == 7 && Of(&other, atLunch).Seats == 2, "%+v", Of(&f, atLunch))
	should.Equal(t, Of(&File{}, atLunch), Of(&other, atLunch))
}

// A manifest may come from a pgmpi with other features.
func TestSectionsOfAbsentFeaturesAreReadAndWrittenBack(t *testing.T) {
	withSections(t, atLunch)
	f := Default()
	Put(&f, atLunch, lunch{Dish: "<salad>", Seats: 3})
	text := string(must.Get(json.Marshal(f))(t))
	should.Hold(t, strings.HasSuffix(text, `},"lunch":{"dish":"\u003csalad\u003e","seats":3,"with":null}}`), "%s", text)

	read := func() *File {
		got := Default()
		must.Do(t, json.Unmarshal([]byte(text), &got))
		should.Equal(t, string(must.Get(json.Marshal(&got))(t)), text)
		return &got
	}
	should.Hold(t, Of(read(), atLunch).Seats == 3, "%s", text)
	registered = nil
	read()
	wrong := Default()
	must.Do(t, json.Unmarshal([]byte(`{"lunch":7,"batch":7}`), &wrong))
	should.Contain(t, string(must.Get(json.Marshal(wrong))(t)), `,"lunch":7}`)
	Register(atLunch)
	should.Fail(t, json.Unmarshal([]byte(`{"lunch":7}`), &wrong), "lunch: json: cannot unmarshal number")
}

func TestJSONHasTheSectionsInTheOrderOfTheStruct(t *testing.T) {
	withSections(t)
	f := must.Get(Parse("gl.toml", []byte(withExamples())))(t)
	type plain File
	should.Equal(t, string(must.Get(json.Marshal(f))(t)), string(must.Get(json.Marshal((*plain)(f)))(t)))
}

func TestNoTwoSectionsHaveOneName(t *testing.T) {
	withSections(t, atLunch, atLunch) // the same one again
	should.Hold(t, len(registered) == 1, "%d sections", len(registered))
	for _, name := range []string{"lunch", "job"} {
		func() {
			defer func() { should.Hold(t, recover() != nil, "a second [%s] is taken", name) }()
			Register(&conf.SectionOf[lunch]{Name: name})
		}()
	}
}
