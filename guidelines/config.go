package guidelines

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"pgmpi/internal/conf"
	"pgmpi/internal/lists"
	"pgmpi/mockups"
)

// Config is the [check] section of gl.toml.
type Config struct {
	Guidelines []string `toml:"guidelines" json:"guidelines"`
	Exclude    []string `toml:"exclude" json:"exclude"`
	Functions  []string `toml:"functions" json:"functions"`
	Calls      []string `toml:"calls" json:"calls"` // as CallAt writes them; nothing else has a size then
	// Around are sizes of messages in bytes, next to limits that the library tells. They are asked of messages, too.
	Around []int64 `toml:"-" json:"around,omitempty"`
	// Between are pairs of ranks that messages are exchanged between, where there are more than ranks 0 and 1.
	Between []Between `toml:"-" json:"between,omitempty"`
}

// Rows describes the keys. Their limits are in Validate: the user's own guidelines are among them.
func (c *Config) Rows() []conf.Key {
	return []conf.Key{
		{Field: conf.At(&c.Guidelines, []string{"GL1..GL17", Eager}),
			Text: "what is checked: ids (`GL8`), ranges (`GL1..GL17`), one collective of an id (`GL1:Gather`), `extended` (" +
				Extended() + "), `all`, `everything`, `eager`, and groups, as `pgmpi list` shows them",
			More: "Empty only where there is a `[[guideline]]`. See [guidelines.md](guidelines.md#choosing-guidelines).",
			Flag: "only", Value: "LIST", FlagText: "only these guidelines: GL16,GL1..GL3,lanes (`pgmpi list` shows them)"},
		{Field: conf.At(&c.Exclude, []string{}), Text: "what is not, in the same words; also the ids of your own guidelines",
			Flag: "except", Value: "LIST", FlagText: "none of these guidelines"},
		{Field: conf.At(&c.Functions, []string{}),
			Text: "only guidelines about these collectives, such as `Bcast`", Empty: "all",
			Flag: "functions", Value: "LIST", FlagText: "only these collectives: Bcast,Reduce"},
		{Field: conf.At(&c.Calls, []string{}),
			Text: "only these collectives at these sizes, `Bcast:64Ki`, or on some processes alone, `Bcast:64Ki:4`, " +
				"or with other elements or another root, `Reduce:8:4:int/max:root=1`, whatever `job.msizes` says", Empty: "all",
			More: "`--calls app.prof` takes them from a program; see [how-to-gain.md](how-to-gain.md)."},
	}
}

func Default() Config { return conf.Usual((*Config).Rows) }

// AsksOfMessages tells whether messages are among what a Config checks.
func (c Config) AsksOfMessages(users []User) bool {
	s, errs := c.selection(users)
	return len(errs) == 0 && len(c.Calls) == 0 && slices.ContainsFunc(s.guidelines(), func(g Guideline) bool { return g.Group == Messages })
}

func (c Config) Validate(users []User) []conf.FieldError {
	_, errs := c.selection(users)
	return errs
}

// CheckSelects refuses a Config that leaves nothing to check. A command that checks nothing may have
// one.
func (c Config) CheckSelects(users []User) []conf.FieldError {
	s, errs := c.selection(users)
	if len(errs) == 0 {
		errs.Check(len(s.guidelines()) > 0, "guidelines", "exclude and functions leave no guideline to check")
	}
	return errs
}

type selection struct {
	known     []Guideline // the catalogue's, then the user's, without sizes
	in, out   []selector
	functions []string // only of these collectives; all if empty
	calls     map[string][]called
	around    []int64 // more sizes of messages, in bytes
	pairs     []Between
}

type called struct {
	bytes    int64
	np       int    // or 0 for any
	elements string // as in Case
}

// kind holds the sizes of calls with the same elements.
type kind struct {
	elements string
	sizes    []int64
}

// only keeps the sizes at which a guideline is to be checked, on any processes. They ascend. usual tells that nobody
// chose them.
func (s *selection) only(g Guideline, sizes []int64, usual bool) []int64 {
	if len(s.calls) > 0 {
		return ascending(lists.Map(s.calls[mockups.Collective(g.Function)], func(c called) int64 { return c.bytes }))
	}
	if g.Group != Messages {
		return sizes
	}
	if f, _ := mockups.Get(g.Function); f.Call == mockups.Streamed { // longer ones move many MiB in a call
		sizes = lists.Keep(sizes, func(bytes int64) bool { return bytes <= mostEager })
	}
	selected := func(by func(selector) bool) bool {
		return slices.ContainsFunc(s.in, func(in selector) bool { return by(in) && in.wants(g) })
	}
	switch {
	case !selected(func(in selector) bool { return !in.eager }):
		sizes = lists.Keep(sizes, mayBeEager)
	case usual && !selected(func(in selector) bool { return in.ids != nil }):
		if sizes = lists.Keep(sizes, g.tellingSize); g.Type == Pattern {
			return sizes
		}
	}
	return withAround(sizes, s.around)
}

