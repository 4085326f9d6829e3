package document

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pgmpi/internal/clean"
	"pgmpi/internal/conf"
	"pgmpi/internal/fail"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
	"pgmpi/internal/picture"
)

type Kind[T any] struct {
	Name     string              // of its files, without the ending
	Sections func(*T) []Section  // for people
	Parts    []Part[T]           // in place of Sections, where not all pages have the same
	Rows     func(*T) [][]string // for spreadsheets, the head first, new columns at its end; may be nil
	JSON     bool                // whether the T itself, as JSON, is for programs
	// NotJudged returns why nothing could be judged, or "". Then the document begins with that, and the command
	// ends so unless Exit has more to say.
	NotJudged func(*T) string
	// Exit returns the error of the command that has shown it, if any.
	Exit func(*T) error
	// Ending returns the reason of the exit code, and the next commands; may be nil. folder is "" if
	// none is kept.
	Ending func(t *T, folder string) Ending
	// For programs of others, each nil where a document has none.
	Outcomes func(*T) *Outcomes
	Metrics  func(*T) []Metric
	Source   func(*T) []Label // labels of all metrics: two libraries or hosts can stand together
	Plotted  func(*T) string  // columns that sites' scripts plot
	Comment  bool             // whether it is for pull requests
}

// On says on which pages sections stand.
type On int

const (
	Screen     On = 1 << iota // what is shown first, unless all is asked for
	Printed                   // a text that has all
	Pictured                  // a page with pictures
	Full       = Printed | Pictured
	Everywhere = Screen | Full
)

// Part makes sections that stand one after the other on some pages.
type Part[T any] struct {
	on   On
	make []func(*T) []Section
}

func Show[T any](on On, make ...func(*T) []Section) Part[T] { return Part[T]{on, make} }

// Document holds what one command prints, in every form that it has.
type Document struct {
	Name     string
	Sections []Section
	Rows     [][]string
	Value    any
	Outcomes *Outcomes
	Metrics  []Metric
	Plotted  string
	Exit     error // of the command that has shown it
	Page     Page
	Line     string // the command line that was given, which is not offered again
	ending   func(folder string) Ending
	screen   []Section // nil where it is the full text
	Pictured []Section
}

type Label struct{ Name, Value string }

// Ending says with what a command ends, below its document.
type Ending struct {
	Why  string  // reason of the exit code
	Next []Label // commands to run
}

// Section holds a part of a document. One without a title continues the one before it.
type Section struct {
	Title string
	Tone  picture.Tone // of the title
	Text  []Text
	Table *Table
	Notes []string // paragraphs below the table
	// Figures replace Drawings on pages with pictures.
	Figures []picture.Figure
	Heat    *picture.HeatMap
	Folded  bool // until the reader opens it
	Dense   bool // whether texts put the title into the head of the table, and draw no line below it
}

type Text struct {
	Style Style
	Name  string // of a Fact or Command; of Verbatim too where it has one
	Text  string
	Words []string                 // of a Command
	Draw  func(width int) []string // of a Drawing: its lines, for a page of this width
}

type Style int

const (
	Paragraph Style = iota
	Item            // of a list
	Fact            // next to its name; without one it belongs to the fact before it
	Verbatim        // lines as they are
	Command         // to copy: words stay whole, and a line that continues ends in a backslash
	Drawing
)

// Table has cells for people; programs read the Rows or the Value of the document.
type Table struct {
	Head  []string
	Rows  [][]string
	Align string // a letter per column: l or r
	// Flex names the column whose cells are broken if the table is too wide.
	Flex int
	// Yields lists columns that are broken before, but only between words and after the last _ of a name.
	Yields []int
	Narrow bool // many small columns
	// Spare lists columns that a text leaves out of a wide table, in this order.
	Spare []int
	Whole bool // whether spare columns go before cells are broken
	// Key counts the columns that begin every part of a table that is too wide. With 0 the table is
	// not parted.
	Key int
	// Grouped tells that texts show the first column above the rows that share it.
	Grouped bool
	Tone    func(row []string, column int) picture.Tone // of a cell; may be nil
	// Factors are pictures in the column Factor of pages, one for each row. Lines are at 1 and at Limit.
	Factor  int
	Factors []Factor
	Limit   float64
}

// Factor holds how many times as large something is, and the interval of that; Lo and Hi are 0 without one.
type Factor struct{ Ratio, Lo, Hi float64 }

func ToneOf(columns map[int]picture.Tone) func([]string, int) picture.Tone {
	return func(_ []string, column int) picture.Tone { return columns[column] }
}

// Columns adds columns that are all aligned to the left (l) or right (r).
func (t *Table) Columns(align string, names ...string) {
	t.Head, t.Align = append(t.Head, names...), t.Align+strings.Repeat(align, len(names))
}

