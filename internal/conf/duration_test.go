package conf

import (
	"strings"
	"testing"

	"pgmpi/testkit/should"
)

func TestDurationRefusesNumbersAndNonsense(t *testing.T) {
	for _, text := range []string{"2", "two seconds", ""} {
		var d Duration
		should.Hold(t, d.UnmarshalText([]byte(text)) != nil, "%q was read as %v", text, d)
	}
}

func TestWhatWasMeantByADuration(t *testing.T) {
	for text, want := range map[string]string{
		"10min": "10m", "1d": "24h", "1h30": "1h30m", "2 hours": "2h", "1h 5sec": "1h0m5s", "1.5 m": "1m30s", "3 MS": "3ms",
	} {
		var d Duration
		should.Fail(t, d.UnmarshalText([]byte(text)), "(did you mean "+want+"?)", text)
	}
	for _, text := range []string{"2", "90s30", "soon", "0 min", "1 fortnight", "99999999999 days"} {
		var d Duration
		err := d.UnmarshalText([]byte(text))
		should.Hold(t, err != nil && !strings.Contains(err.Error(), "did you mean"), "%s: %v", text, err)
	}
}

func TestWhatWasMeantByANumber(t *testing.T) {
	for text, want := range map[string]string{
		"1,05": " (did you mean 1.05?)", "5 %": " (5 % is 0.05, and 5 % more is a factor of 1.05)", "x": "", "NaN": "", "inf%": "", "": "",
	} {
		should.Equal(t, NumberHint(text), want, text)
	}
}
