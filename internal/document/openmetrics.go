package document

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"pgmpi/internal/clean"
)

// openmetricsFormat writes for Prometheus, also through the textfile collector of its node exporter.
var openmetricsFormat = Format{Name: "openmetrics", ext: "prom", from: metrics, Write: writeOpenMetrics}

// escaped protects what ends a text of OpenMetrics.
var escaped = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)

func writeOpenMetrics(w io.Writer, d *Document) error {
	out := bufio.NewWriter(w)
	for _, m := range d.Metrics {
		fmt.Fprintf(out, "# HELP %s %s\n# TYPE %[1]s gauge\n", m.Name, escaped.Replace(m.Help))
		for _, v := range m.Values {
			out.WriteString(m.Name)
			for i, l := range v.Labels {
				fmt.Fprintf(out, `%c%s="%s"`, "{,"[min(i, 1)], l.Name, escaped.Replace(l.Value))
			}
			if len(v.Labels) > 0 {
				out.WriteByte('}')
			}
			fmt.Fprintf(out, " %s\n", openmetricsNumber(v.Value))
		}
	}
	out.WriteString("# EOF\n")
	return out.Flush()
}

// openmetricsNumber writes every number as a float, which OpenMetrics tells from an integer by its point.
func openmetricsNumber(x float64) string {
	text := strconv.FormatFloat(x, 'g', -1, 64)
	if !math.IsInf(x, 0) && !math.IsNaN(x) && !strings.ContainsAny(text, "e.") {
		text += ".0"
	}
	return text
}

type Metric struct {
	Name, Help string
	Values     []MetricValue
}

type MetricValue struct {
	Labels []Label
	Value  float64
}

func (m *Metric) Add(value float64, labels ...Label) {
	for i := range labels {
		labels[i].Value = clean.Line(labels[i].Value)
	}
	m.Values = append(m.Values, MetricValue{labels, value})
}
