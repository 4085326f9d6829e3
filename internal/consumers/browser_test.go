package consumers

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// chromium are the names that it has, on Debian, Fedora and elsewhere.
var chromium = []string{"chromium", "chromium-browser", "chromium-headless-shell", "google-chrome"}

// start starts a browser, or skips the test where there is none.
func start(t *testing.T) context.Context {
	t.Helper()
	for _, name := range chromium {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.Flag("allow-file-access-from-files", true))
		if os.Geteuid() == 0 {
			options = append(options, chromedp.NoSandbox) // it refuses root otherwise
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		t.Cleanup(cancel)
		ctx, cancel = chromedp.NewExecAllocator(ctx, options...)
		t.Cleanup(cancel)
		ctx, cancel = chromedp.NewContext(ctx)
		t.Cleanup(cancel)
		if err := chromedp.Run(ctx); err != nil { // in some containers it cannot
			t.Skipf("%s does not start here: %v", path, err)
		}
		return ctx
	}
	t.Skip("no Chromium on the PATH: .ci/install chromium")
	return nil
}

// pages returns the documents of analyze/report, without the examples of hostile texts.
func pages(t *testing.T) (paths []string) {
	t.Helper()
	for name := range matching(t, "*.html") {
		if !strings.HasPrefix(name, "elses-") && name != "every-test.html" {
			paths = append(paths, filepath.Join(must.Get(documents())(t), name))
		}
	}
	slices.Sort(paths)
	return paths
}

// axe is axe-core (testdata/README.md).
func axe(t *testing.T) string {
	t.Helper()
	file := must.Get(os.Open(filepath.Join("testdata", "axe.min.js.gz")))(t)
	defer file.Close()
	z := must.Get(gzip.NewReader(file))(t)
	text := must.Get(io.ReadAll(z))(t)
	return string(text)
}

// said collects what a page says on the console, and what it asks of the network.
type said struct {
	sync.Mutex
	lines []string
}

func (s *said) listen(ctx context.Context) {
	add := func(format string, args ...any) {
		s.Lock()
		defer s.Unlock()
		s.lines = append(s.lines, fmt.Sprintf(format, args...))
	}
	chromedp.ListenTarget(ctx, func(event any) {
		switch e := event.(type) {
		case *log.EventEntryAdded:
			add("%s: %s", e.Entry.Level, e.Entry.Text)
		case *runtime.EventConsoleAPICalled:
			add("console.%s", e.Type)
		case *runtime.EventExceptionThrown:
			add("exception: %s", e.ExceptionDetails.Text)
		case *network.EventRequestWillBeSent:
			if u, err := url.Parse(e.Request.URL); err != nil || u.Scheme != "file" && u.Scheme != "data" {
				add("asks for %s", e.Request.URL)
			}
		}
	})
}

// take is what was said since it was asked before.
func (s *said) take() []string {
	s.Lock()
	defer s.Unlock()
	lines := s.lines
	s.lines = nil
	return lines
}

func fileURL(path string) string { return (&url.URL{Scheme: "file", Path: path}).String() }

// view is how somebody looks at a page.
type view struct {
	name          string
	width, height int64
	media, scheme string
}

var views = []view{
	{"light", 1280, 900, "screen", "light"},
	{"dark", 1280, 900, "screen", "dark"},
	{"phone", 390, 844, "screen", "light"},
	{"print", 794, 1123, "print", "light"},
}

func (v view) set() chromedp.Action {
	return chromedp.Tasks{
		emulation.SetDeviceMetricsOverride(v.width, v.height, 1, v.width < 600),
		emulation.SetEmulatedMedia().WithMedia(v.media).WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: v.scheme}}),
	}
}

// check is what is asked of a page in each view: names of what is wrong.
type check struct {
	name, script string
	views        []string // in which
}

var checks = []check{
	{"scrolls sideways because of", tooWide, []string{"light", "phone"}},
	{"has labels that touch something:", touched, []string{"light"}},
	{"cuts its tables:", cut, []string{"phone"}},
	{"has rows whose head is on the right:", `[...document.querySelectorAll("table:not(.parted) > tbody th")].filter(h => getComputedStyle(h).textAlign == "right").map(h => h.textContent)`, []string{"phone"}},
	{"has links that lead to nothing that can be seen:", followed, []string{"light", "phone"}},
	{"is not for everybody:", "axeFinds()", []string{"light"}},
	{"has colours that are hard to tell apart:", `axeFinds(["color-contrast", "link-in-text-block"])`, []string{"dark"}},
}

