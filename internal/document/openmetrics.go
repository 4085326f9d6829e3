package document

import (
	"io"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"pgmpi/internal/clean"
	"pgmpi/internal/lists"
)

// openmetricsFormat writes for Prometheus, also through the textfile collector of its node exporter.
var openmetricsFormat = Format{Name: "openmetrics", ext: "prom", from: metrics, Write: writeOpenMetrics}

func writeOpenMetrics(w io.Writer, d *Document) error {
	for _, m := range d.Metrics {
		family := &dto.MetricFamily{Name: &m.Name, Help: &m.Help, Type: dto.MetricType_GAUGE.Enum()}
		for _, v := range m.Values {
			labels := lists.Map(v.Labels, func(l Label) *dto.LabelPair { return &dto.LabelPair{Name: &l.Name, Value: &l.Value} })
			family.Metric = append(family.Metric, &dto.Metric{Label: labels, Gauge: &dto.Gauge{Value: &v.Value}})
		}
		if _, err := expfmt.MetricFamilyToOpenMetrics(w, family); err != nil {
			return err
		}
	}
	_, err := expfmt.FinalizeOpenMetrics(w)
	return err
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
