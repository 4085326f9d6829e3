package document

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"math"
	"strings"

	"pgmpi/internal/picture"
)

var htmlFormat = Format{Name: "html", ext: "html", from: sections, ForBrowsers: true, Write: writeHTML}

//go:embed html.tmpl
var htmlTemplate string

//go:embed html.css
var css string

const (
	// At most mostNumbers columns of a table may be numbers. The first mostToned may have a tone.
	mostNumbers = 24
	mostToned   = 8
	mostListed  = 100 // rows that a phone shows as a list; more scroll next to their first column
)

var HtmlStyle = picture.Style() + strings.ReplaceAll(css, "\t", "") + columnRules("r", mostNumbers, "tr > *", "text-align: right") + columnRules("slow", mostToned, "td", "color: var(--slow)") +
	columnRules("possible", mostToned, "td", "color: var(--possible)") + columnRules("open", mostToned, "td", "color: var(--open)")

// columnRules styles columns of tables. A class of the table that names a column is shorter than a
// class in each of its cells.
func columnRules(class string, columns int, cell, rule string) string {
	var out []string
	for i := range columns {
		out = append(out, fmt.Sprintf(".%s%d %s:nth-child(%d)", class, i+1, strings.TrimSuffix(cell, "*"), i+1))
	}
	return strings.Join(out, ",\n") + " { " + rule + "; }\n"
}