// manifold are the pages that together have everything that pages have.
var manifold = []string{"gate.html", "noisy.html", "history.html", "compare.html", "env.html", "explain.html"}

func TestABrowserHasNothingToSayAboutAPage(t *testing.T) {
	t.Parallel()
	ctx, library := start(t), axe(t)
	var heard said
	heard.listen(ctx)
	must.Do(t, chromedp.Run(ctx, log.Enable(), network.Enable(), runtime.Enable(), page.SetBypassCSP(true)))
	for _, path := range pages(t) {
		if !slices.Contains(manifold, filepath.Base(path)) {
			continue
		}
		for _, v := range views {
			if v.media == "print" {
				continue
			}
			name := filepath.Base(path) + ", " + v.name
			if err := chromedp.Run(ctx, v.set(), chromedp.Navigate(fileURL(path))); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if lines := heard.take(); len(lines) > 0 {
				t.Errorf("%s says: %s", name, strings.Join(lines, "; "))
			}
			if v.name != "phone" {
				if err := chromedp.Run(ctx, chromedp.Evaluate(library+axeFinds, nil)); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			}
			for _, c := range checks {
				if !slices.Contains(c.views, v.name) {
					continue
				}
				var wrong []string
				err := chromedp.Run(ctx, chromedp.Evaluate(c.script, &wrong, func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if len(wrong) > 0 {
					t.Errorf("%s %s %s", name, c.name, strings.Join(wrong, "; "))
				}
			}
		}
	}
}

// Whoever opens a page reads what the screen says, letter by letter.
func TestAPageReadsAsItIsMeant(t *testing.T) {
	t.Parallel()
	ctx := start(t)
	read := map[string]string{}
	for _, path := range pages(t) {
		if filepath.Base(path) == "hostile.html" {
			continue
		}
		var text string
		must.Do(t, chromedp.Run(ctx, views[0].set(), chromedp.Navigate(fileURL(path)),
			chromedp.Evaluate(`document.querySelectorAll("details").forEach(d => d.open = true); document.body.innerText`, &text)))
		name := filepath.Base(path)
		read[name] = strings.Join(strings.Fields(text), " ")
		for _, wrong := range []string{"Â", "Ã", "�", "NaN", "undefined", "%!"} {
			should.Hold(t, !strings.Contains(text, wrong), "%s reads %s", name, wrong)
		}
	}
	should.Contain(t, read["busy.html"], "Other programs used 2.0 of 2 CPUs", "others-busy")
	should.Hold(t, !strings.Contains(strings.ToLower(read["busy.html"]), "nothing doubtful"), "a busy machine is not doubtful")
	should.Contain(t, read["matrix.html"], "MPICH 4.0.2 node1 p2", "Open MPI v4.1.4 node1 p2", "1.50", "2.50")
}

// A page that breaks its own policy says so, which is only heard where nothing bypasses the policy.
func TestAPageKeepsItsOwnPolicy(t *testing.T) {
	t.Parallel()
	ctx := start(t)
	var heard said
	heard.listen(ctx)
	must.Do(t, chromedp.Run(ctx, log.Enable(), network.Enable(), runtime.Enable()))
	for _, path := range pages(t) {
		if err := chromedp.Run(ctx, chromedp.Navigate(fileURL(path))); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if lines := heard.take(); len(lines) > 0 {
			t.Errorf("%s says: %s", filepath.Base(path), strings.Join(lines, "; "))
		}
	}
}

// axeFinds runs axe-core, all rules or those that are named, with everything opened that is folded.
const axeFinds = `;async function axeFinds(rules) {
	document.querySelectorAll("details").forEach(d => d.open = true);
	const result = await axe.run(document, rules ? {runOnly: {type: "rule", values: rules}} : {});
	return result.violations.map(v => [v.id, v.impact, v.help, v.nodes[0].html.slice(0, 200)].join(": "));
}; 0`

// tooWide names what sticks out of the page, where it is wider than the window.
const tooWide = `(() => {
	const width = document.documentElement.clientWidth;
	if (document.documentElement.scrollWidth <= width) return [];
	return [...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > width + 1 && !e.closest(".scroll, pre"))
		.slice(0, 5).map(e => e.tagName + "." + e.className + " " + e.textContent.slice(0, 30)).concat("page of " + document.documentElement.scrollWidth);
})()`

// followed clicks every link to another place, and names those whose place is not in the window then.
const followed = `[...new Map([...document.querySelectorAll("a[href^='#']")].map(a => [a.getAttribute("href"), a])).values()].filter(a => {
	a.click();
	const box = document.querySelector(":target")?.getBoundingClientRect();
	return !box || box.height == 0 || box.top > innerHeight || box.bottom < 0;
}).map(a => a.getAttribute("href"))`

// cut names tables that are wider than their window, but for those that keep a column in it.
const cut = `[...document.querySelectorAll(".scroll:not(:has(> .parted))")].filter(s => s.scrollWidth > s.clientWidth + 1).map(s => s.getAttribute("aria-label"))`

// touched names the labels of pictures that touch another one, a line of the grid or a bar, or are cut at the edge.
const touched = `[...document.querySelectorAll("figure > svg")].flatMap(svg => {
	const apart = (a, b) => a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y;
	const box = e => { const b = e.getBBox(), few = b.height / 4; return {x: b.x, y: b.y + few, width: b.width, height: b.height - 2 * few}; }; // of the small letters
	const lines = [...svg.querySelector(".grid").getAttribute("d").matchAll(/M(-?\d+) (-?\d+)([VH])(-?\d+)/g)].map(([, x, y, way, to]) =>
		way == "V" ? {x: +x, y: +y, width: 0, height: to - y} : {x: +x, y: +y, width: to - x, height: 0});
	const texts = [...svg.querySelectorAll("g:not(.sign) > text")], bars = [...svg.querySelectorAll("rect.bar")].map(r => r.getBBox());
	const outside = b => b.x < -1 || b.x + b.width > svg.viewBox.baseVal.width + 1;
	return texts.filter((t, i) => outside(box(t)) || [...lines, ...bars, ...texts.slice(0, i).map(box)].some(b => !apart(box(t), b))).map(t => t.textContent);
})`

// A check of all sizes is in the window of a desk. In a narrower one its heat map scrolls beside the names of its rows,
// and on a phone it is a list of what asks for something, each with its size.
func TestTheHeatMapOfALargeCheckCanBeRead(t *testing.T) {
	t.Parallel()
	ctx := start(t)
	const first = `(() => { const s = document.querySelector(".scroll:has(> .heat)"); s.scrollLeft = 1e4;
		return s.scrollLeft > 50 && s.querySelector("tbody th").getBoundingClientRect().left - s.getBoundingClientRect().left })()`
	const unnamed = `[...document.querySelectorAll(".heat td")].filter(c => c.checkVisibility() && ["none", "normal"].includes(getComputedStyle(c, "::before").content)).map(c => c.textContent)`
	for _, c := range []struct {
		width      int64
		what, asks string
		want       string
	}{
		{1280, "cut tables", "JSON.stringify(" + cut + ")", "[]"},
		{800, "pixels from the edge to the names", "JSON.stringify(" + first + ")", "0"},
		{390, "cut tables", "JSON.stringify(" + cut + ")", "[]"},
		{390, "cells without a size", "JSON.stringify(" + unnamed + ")", "[]"},
	} {
		var got string
		v := view{width: c.width, height: 900, media: "screen", scheme: "light"}
		must.Do(t, chromedp.Run(ctx, v.set(), chromedp.Navigate(fileURL(filepath.Join(must.Get(documents())(t), "large.html"))), chromedp.Evaluate(c.asks, &got)))
		should.Equal(t, got, c.want, "%s at %d pixels", c.what, c.width)
	}
}

// TestScreenshots makes pictures of pages, to be looked at, in the folder that PGMPI_SCREENSHOTS names:
// of the golden files, or of the page PGMPI_PAGE.
func TestScreenshots(t *testing.T) {
	folder := os.Getenv("PGMPI_SCREENSHOTS")
	if folder == "" {
		t.Skip("PGMPI_SCREENSHOTS names no folder")
	}
	ctx := start(t)
	list := slices.DeleteFunc(pages(t), func(p string) bool { return filepath.Base(p) == "large.html" }) // too long for a picture
	if one := os.Getenv("PGMPI_PAGE"); one != "" {
		list = []string{one}
	}
	for _, path := range list {
		for _, v := range views {
			var picture []byte
			if err := chromedp.Run(ctx, v.set(), chromedp.Navigate(fileURL(path)), chromedp.FullScreenshot(&picture, 100)); err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			name := strings.TrimSuffix(filepath.Base(path), ".html") + "-" + v.name + ".png"
			must.Do(t, os.WriteFile(filepath.Join(folder, name), picture, 0o644))
		}
	}
}
