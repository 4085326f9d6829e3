package conf

import (
	"fmt"
	"time"
)

// Duration is a time.Duration that is written as text like "2s" in TOML and JSON.
type Duration time.Duration

func (d Duration) String() string { return time.Duration(d).String() }

func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("%q is no duration such as \"2s\" or \"500ms\"", text)
	}
	*d = Duration(v)
	return nil
}
