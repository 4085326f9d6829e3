package browser

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
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
		return ctx
	}
	t.Skip("no Chromium on the PATH: .ci/install chromium")
	return nil
}

// pages are the golden files of package report.
func pages(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Abs(filepath.Join("..", "testdata"))
	if err != nil {
		t.Fatal(err)
	}
	list, err := filepath.Glob(filepath.Join(paths, "*.html"))
	if err != nil || len(list) == 0 {
		t.Fatalf("no pages in %s: %v", paths, err)
	}
	return list
}

// axe is axe-core (testdata/README.md).
func axe(t *testing.T) string {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", "axe.min.js.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
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

func TestABrowserHasNothingToSayAboutAPage(t *testing.T) {
	ctx := start(t)
	var heard said
	heard.listen(ctx)
	if err := chromedp.Run(ctx, log.Enable(), network.Enable(), runtime.Enable()); err != nil {
		t.Fatal(err)
	}
	for _, path := range pages(t) {
		for _, v := range views {
			if v.media == "print" {
				continue
			}
			var wide []string
			if err := chromedp.Run(ctx, v.set(), chromedp.Navigate(fileURL(path)), chromedp.Evaluate(tooWide, &wide)); err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			if lines := heard.take(); len(lines) > 0 {
				t.Errorf("%s, %s: %s", filepath.Base(path), v.name, strings.Join(lines, "; "))
			}
			if len(wide) > 0 {
				t.Errorf("%s, %s scrolls sideways because of %s", filepath.Base(path), v.name, strings.Join(wide, ", "))
			}
		}
	}
}

// tooWide names what sticks out of the page, where it is wider than the window.
const tooWide = `(() => {
	const width = document.documentElement.clientWidth;
	if (document.documentElement.scrollWidth <= width) return [];
	return [...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > width + 1 && !e.closest(".scroll, pre"))
		.slice(0, 5).map(e => e.tagName + "." + e.className + " " + e.textContent.slice(0, 30)).concat("page of " + document.documentElement.scrollWidth);
})()`

func TestLinksOfAPageLeadToWhatCanBeSeen(t *testing.T) {
	ctx := start(t)
	for _, path := range pages(t) {
		var hidden []string
		if err := chromedp.Run(ctx, views[0].set(), chromedp.Navigate(fileURL(path)), chromedp.Evaluate(followed, &hidden)); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if len(hidden) > 0 {
			t.Errorf("%s: %s", filepath.Base(path), strings.Join(hidden, ", "))
		}
	}
}

// followed clicks every link to another place, and names those whose place is not in the window then.
const followed = `[...new Map([...document.querySelectorAll("a[href^='#']")].map(a => [a.getAttribute("href"), a])).values()].filter(a => {
	a.click();
	const box = document.querySelector(":target")?.getBoundingClientRect();
	return !box || box.height == 0 || box.top > innerHeight || box.bottom < 0;
}).map(a => a.getAttribute("href"))`

func TestAxeFindsNothingOnAPage(t *testing.T) {
	ctx, script := start(t), axe(t)
	for _, path := range pages(t) {
		for _, v := range views[:3] {
			var text string
			err := chromedp.Run(ctx, page.SetBypassCSP(true), v.set(), chromedp.Navigate(fileURL(path)), chromedp.Evaluate(script, nil),
				chromedp.Evaluate(`document.querySelectorAll("details").forEach(d => d.open = true);
					axe.run().then(r => JSON.stringify(r.violations.map(v => [v.id, v.impact, v.help, v.nodes[0].html.slice(0, 200)])))`, &text,
					func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			var found [][]string
			if err := json.Unmarshal([]byte(text), &found); err != nil {
				t.Fatal(err)
			}
			for _, f := range found {
				t.Errorf("%s, %s: %s", filepath.Base(path), v.name, strings.Join(f, ": "))
			}
		}
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
	list := pages(t)
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
			if err := os.WriteFile(filepath.Join(folder, name), picture, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}