func mayBeEager(bytes int64) bool { return leastEager <= bytes && bytes <= mostEager }

// tellingSize tells whether the group has one of the usual sizes: all where eager limits are, or for two ways to send
// one message every second one, and few of shorter and longer messages.
func (g Guideline) tellingSize(bytes int64) bool {
	every := g.Type != Pattern || bits.TrailingZeros64(uint64(bytes))%2 == 0
	return slices.Contains([]int64{8, 128, 1 << 20}, bytes) || mayBeEager(bytes) && every
}

// withAround adds sizes around limits that are among ascending ones.
func withAround(sizes, around []int64) []int64 {
	if len(sizes) == 0 {
		return sizes
	}
	return ascending(slices.Concat(sizes, lists.Keep(around, func(bytes int64) bool { return sizes[0] < bytes && bytes < sizes[len(sizes)-1] })))
}

// on keeps the sizes at which a guideline is to be checked on np processes, apart for each kind of elements.
func (s *selection) on(np int, g Guideline) (kinds []kind) {
	if len(s.calls) == 0 {
		return []kind{{"", g.Msizes}}
	}
	for _, c := range s.calls[mockups.Collective(g.Function)] {
		if slices.Contains(g.Msizes, c.bytes) && (c.np == 0 || c.np == np) {
			of := lists.FirstOrNew(&kinds, func(k kind) bool { return k.elements == c.elements }, kind{elements: c.elements})
			of.sizes = ascending(append(of.sizes, c.bytes))
		}
	}
	slices.SortFunc(kinds, func(a, b kind) int { return cmp.Compare(a.elements, b.elements) })
	return kinds
}

// CallAt writes a collective with a size, if it has one, processes, and elements, if any, as in Config.Calls.
func CallAt(function string, bytes int64, np int, elements string) string {
	size := ""
	if HasSize(function) {
		size = strconv.FormatInt(bytes, 10)
	}
	text := fmt.Sprintf("%s:%s:%d", function, size, np)
	if elements != "" {
		text += ":" + elements
	}
	return text
}

// ownElements returns the elements of a call without its root.
func (c called) ownElements() string {
	elements, _ := mockups.Own(c.elements)
	return elements
}

// checkElements refuses elements that no reduction of such a size can have, and roots that no call on such processes
// can have.
func (c called) checkElements(function string) error {
	elements, root := mockups.Own(c.elements)
	f, _ := mockups.Get(function)
	datatype, op := mockups.Kind(elements, "", "")
	d, known := mockups.GetDatatype(datatype)
	switch {
	case root != mockups.JobsRoot && !f.HasRoot():
		return fmt.Errorf("%s has no root", function)
	case root >= c.np && root != mockups.JobsRoot:
		return errors.New("wants processes of which the root is one, such as \"MPI_Bcast:8:4:root=1\"")
	case elements == "" && root != mockups.JobsRoot:
		return nil
	case !f.Reduces:
		return fmt.Errorf("%s reduces nothing, so that it has no elements %q", function, elements)
	case !known || datatype == mockups.Auto || !slices.Contains(d.Ops, op):
		return fmt.Errorf("wants elements with an operator, such as \"int/max\", not %q", elements)
	case c.bytes%d.Bytes != 0:
		return fmt.Errorf("size %d is no multiple of the %d bytes of %s", c.bytes, d.Bytes, d.Name)
	}
	return nil
}

