package batch

import (
	"strings"
	"time"
	"unicode"

	"pgmpi/internal/conf"
)

type Config struct {
	Template   string        `toml:"template"` // file with the script of another batch system, or "" for Slurm
	Submit     []string      `toml:"submit"`   // words before the path of a script made from Template
	Nodes      int           `toml:"nodes"`    // or 0 for as many as the processes need
	Time       conf.Duration `toml:"time"`     // limit of an allocation, or 0 for the estimate
	Account    string        `toml:"account"`
	Partition  string        `toml:"partition"`
	Constraint string        `toml:"constraint"`
	Exclusive  bool          `toml:"exclusive"`
	Options    []string      `toml:"options"` // more of sbatch's
	Modules    []string      `toml:"modules"`
	Prolog     []string      `toml:"prolog"`   // lines of shell before pgmpi
	Restarts   int           `toml:"restarts"` // at most
}

// Slurm sends a signal up to 60 s early. A job that it warns at once measures nothing.
const (
	lead        = 90 * time.Second // that the script asks for
	warnsBefore = lead + time.Minute
	least       = 4 * time.Minute
)

func Default() Config {
	return Config{Submit: []string{}, Exclusive: true, Options: []string{}, Modules: []string{}, Prolog: []string{}, Restarts: 10}
}

func (c Config) Validate() []conf.FieldError {
	var errs conf.FieldErrors
	errs.Check(len(c.Submit) == 0 || c.Template != "", "submit", "is for a script made from batch.template: Slurm's are submitted with sbatch")
	errs.Check(c.Nodes >= 0, "nodes", "must be at least 1, or 0 for as many as the processes need, not %d", c.Nodes)
	errs.Check(c.Time == 0 || c.Time >= conf.Duration(least) || c.Template != "" && c.Time > 0, "time",
		"must be at least %v, or 0s (by the estimate): Slurm warns of the limit up to %v before", least, warnsBefore)
	errs.Check(c.Restarts >= 0, "restarts", "must be at least 0, not %d", c.Restarts)
	for _, n := range []struct{ key, value string }{{"account", c.Account}, {"partition", c.Partition}, {"constraint", c.Constraint}} {
		errs.Check(isWord(n.value), n.key, "%q has a space, a quote or a #, which a batch script cannot hold here", n.value)
		errs.Check(n.value == "" || c.Template == "", n.key, "is for Slurm: write it into batch.template")
	}
	for _, n := range []struct {
		key    string
		values []string
	}{{"options", c.Options}, {"modules", c.Modules}, {"prolog", c.Prolog}} {
		errs.Check(len(n.values) == 0 || c.Template == "", n.key, "are for Slurm: write them into batch.template")
	}
	for _, o := range c.Options {
		errs.Check(strings.HasPrefix(o, "-") && !strings.ContainsFunc(o, unicode.IsControl), "options", "%q is no option, such as --qos=debug", o)
	}
	for _, m := range c.Modules {
		errs.Check(m != "" && isWord(m), "modules", "%q is no name of a module", m)
	}
	return errs
}

func isWord(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune("\"'`\\#", r)
	})
}
