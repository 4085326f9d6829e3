package document

import "pgmpi/internal/lists"

// Outcomes holds what programs that show tests want: one outcome for each planned test.
type Outcomes struct {
	Answer  string  // the first line of the document
	Facts   []Label // of all
	Created string  // RFC 3339, or "" if not known
	Host    string
	Suites  []Suite
}

type Suite struct {
	Name     string
	Outcomes []Outcome
}

// Outcome says what became of one test. Class and Name tell it from all others, and stay the same
// from night to night.
type Outcome struct {
	Class, Name string
	Result      Result
	Why         string   // a word: the verdict, or the state of the gate
	Title       string   // what failed, in a few words
	Text        string   // a sentence
	Details     []Label  // numbers
	Seconds     *float64 // that it took; nil if unknown
	Ratio       float64  // how many times slower it is, or 0 if not known
}

// Result says how a test ended, in the words of test programs.
type Result int

const (
	Passed Result = iota
	Failed
	Skipped // nothing was shown, or it is known
	Errored // not made: its data were wrong, or it did not return
)

// Add adds an outcome to the suite of a name; every text of it goes on one line.
func (o *Outcomes) Add(suite string, x Outcome) {
	x.Class, x.Title, x.Text = OneLine(x.Class), OneLine(x.Title), OneLine(x.Text)
	for i := range x.Details {
		x.Details[i].Value = OneLine(x.Details[i].Value)
	}
	suite = OneLine(suite)
	into := lists.FirstOrNew(&o.Suites, func(s Suite) bool { return s.Name == suite }, Suite{Name: suite})
	into.Outcomes = append(into.Outcomes, x)
}

func (o *Outcomes) Fact(name, value string) {
	if value != "" {
		o.Facts = append(o.Facts, Label{name, OneLine(value)})
	}
}