func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

func (t *Table) Drop(column int) {
	t.Head, t.Align = slices.Delete(t.Head, column, column+1), t.Align[:column]+t.Align[column+1:]
	for i := range t.Rows {
		t.Rows[i] = slices.Delete(t.Rows[i], column, column+1)
	}
}

func Titled(format string, args ...any) Section { return Section{Title: fmt.Sprintf(format, args...)} }

func (s *Section) Note(format string, args ...any) {
	s.Notes = append(s.Notes, fmt.Sprintf(format, args...))
}

func (s *Section) Say(format string, args ...any) {
	s.Text = append(s.Text, Text{Text: fmt.Sprintf(format, args...)})
}

func (s *Section) Item(format string, args ...any) {
	s.Text = append(s.Text, Text{Style: Item, Text: fmt.Sprintf(format, args...)})
}

func (s *Section) Fact(name, format string, args ...any) {
	s.Text = append(s.Text, Text{Style: Fact, Name: name, Text: fmt.Sprintf(format, args...)})
}

func (s *Section) Facts(name string, texts []string) {
	for _, text := range texts {
		s.Fact(name, "%s", text)
		name = ""
	}
}

func (s *Section) Lines(lines ...string) {
	s.Text = append(s.Text, Text{Style: Verbatim, Text: strings.Join(lists.Map(lines, clean.Line), "\n")})
}

func (s *Section) Command(name string, words []string) {
	s.Text = append(s.Text, Text{Style: Command, Name: name, Words: words})
}

// Draw adds figures, which pages show as pictures, and texts in characters.
func (s *Section) Draw(figures ...picture.Figure) {
	s.Figures = append(s.Figures, figures...)
	s.Text = append(s.Text, Text{Style: Drawing, Draw: func(width int) (lines []string) {
		for i := range figures {
			if i > 0 {
				lines = append(lines, "")
			}
			lines = append(lines, figures[i].Lines(width)...)
		}
		return lines
	}})
}

func (k Kind[T]) Document(t *T) *Document {
	d := &Document{Name: k.Name, Sections: k.page(Printed, t), screen: k.page(Screen, t), Pictured: k.page(Pictured, t),
		Rows: made(k.Rows, t), Exit: made(k.Exit, t), Outcomes: made(k.Outcomes, t), Metrics: made(k.Metrics, t),
		Plotted: made(k.Plotted, t)}
	for _, m := range d.Metrics {
		for i := range m.Values {
			m.Values[i].Labels = append(m.Values[i].Labels, made(k.Source, t)...)
		}
	}
	if why := made(k.NotJudged, t); why != "" {
		d.Exit = cmp.Or(d.Exit, error(&fail.Refused{Reason: why}))
		for _, sections := range [][]Section{d.Sections, d.screen, d.Pictured} {
			if len(sections) > 0 {
				sections[0].begin(fail.NotJudged(why) + ".")
			}
		}
	}
	if d.Pictured == nil {
		d.Pictured = d.Sections
	}
	for _, sections := range [][]Section{d.Sections, d.screen, d.Pictured} {
		rewrite(sections)
	}
	for i, row := range d.Rows {
		d.Rows[i] = lists.Map(row, clean.Line)
	}
	if k.JSON {
		d.Value = t
	}
	d.ending = func(folder string) Ending {
		if k.Ending == nil {
			return Ending{}
		}
		return k.Ending(t, folder)
	}
	return d
}

// page returns the sections of a page, or nil where it is the full text.
func (k Kind[T]) page(on On, t *T) (out []Section) {
	own := slices.ContainsFunc(k.Parts, func(p Part[T]) bool { return (p.on&on == 0) != (p.on&Printed == 0) })
	switch {
	case on != Printed && !own:
		return nil
	case k.Parts == nil:
		return k.Sections(t)
	}
	out = []Section{}
	for _, p := range k.Parts {
		for _, make := range p.make {
			if p.on&on != 0 {
				out = append(out, make(t)...)
			}
		}
	}
	return out
}

// Bare makes a document without sections, which ends as the value's document does.
func (k Kind[T]) Bare(t *T) *Document {
	none := []Part[T]{Show[T](Screen), Show[T](Full)}
	return Kind[T]{Name: k.Name, Parts: none, NotJudged: k.NotJudged, Exit: k.Exit, Ending: k.Ending}.Document(t)
}

// Add puts sections to the end of the full document and of its page.
func (d *Document) Add(sections []Section) {
	rewrite(sections)
	d.Sections, d.Pictured = slices.Concat(d.Sections, sections), slices.Concat(d.Pictured, sections)
}