// stylePolicy lets the page have this style and nothing else: no script, nothing from elsewhere.
var stylePolicy = func() string {
	sum := sha256.Sum256([]byte(HtmlStyle))
	return "default-src 'none'; img-src data:; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}()

// htmlPage escapes everything that is not in the template itself, by html/template, for its place.
var htmlPage = template.Must(template.New("page").Funcs(template.FuncMap{
	"style": func() template.HTML { return template.HTML("<style>" + HtmlStyle + "</style>") },
	"heat":  picture.HeatClass,
	"mark":  mark,
	"star":  func(sign string) bool { return sign == "★" }, // the style writes it: an element for each would be a third of a heat map
}).Parse(htmlTemplate))

// mark returns the class of a cell by its word, which may go on: "violated at 2 of 7 sizes".
func mark(word string) string {
	word, _, _ = strings.Cut(word, " at ")
	return marked[word]
}

// marked holds the classes of cells of a heat map that ask for attention.
var marked = map[string]string{"violated": "sure", "wrong": "sure", "undecided": "unsure", "suspected": "unsure", "slower": "sure", "slightly slower": "unsure", "faster": "unsure", "slightly faster": "unsure"}

type htmlDocument struct {
	Kind, Title, Policy string
	Hero                *htmlSection // a heat map right below the title
	Answer              htmlSection
	Groups              []htmlGroup
}

// htmlGroup holds a part of the page with its heading; its sections but the first have headings
// below it.
type htmlGroup struct {
	ID, Title string
	Folded    bool
	Sections  []htmlSection
}

// Short returns the title up to where it explains itself.
func (g htmlGroup) Short() string {
	if at := strings.IndexAny(g.Title, ":;"); at > 0 {
		return g.Title[:at]
	}
	return g.Title
}

type htmlSection struct {
	Heading string // below the group's
	Tone    string
	Blocks  []htmlBlock
	Heat    *picture.HeatMap
	Table   *htmlTable
	Figures []htmlFigure
	Notes   []string
}

// htmlBlock holds a run of texts of one kind, in one of its fields.
type htmlBlock struct {
	Paragraph string
	Items     []string
	Facts     []htmlFact
	Name, Pre string
}

type htmlFact struct {
	Name  string
	Texts []string
}

type htmlTable struct {
	Name  string
	Class string // says which columns are numbers, and whether the last is text
	Head  []htmlCell
	Rows  [][]htmlCell
}

type htmlCell struct {
	Text, Class string
	Heads       bool    // its row or column
	Head        string  // of the column, for a list instead of the table
	Forest      *forest // the factor as a picture before it
}

type htmlFigure struct {
	*picture.Figure
	Drawing picture.SVG
	Legend  []picture.Key
	Numbers *htmlTable
}

var toneClasses = map[picture.Tone]string{picture.Slow: "slow", picture.Possible: "possible", picture.Open: "open"}

// writeHTML writes a page that needs no other file.
func writeHTML(w io.Writer, d *Document) error {
	p := htmlDocument{Kind: "pgmpi " + d.Name, Policy: stylePolicy}
	ids := map[string]int{}
	sections := d.Pictured
	if len(sections) > 0 {
		p.Title, p.Answer = sections[0].Title, sectionHTML(sections[0], ids)
		if blocks := p.Answer.Blocks; p.Title == "" && len(blocks) > 0 { // the first sentence is the answer
			if p.Title = blocks[0].Paragraph; p.Title != "" {
				p.Answer.Blocks = blocks[1:]
			}
		}
		if sections = sections[1:]; len(sections) > 0 && sections[0].Heat != nil {
			hero := sectionHTML(sections[0], ids)
			hero.Notes = append([]string{sections[0].Title + "."}, hero.Notes...)
			p.Hero, sections = &hero, sections[1:]
		}
	}
	p.Title = cmp.Or(p.Title, p.Kind)
	for i, s := range sections {
		of := sectionHTML(s, ids)
		n := len(p.Groups) - 1
		// Folded sections belong together, and so do sections without a title of their own.
		if n >= 0 && (s.Title == "" || s.Folded && p.Groups[n].Folded && sections[i-1].Folded) {
			of.Heading = s.Title
			p.Groups[n].Sections = append(p.Groups[n].Sections, of)
			continue
		}
		p.Groups = append(p.Groups, htmlGroup{ID: Unique(ids, "part-"+picture.Anchor(firstRunes(s.Title, 30))), Title: s.Title, Folded: s.Folded, Sections: []htmlSection{of}})
	}
	var out bytes.Buffer
	if err := htmlPage.Execute(&out, &p); err != nil {
		return err
	}
	_, err := w.Write(bytes.ReplaceAll(out.Bytes(), []byte{'\t'}, []byte{' '})) // browsers show no difference
	return err
}

// Unique returns an ID that no other part of the page has.
func Unique(ids map[string]int, id string) string {
	ids[id]++
	if n := ids[id]; n > 1 {
		return Unique(ids, fmt.Sprintf("%s-%d", id, n))
	}
	return id
}

func sectionHTML(s Section, ids map[string]int) htmlSection {
	out := htmlSection{Tone: toneClasses[s.Tone], Heat: s.Heat, Notes: s.Notes}
	for _, t := range s.Text {
		out.add(t)
	}
	if s.Table != nil {
		out.Table = tableHTML(s.Table, cmp.Or(s.Title, "table"))
	}
	for i := range s.Figures {
		f := s.Figures[i]
		drawing, ok := f.Draw()
		if !ok {
			continue
		}
		f.ID = Unique(ids, f.ID)
		of := htmlFigure{Figure: &f, Drawing: drawing.SVG(), Legend: drawing.Legend()}
		if n := f.Numbers; n != nil {
			of.Numbers = tableHTML(&Table{Head: n.Head, Align: n.Align, Rows: n.Rows, Key: 1}, "numbers of "+f.Title)
		}
		out.Figures = append(out.Figures, of)
	}
	return out
}

// add adds a text to the blocks: to the last block if that is of its kind.
func (s *htmlSection) add(t Text) {
	n := len(s.Blocks) - 1
	switch t.Style {
	case Paragraph:
		s.Blocks = append(s.Blocks, htmlBlock{Paragraph: t.Text})
	case Item:
		if n < 0 || s.Blocks[n].Items == nil {
			s.Blocks = append(s.Blocks, htmlBlock{})
			n++
		}
		s.Blocks[n].Items = append(s.Blocks[n].Items, t.Text)
	case Fact:
		if t.Name == "" && (n < 0 || s.Blocks[n].Facts == nil) {
			s.Blocks = append(s.Blocks, htmlBlock{Paragraph: t.Text})
			return
		}
		if n < 0 || s.Blocks[n].Facts == nil {
			s.Blocks = append(s.Blocks, htmlBlock{})
			n++
		}
		facts := &s.Blocks[n].Facts
		if t.Name != "" || len(*facts) == 0 {
			*facts = append(*facts, htmlFact{Name: t.Name})
		}
		last := &(*facts)[len(*facts)-1]
		last.Texts = append(last.Texts, t.Text)
	case Verbatim:
		s.Blocks = append(s.Blocks, htmlBlock{Name: t.Name, Pre: t.Text})
	case Command:
		s.Blocks = append(s.Blocks, htmlBlock{Name: t.Name, Pre: strings.Join(continued(t.Words, LeastWidth), "\n")})
	case Drawing: // its figure is there
	}
}

// tableHTML marks the cells that head their columns and rows, the numbers and the tones.
func tableHTML(t *Table, name string) *htmlTable {
	out := &htmlTable{Name: name}
	var classes []string
	parted := t.Key > 0 || len(t.Rows) > mostListed
	if parted {
		classes = append(classes, "parted")
	}
	for i, h := range t.Head {
		out.Head = append(out.Head, htmlCell{Text: h, Heads: h != ""})
		if t.Align[i] == 'r' {
			classes = append(classes, fmt.Sprintf("r%d", i+1))
		} else if i == len(t.Head)-1 {
			classes = append(classes, "text")
		}
	}
	if len(t.Yields) > 0 {
		classes = append(classes, "loose")
	}
	out.Class = strings.Join(classes, " ")
	head := 0 // the first column with a name heads the rows
	for head < len(t.Head)-1 && t.Head[head] == "" {
		head++
	}
	tones := t.columnTones()
	for i, tone := range tones {
		if tone != "" {
			out.Class = strings.TrimSpace(fmt.Sprintf("%s %s%d", out.Class, tone, i+1))
		}
	}
	for n, row := range t.Rows {
		cells := make([]htmlCell, len(row))
		for i, text := range row {
			c := htmlCell{Text: strings.ReplaceAll(text, "+\n", "+"), Heads: i == head}
			if t.Tone != nil && tones[i] == "" {
				c.Class = toneClasses[t.Tone(row, i)]
			}
			if text != "" && strings.Trim(text, "■·") == "" { // signs below each other
				c.Class = strings.TrimSpace(c.Class + " strip")
			}
			if !parted && text != "" && text != "." {
				c.Head = cmp.Or(t.Head[i], " ")
			}
			if i == t.Factor && n < len(t.Factors) {
				c.Forest = t.forest(n)
			}
			cells[i] = c
		}
		out.Rows = append(out.Rows, cells)
	}
	return out
}

// forest holds paths of a factor with its interval on a logarithmic axis that all rows of a table share.
type forest struct{ Axis, Interval, Dot string }

const forestWidth, forestHeight = 80, 12

func (t *Table) forest(row int) *forest {
	least, most := 1/1.25, 4.0
	for _, f := range t.Factors {
		least, most = min(least, f.Ratio, cmp.Or(f.Lo, f.Ratio)), max(most, f.Ratio, f.Hi)
	}
	least, most = max(least, 1./8), min(most, 64)
	at := func(factor float64) int {
		x := math.Log(min(max(factor, least), most)/least) / math.Log(most/least)
		return 2 + int(math.Round(x*(forestWidth-4)))
	}
	f := t.Factors[row]
	out := &forest{Axis: fmt.Sprintf("M%d 0V%d", at(1), forestHeight), Dot: fmt.Sprintf("M%d %dh0", at(f.Ratio), forestHeight/2)}
	if t.Limit > 1 {
		out.Axis += fmt.Sprintf("M%d 0V%d", at(t.Limit), forestHeight)
	}
	if f.Lo < f.Hi {
		out.Interval = fmt.Sprintf("M%d %dH%d", at(f.Lo), forestHeight/2, at(f.Hi))
	}
	return out
}

// columnTones returns the classes of columns in which all cells have the same.
func (t *Table) columnTones() []string {
	out := make([]string, len(t.Head))
	if t.Tone == nil || len(t.Rows) == 0 {
		return out
	}
	for i := range out[:min(len(out), mostToned)] {
		out[i] = toneClasses[t.Tone(t.Rows[0], i)]
		for _, row := range t.Rows {
			if toneClasses[t.Tone(row, i)] != out[i] {
				out[i] = ""
			}
		}
	}
	return out
}