// parseCalls reads Config.Calls.
func (c Config) parseCalls(errs *conf.FieldErrors) map[string][]called {
	calls := map[string][]called{}
	for i, text := range c.Calls {
		function, size, _ := strings.Cut(text, ":")
		size, np, some := strings.Cut(size, ":")
		np, elements, own := strings.Cut(np, ":")
		function = mockups.Canonical(function)
		var call called
		var err, wrong error
		if HasSize(function) || size != "" {
			call.bytes, err = conf.ParseSize(size)
		}
		if some && (np != "" || !own) {
			call.np, wrong = strconv.Atoi(np)
		}
		errs.Name(conf.Element("calls", i), "collective", function, mockups.Functions())
		errs.Check(err == nil && wrong == nil && call.np >= 0, conf.Element("calls", i), "wants a collective, a size and perhaps processes, such as \"MPI_Bcast:64Ki:4\", not %q", text)
		if call.elements = elements; own && err == nil {
			err = call.checkElements(function)
			errs.Check(err == nil, conf.Element("calls", i), "%v", err)
		}
		calls[function] = lists.With(calls[function], call)
	}
	return calls
}

type selector struct {
	ids      []string
	function string   // any if ""
	group    Group    // of the guidelines, where no function is given
	also     []string // ids of guidelines about blocking calls that are in the group, too
	any      bool     // everything
	eager    bool     // of the group, what is on by default
}

// selection resolves the section. With errors the result is incomplete.
func (c Config) selection(users []User) (*selection, conf.FieldErrors) {
	s := &selection{functions: c.Functions, around: c.Around, pairs: c.Between}
	for _, e := range catalogue {
		s.known = append(s.known, e.Guidelines()...)
		s.known = append(s.known, e.inGroups()...)
	}
	for _, u := range users {
		s.known = append(s.known, u.Guideline())
		s.in = append(s.in, selector{ids: []string{u.ID}})
	}
	var errs conf.FieldErrors
	parse := func(key string, words []string, into *[]selector) {
		for i, word := range words {
			sel, err := s.parse(word)
			if err != nil {
				errs.Check(false, conf.Element(key, i), "%v", err)
			}
			*into = append(*into, sel)
		}
	}
	errs.Check(len(c.Guidelines)+len(users) > 0, "guidelines", "is empty, and there is no [[guideline]]: nothing to check")
	parse("guidelines", c.Guidelines, &s.in)
	parse("exclude", c.Exclude, &s.out)
	for i, f := range c.Functions {
		errs.Name(conf.Element("functions", i), "collective", f, mockups.Functions())
	}
	s.calls = c.parseCalls(&errs)
	return s, errs
}

func (s *selection) guidelines() []Guideline {
	return slices.DeleteFunc(slices.Clone(s.known), func(g Guideline) bool {
		return !s.wants(g) || slices.ContainsFunc(s.out, func(out selector) bool { return out.names(g) })
	})
}

// wants tells whether a guideline is selected, unless it is excluded. "GL1" selects the
// guidelines about blocking calls only.
func (s *selection) wants(g Guideline) bool {
	selected := slices.ContainsFunc(s.in, func(in selector) bool { return in.wants(g) })
	of := mockups.Collective(g.Function)
	return selected && (len(s.functions) == 0 || slices.Contains(s.functions, of)) && (len(s.calls) == 0 || s.calls[of] != nil)
}

func (s selector) wants(g Guideline) bool {
	return s.names(g) && (s.any || s.function != "" || s.group == g.Group || slices.Contains(s.also, g.ID))
}

// names tells whether a selector, in exclude, is about a guideline: "GL1" is about the
// guidelines of all groups.
func (s selector) names(g Guideline) bool {
	switch {
	case s.any:
		return true
	case s.eager:
		return s.group == g.Group && g.Type == Split
	case s.ids == nil:
		return s.group == g.Group || slices.Contains(s.also, g.ID)
	}
	return slices.Contains(s.ids, g.ID) && (s.function == "" || s.function == g.Function)
}

func (s *selection) parse(word string) (selector, error) {
	switch word {
	case everything:
		return selector{any: true}, nil
	case Eager:
		return selector{group: Messages, eager: true}, nil
	}
	var all, extended, also []string // also: outside of the group, but selected by it
	for _, e := range catalogue {
		if e.Group == "" {
			all = append(all, e.ID)
		}
		if e.Extended {
			extended = append(extended, e.ID)
		}
		if e.Also == Group(word) {
			also = append(also, e.ID)
		}
	}
	switch {
	case word == "all":
		return selector{ids: all}, nil
	case word == "extended":
		return selector{ids: extended}, nil
	case slices.Contains(groups, Group(word)):
		return selector{group: Group(word), also: also}, nil
	}
	if from, to, ok := strings.Cut(word, ".."); ok {
		for _, id := range []string{from, to} {
			if group := groupOf(id); group != "" {
				return selector{}, fmt.Errorf("range %q: %s is in the group %q, which is selected by that name", word, id, group)
			}
			if !slices.Contains(all, id) {
				return selector{}, fmt.Errorf("range %q: %s", word, conf.Unknown("guideline", id, all))
			}
		}
		i, j := slices.Index(all, from), slices.Index(all, to)
		if i > j {
			return selector{}, fmt.Errorf("range %q is empty: it starts above its end", word)
		}
		return selector{ids: all[i : j+1]}, nil
	}
	if from, to, ok := strings.Cut(word, "-"); ok && slices.Contains(all, from) && slices.Contains(all, to) {
		return selector{}, fmt.Errorf("%s (did you mean %s..%s?)", conf.Unknown("guideline", word, nil), from, to)
	}
	return s.parseID(word)
}

