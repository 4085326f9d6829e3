package consumers

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"pgmpi/internal/clean"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// values reads metrics back: by name and labels, as the program writes them.
func values(t *testing.T, text string) map[string]float64 {
	t.Helper()
	p := expfmt.NewTextParser(model.LegacyValidation)
	families, err := p.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v:\n%s", err, text)
	}
	out := map[string]float64{}
	for name, f := range families {
		for _, m := range f.Metric {
			key := name
			for _, l := range m.Label {
				if slices.Contains([]string{"library", "version", "host"}, l.GetName()) {
					continue // of all metrics in a file
				}
				key += fmt.Sprintf(" %s=%q", l.GetName(), l.GetValue())
			}
			if _, twice := out[key]; twice {
				t.Errorf("%s is there twice", key)
			}
			out[key] = m.GetGauge().GetValue()
		}
	}
	return out
}

func TestMetricsReadBack(t *testing.T) {
	text := saved(t, "planted.openmetrics")
	got := values(t, text)
	for key, want := range map[string]float64{
		`pgmpi_ratio guideline="GL8" function="MPI_Reduce" msize="65536" shape="p2"`: 3,
		`pgmpi_seconds function="MPI_Reduce" msize="1" shape="p2"`:                   1.009e-06,
		"pgmpi_violated": 5, "pgmpi_alarms": 5, "pgmpi_slow_mpiruns": 0,
	} {
		if got[key] < want*.999 || got[key] > want*1.001 {
			t.Errorf("%s is %g, want %g", key, got[key], want)
		}
	}
	if !strings.HasSuffix(text, "\n# EOF\n") || strings.Count(text, "# EOF") != 1 {
		t.Errorf("the end is %q", text[len(text)-20:])
	}
	if got := values(t, saved(t, "hostile.openmetrics")); got["pgmpi_alarms"] != 2 || got[fmt.Sprintf("pgmpi_yardstick_seconds quantity=\"cache-line round trip\" shape=%q", clean.Line(fixture.Hostile))] != 1e-7 {
		t.Errorf("a gate with two alarms, and a yardstick: %v", got)
	}
}

func TestMetricsAreUniqueAndEscaped(t *testing.T) {
	values(t, saved(t, "every-test.openmetrics"))
	text := saved(t, "hostile.openmetrics")
	if strings.ContainsAny(text, "\x1b\x00\r") || strings.Count(text, "\n# EOF") != 1 {
		t.Errorf("%q", text)
	}
	for key := range values(t, text) {
		if strings.Contains(key, "shape=") && !strings.Contains(key, fmt.Sprintf("shape=%q", clean.Line(fixture.Hostile))) {
			t.Errorf("%s", key)
		}
	}
}

// The parser of the specification's authors is stricter than Prometheus.
const parseMetrics = `
import sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families
families = list(text_string_to_metric_families(sys.stdin.buffer.read().decode("utf-8")))
assert all(f.type == "gauge" and f.documentation for f in families)
print(sum(len(f.samples) for f in families))
`

func TestMetricsAreOpenMetrics(t *testing.T) {
	parseBy := func(python, text string) (string, error) {
		cmd := exec.Command(python, "-c", parseMetrics)
		cmd.Stdin = strings.NewReader(text)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	python := "python3"
	if _, err := parseBy(python, "# EOF\n"); err != nil {
		python = "/usr/bin/python3" // whose packages apt and dnf install
	}
	if out, err := parseBy(python, "# EOF\n"); err != nil {
		t.Skipf("no parser of OpenMetrics here: .ci/install python3-prometheus-client (%v %s)", err, lastLine(out))
	}
	parse := func(text string) (string, error) { return parseBy(python, text) }
	for _, text := range []string{saved(t, "planted.openmetrics"), saved(t, "hostile.openmetrics")} {
		want := fmt.Sprintln(len(values(t, text)))
		if got, err := parse(text); err != nil || got != want {
			t.Errorf("%v: %s, want %s samples", err, got, want)
		}
		if out, err := parse(strings.Replace(text, `function="`, `function=`, 1)); err == nil {
			t.Errorf("a label without its quote passes: %s", out)
		}
	}
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

// A dashboard asks only for metrics, and for labels of them, that a report has.
func TestTheDashboardAsksForWhatReportsHave(t *testing.T) {
	var board struct {
		Templating struct{ List []struct{ Query string } }
		Panels     []struct {
			Title   string
			Targets []struct{ Expr, LegendFormat string }
		}
	}
	must.Do(t, json.Unmarshal(must.Get(os.ReadFile("../../contrib/grafana/dashboard.json"))(t), &board))
	kept, prom := filepath.Join(t.TempDir(), "kept"), filepath.Join(t.TempDir(), "report.prom")
	must.Do(t, os.CopyFS(kept, os.DirFS("../../testdata/recompute/looks")))
	out, _ := exec.Command("pgmpi", "analyze", kept, "--format", "openmetrics="+prom).CombinedOutput() // it has violations
	text, err := os.ReadFile(prom)
	must.Hold(t, err == nil, "%v: %s", err, out)
	written := string(text) + string(must.Get(os.ReadFile("../../analyze/report/testdata/states.openmetrics"))(t))
	metrics, asked := map[string]bool{}, map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^# TYPE (\w+) `).FindAllStringSubmatch(written, -1) {
		metrics[m[1]] = true
	}
	name, label := regexp.MustCompile(`pgmpi_\w+`), regexp.MustCompile(`(\w+)=~|{{(\w+)}}|, (\w+)\)`)
	hold := func(where, expr, more string) {
		for _, m := range name.FindAllString(expr, -1) {
			asked[m] = true
		}
		for _, l := range label.FindAllStringSubmatch(expr+more, -1) {
			word := l[1] + l[2] + l[3]
			should.Hold(t, strings.Contains(written, word+`="`), "%s: no metric has the label %q", where, word)
		}
	}
	for _, v := range board.Templating.List {
		hold("a variable", v.Query, "")
	}
	for _, p := range board.Panels {
		for _, x := range p.Targets {
			hold(p.Title, x.Expr, x.LegendFormat)
		}
	}
	should.Equal(t, strings.Join(slices.Sorted(maps.Keys(asked)), " "), strings.Join(slices.Sorted(maps.Keys(metrics)), " "))
}
