package medians

import (
	"slices"

	"pgmpi/measure/results"
)

// Sent is what all ranks together send in a call, inside the library.
type Sent struct {
	Messages float64 `json:"messages" column:"messages"`
	Bytes    float64 `json:"bytes" column:"message_bytes"`
}

func (s *Set) addMessages(run *results.Run) {
	for _, info := range run.Cases {
		if info.Plan >= 0 && info.Plan < len(s.Cases) {
			s.Cases[info.Plan].sent = info.Messages
		}
	}
}

// Sent returns nil if messages were not counted.
func (c *Case) Sent() *Sent {
	if c.sent == nil {
		return nil
	}
	calls := float64(c.sent.Calls)
	return &Sent{float64(c.sent.Count) / calls, float64(c.sent.Bytes) / calls}
}

func (s *Set) HasMessages() bool {
	return slices.ContainsFunc(s.Cases, func(c Case) bool { return c.sent != nil })
}