// Follow puts another document to the end of this one, of its screen and of the next commands.
func (d *Document) Follow(other *Document) {
	d.Add(other.Sections)
	if d.screen != nil {
		d.screen = slices.Concat(d.screen, other.Brief().Sections)
	}
	before := d.ending
	d.ending = func(folder string) Ending {
		e := before(folder)
		e.Next = slices.Concat(e.Next, other.ending(folder).Next)
		return e
	}
}

func rewrite(sections []Section) {
	for i := range sections {
		// Others have named libraries, hosts, functions and folders.
		sections[i].Rewrite(clean.Line, clean.Text, clean.TableCell)
	}
}

// MadeBy puts the command line of a document below the answer of its page.
func (d *Document) MadeBy(argv []string) {
	if len(argv) == 0 || len(d.Pictured) == 0 {
		return
	}
	d.Pictured = slices.Clone(d.Pictured)
	answer := &d.Pictured[0]
	answer.Text = slices.Clip(answer.Text)
	answer.Fact("Command", "%s", clean.Line(strings.Join(lists.Map(argv, conf.Quote), " ")))
}

// begin replaces the title by an answer, or puts it before the text.
func (s *Section) begin(answer string) {
	s.Tone = picture.Open
	switch {
	case s.Title != "":
		s.Title = answer
	case len(s.Text) == 0 || s.Text[0].Text != answer:
		s.Text = append([]Text{{Text: answer}}, s.Text...)
	}
}

func made[T, V any](make func(*T) V, t *T) (part V) {
	if make != nil {
		part = make(t)
	}
	return part
}

// OneLine returns a text on one line, with every character visible.
func OneLine(text string) string { return clean.Line(strings.Join(strings.Fields(text), " ")) }

// Brief returns the document with only those sections that are shown first.
func (d *Document) Brief() *Document {
	brief := *d
	if d.screen != nil {
		brief.Sections = d.screen
	}
	return &brief
}

// by gives commands that look at the folder again the settings of this look, which all has.
func (e Ending) by(all, folder string) Ending {
	const look = "pgmpi analyze "
	if !strings.HasPrefix(all, look) || !strings.Contains(all, " "+folder) || strings.Contains(all, " --explain") {
		return e
	}
	e.Next = lists.Map(e.Next, func(next Label) Label {
		if rest, is := strings.CutPrefix(next.Value, look+folder); is {
			next.Value = all + rest
		}
		return next
	})
	return e
}

// Ended lays out the end of a command: the exit code, what to run next in a results folder, and the
// paths of what was written, each alone on a line to be copied. all is the command that shows all
// sections, for a screen that did not.
func (d *Document) Ended(code int, all, folder string, written ...string) OwnLines {
	e := d.ending(conf.Folder(folder)).by(all, conf.Folder(folder))
	e.Next = slices.DeleteFunc(e.Next, func(next Label) bool { return next.Value == d.Line })
	lines := d.Page.Prose(fmt.Sprintf("Exit %d%s", code, phrase.When(e.Why != "", ": %s", e.Why)))
	if d.screen != nil && all != "" {
		e.Next = append(e.Next, Label{"All", all + " --full"})
	}
	lines = append(lines, lists.Map(e.Next, func(next Label) string { return fmt.Sprintf("%-10s%s", next.Name+":", next.Value) })...)
	for _, path := range written {
		if path = conf.Folder(path); path != "" {
			lines = append(lines, path)
		}
	}
	return lines
}

func Noteless(sections []Section) []Section {
	for i := range sections {
		sections[i].Notes = nil
	}
	return sections
}

func (t *Table) rewritten(line, cell func(string) string) *Table {
	if t == nil {
		return nil
	}
	out := *t
	out.Head, out.Rows = lists.Map(t.Head, line), lists.Map(t.Rows, func(row []string) []string { return lists.Map(row, cell) })
	return &out
}

// Rewrite puts every text of the section through a function: line for texts on one line, text for
// texts with lines, and cell for cells.
func (s *Section) Rewrite(line, text, cell func(string) string) {
	s.Title = line(s.Title)
	s.Text = slices.Clone(s.Text)
	for i, t := range s.Text {
		s.Text[i].Name, s.Text[i].Text, s.Text[i].Words = line(t.Name), text(t.Text), lists.Map(t.Words, line)
		if t.Draw != nil {
			s.Text[i].Draw = func(width int) []string { return lists.Map(t.Draw(width), line) }
		}
	}
	s.Table = s.Table.rewritten(line, cell)
	s.Notes = lists.Map(s.Notes, text)
	s.Figures = slices.Clone(s.Figures)
	for i := range s.Figures {
		s.Figures[i].Rewrite(line, cell)
	}
	if s.Heat != nil {
		s.Heat = s.Heat.Rewritten(line)
	}
}
