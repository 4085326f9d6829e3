package document

import (
	"pgmpi/internal/clean"
)

// Metric is a quantity that may go up and down, with its values.
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