// parseID reads "GL1" and "GL1:MPI_Gather".
func (s *selection) parseID(word string) (selector, error) {
	id, function, hasFunction := strings.Cut(word, ":")
	ids, of := []string{"all", "extended", everything, Eager}, []string(nil)
	for _, group := range groups {
		ids = append(ids, string(group))
	}
	for _, g := range s.known {
		ids = append(ids, g.ID)
		if g.ID == id {
			of = append(of, g.Function)
		}
	}
	switch {
	case of == nil:
		return selector{}, errors.New(conf.Unknown("guideline", id, ids))
	case hasFunction && !isCall(function):
		return selector{}, errors.New(conf.Unknown("collective", function, mockups.Functions()))
	case hasFunction && !slices.Contains(of, function):
		return selector{}, fmt.Errorf("%q: %s is about %s", word, id, strings.Join(slices.Compact(of), ", "))
	}
	return selector{ids: []string{id}, function: function, group: groupOf(id)}, nil
}

func groupOf(id string) Group {
	i := slices.IndexFunc(catalogue, func(e Entry) bool { return e.ID == id })
	if i < 0 {
		return ""
	}
	return catalogue[i].Group
}

// isCall tells whether a name is a call of a collective. The name may have one of the library's own
// algorithms, or another way to call.
func isCall(name string) bool {
	f, ok := mockups.Get(name)
	return ok && (!f.IsMockup() || f.Algorithm != "" || f.Call != "")
}

// ResolveOp returns op, or for "auto" the datatype's own operator. Errors are about the keys
// "datatype" and "op".
func ResolveOp(datatype, op string) (string, []conf.FieldError) {
	var errs conf.FieldErrors
	errs.Name("datatype", "datatype", datatype, Datatypes())
	errs.Name("op", "op", op, append([]string{"auto"}, mockups.Ops()...))
	if errs != nil {
		return "", errs
	}
	d, _ := mockups.GetDatatype(datatype)
	if op == "auto" {
		return d.Auto, nil
	}
	if !slices.Contains(d.Ops, op) {
		errs.Check(false, "op", "op %q is not allowed on datatype %q (allowed: %s)", op, datatype, strings.Join(d.Ops, ", "))
		return "", errs
	}
	return op, nil
}

func Datatypes() []string {
	return lists.Map(mockups.Datatypes(), func(d mockups.Datatype) string { return d.Name })
}

// Extent returns the bytes of a function's elements under a datatype, for "" of any function's. It is 1
// for an unknown datatype, so that sizes can still be checked.
func Extent(datatype, function string) int64 {
	f, _ := mockups.Get(function)
	d, _ := f.Elements(datatype, "")
	return max(1, d.Bytes)
}

// Extended names the guidelines of "extended" as a text does: "GL18 to GL29, GL32".
func Extended() string { return inWords(func(e Entry) bool { return e.Extended }) }

// inWords names the guidelines of the catalogue that are asked for, runs of numbers as such.
func inWords(asked func(Entry) bool) string {
	var runs []string
	first, last := 0, 0
	end := func() {
		switch {
		case last == first:
			runs = append(runs, fmt.Sprintf("GL%d", first))
		default:
			runs = append(runs, fmt.Sprintf("GL%d to GL%d", first, last))
		}
	}
	for _, e := range catalogue {
		number, err := strconv.Atoi(strings.TrimPrefix(e.ID, "GL"))
		if err != nil || !asked(e) {
			continue
		}
		if first != 0 && number != last+1 {
			end()
			first = 0
		}
		if first == 0 {
			first = number
		}
		last = number
	}
	if first != 0 {
		end()
	}
	return strings.Join(runs, ", ")
}
