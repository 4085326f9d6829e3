package conf

import "testing"

func TestDurationRefusesNumbersAndNonsense(t *testing.T) {
	for _, text := range []string{"2", "two seconds", ""} {
		var d Duration
		if err := d.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q was read as %v", text, d)
		}
	}
}
