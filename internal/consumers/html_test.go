package consumers

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func parsed(t *testing.T, page string) *html.Node {
	t.Helper()
	root := must.Get(html.Parse(strings.NewReader(page)))(t)
	return root
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// elements returns the elements of a page in their order.
func elements(root *html.Node) (out []*html.Node) {
	for n := range root.Descendants() {
		if n.Type == html.ElementNode {
			out = append(out, n)
		}
	}
	return out
}

func content(n *html.Node) string {
	var out strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			out.WriteString(d.Data)
		}
	}
	return out.String()
}

func TestEveryPageIsWholeWithoutAnythingElse(t *testing.T) {
	for name, page := range matching(t, "*.html") {
		all := elements(parsed(t, page))
		ids := map[string]bool{}
		for _, n := range all {
			id := attribute(n, "id")
			should.Hold(t, id == "" || !ids[id], "%s: two elements are called %q", name, id)
			ids[id] = true
		}
		for _, n := range all {
			should.Hold(t, n.DataAtom != atom.Script && n.DataAtom != atom.Iframe && n.DataAtom != atom.Img, "%s: a %s", name, n.Data)
			for _, a := range n.Attr {
				switch a.Key {
				case "href", "src":
					should.Hold(t, a.Val == "data:," || strings.HasPrefix(a.Val, "#") && ids[a.Val[1:]], "%s: %s %q leads nowhere", name, n.Data, a.Val)
				case "aria-labelledby", "aria-describedby":
					for id := range strings.FieldsSeq(a.Val) {
						should.Hold(t, ids[id], "%s: %s is named by %q, which is not there", name, n.Data, id)
					}
				case "style", "srcset", "action", "onclick":
					t.Errorf("%s: %s has the attribute %s", name, n.Data, a.Key)
				}
			}
		}
	}
}

func TestPagesHaveHeadingsAndTableHeadersForThoseWhoCannotSee(t *testing.T) {
	for name, page := range matching(t, "*.html") {
		level, first := 0, 0
		for _, n := range elements(parsed(t, page)) {
			switch n.DataAtom {
			case atom.H1, atom.H2, atom.H3:
				at := int(n.Data[1] - '0')
				should.Hold(t, at <= level+1, "%s: %s %q follows a heading of level %d", name, n.Data, content(n), level)
				if level = at; at == 1 {
					first++
				}
				should.Hold(t, strings.TrimSpace(content(n)) != "", "%s: an empty %s", name, n.Data)
			case atom.Th:
				scope := attribute(n, "scope")
				should.Hold(t, (scope == "col" || scope == "row") && (content(n) != "" || scope != "col"), "%s: th %q with scope %q", name, content(n), scope)
			case atom.Svg:
				should.Hold(t, attribute(n, "aria-hidden") != "" || attribute(n, "role") == "img" && attribute(n, "aria-labelledby") != "",
					"%s: a picture without a name", name)
			default: // says nothing about itself
			}
		}
		should.Equal(t, first, 1, "%s: headings of the first level", name)
	}
}

// shapeOf are the elements of a page with the names of their attributes.
func shapeOf(t *testing.T, page string) string {
	var out strings.Builder
	for _, n := range elements(parsed(t, page)) {
		out.WriteString(n.Data)
		for _, a := range n.Attr {
			out.WriteString(" " + a.Key)
		}
		out.WriteByte('\n')
	}
	return out.String()
}

func TestTextOfOthersMakesNoElementsOfAPage(t *testing.T) {
	for name, page := range matching(t, "elses-*.html") {
		kind := name[len("elses-0"):]
		should.Equal(t, shapeOf(t, page), shapeOf(t, saved(t, "elses-0"+kind)), "%s: the text changes the page", name)
	}
}
