package nrep

import (
	"encoding/json"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/BurntSushi/toml"

	"pgmpi/internal/conf"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestDefaultIsValid(t *testing.T) {
	errs := Default().Validate()
	should.Hold(t, len(errs) == 0, "errors %v", errs)
}

func TestValidateNamesTheKey(t *testing.T) {
	for _, c := range []struct {
		key    string
		change func(*Config)
	}{
		{"metrics", func(c *Config) { c.Metrics = nil }},
		{"metrics", func(c *Config) { c.Metrics = []string{"rse", "sd"} }},
		{"metrics", func(c *Config) { c.Metrics = []string{"rse", "rse"} }},
		{"rse", func(c *Config) { c.RSE = 0 }},
		{"rse", func(c *Config) { c.RSE = math.NaN() }},
		{"cov_mean.threshold", func(c *Config) { c.CovMean.Threshold = -0.1 }},
		{"cov_mean.window", func(c *Config) { c.CovMean.Window = 1 }},
		{"cov_median.threshold", func(c *Config) { c.CovMedian.Threshold = 1 }},
		{"cov_median.window", func(c *Config) { c.Metrics = []string{"cov_median"}; c.CovMedian.Window = 1001 }},
		{"min", func(c *Config) { c.Min = 0 }},
		{"max", func(c *Config) { c.Max = 9; c.CovMean.Window = 5 }},
		{"max", func(c *Config) { c.Max = maxRepetitions + 1 }},
		{"step", func(c *Config) { c.Step = 0 }},
		{"predictions", func(c *Config) { c.Predictions = 0 }},
		{"max_time", func(c *Config) { c.MaxTime = 0 }},
		{"enough", func(c *Config) { c.Enough = -1 }},
		{"fixed", func(c *Config) { c.Fixed = -1 }},
		{"fixed", func(c *Config) { c.Fixed = maxRepetitions + 1 }},
		{"budget", func(c *Config) { c.Budget = -1 }},
		{"min_time", func(c *Config) { c.MinTime = -1 }},
	} {
		cfg := Default()
		c.change(&cfg)
		errs := cfg.Validate()
		should.Hold(t, len(errs) == 1 && errs[0].Key == c.key && errs[0].Msg != "", "%+v: errors %v, want one for %s", cfg, errs, c.key)
	}
}

func TestValidateReportsAllErrors(t *testing.T) {
	errs := Config{}.Validate()
	var keys []string
	for _, e := range errs {
		keys = append(keys, e.Key)
	}
	want := []string{"metrics", "rse", "cov_mean.threshold", "cov_mean.window", "cov_median.threshold",
		"cov_median.window", "min", "step", "predictions", "max_time"}
	should.Equal(t, keys, want, "keys")
	should.Equal(t, errs[3].Error(), "cov_mean.window: 0 is below 2", "text")
}

func TestConfigReadsTOMLOverTheDefaults(t *testing.T) {
	cfg := Default()
	const text = `
metrics = ["rse", "cov_mean"]
cov_mean = { window = 30 }
max_time = "1m30s"`
	meta := must.Get(toml.Decode(text, &cfg))(t)
	u := meta.Undecoded()
	should.Hold(t, len(u) == 0, "keys %v are unknown", u)
	want := Default()
	want.Metrics = []string{"rse", "cov_mean"}
	want.CovMean.Window = 30
	want.MaxTime = conf.Duration(90 * time.Second)
	should.Hold(t, equalConfig(cfg, want), "read %+v, want %+v", cfg, want)
}

func TestConfigSurvivesJSON(t *testing.T) {
	text := must.Get(json.Marshal(Default()))(t)
	const want = `{"metrics":["rse"],"rse":0.025,"cov_mean":{"threshold":0.01,"window":20},` +
		`"cov_median":{"threshold":0.01,"window":20},"min":10,"max":1000,"step":10,"predictions":3,"budget":"3ms","max_time":"2s","min_time":"500µs","enough":200,"fixed":0}`
	should.Equal(t, string(text), want, "written as %s", text)
	var back Config
	must.Do(t, json.Unmarshal(text, &back))
	should.Hold(t, equalConfig(back, Default()), "read back %+v", back)
}

func equalConfig(a, b Config) bool {
	sameMetrics := slices.Equal(a.Metrics, b.Metrics)
	a.Metrics, b.Metrics = nil, nil
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return sameMetrics && string(x) == string(y)
}
