package conf

import (
	"testing"

	"pgmpi/testkit/should"
)

func TestDurationRefusesNumbersAndNonsense(t *testing.T) {
	for _, text := range []string{"2", "two seconds", ""} {
		var d Duration
		should.Hold(t, d.UnmarshalText([]byte(text)) != nil, "%q was read as %v", text, d)
	}
}
