package batch

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"pgmpi/internal/conf"
)

type Config struct {
	Template   string        `toml:"template"`
	Submit     []string      `toml:"submit"`
	Nodes      int           `toml:"nodes"`
	Time       conf.Duration `toml:"time"`
	Account    string        `toml:"account"`
	Partition  string        `toml:"partition"`
	Constraint string        `toml:"constraint"`
	Exclusive  bool          `toml:"exclusive"`
	Options    []string      `toml:"options"`
	Modules    []string      `toml:"modules"`
	Prolog     []string      `toml:"prolog"`
	Restarts   int           `toml:"restarts"`
}

// Slurm sends a signal up to 60 s early. A job that it warns at once measures nothing.
const (
	lead        = 90 * time.Second // that the script asks for
	warnsBefore = lead + time.Minute
	least       = 4 * time.Minute
)

// Rows describes the keys. What is for Slurm cannot stand beside a template.
func (c *Config) Rows() []conf.Key {
	word := func(v *string) []error {
		return slices.Concat(
			conf.Unless(isWord(*v), "%q has a space, a quote or a #, which a batch script cannot hold here", *v),
			conf.Unless(*v == "" || c.Template == "", "is for Slurm: write it into batch.template"))
	}
	words := func(v *[]string) []error {
		return conf.Unless(len(*v) == 0 || c.Template == "", "are for Slurm: write them into batch.template")
	}
	return []conf.Key{
		{Field: conf.At(&c.Template, ""),
			Text:  "a file beside gl.toml, from which `pgmpi submit` makes a script for another batch system",
			Empty: "a script for Slurm", More: "See [how-to-slurm.md](how-to-slurm.md#other-batch-systems)."},
		{Field: conf.At(&c.Submit, []string{}, func(v *[]string) []error {
			return conf.Unless(len(*v) == 0 || c.Template != "",
				"is for a script made from batch.template: Slurm's are submitted with sbatch")
		}), Text: "the words that submit a script made from `template`, such as `[\"qsub\"]`"},
		{Field: conf.At(&c.Nodes, 0, conf.AtLeast(0, "must be at least 1, or 0 for as many as the processes need, not %v")),
			Text: "nodes of the job", Empty: "as many as the processes need"},
		{Field: conf.At(&c.Time, 0, func(v *conf.Duration) []error {
			return conf.Unless(*v == 0 || *v >= conf.Duration(least) || c.Template != "" && *v > 0,
				"must be at least %v, or 0s (by the estimate): Slurm warns of the limit up to %v before", least, warnsBefore)
		}), Text: "time limit of one allocation, such as `\"30m\"`",
			Empty: "twice the estimate of `pgmpi check --dry-run`, but at least 15 minutes"},
		{Field: conf.At(&c.Account, "", word), Text: "the account that pays", Empty: "Slurm's default"},
		{Field: conf.At(&c.Partition, "", word), Text: "the partition", Empty: "Slurm's default"},
		{Field: conf.At(&c.Constraint, "", word), Text: "which nodes, in Slurm's words", Empty: "any"},
		{Field: conf.At(&c.Exclusive, true), Text: "ask for nodes that nobody else uses meanwhile"},
		{Field: conf.At(&c.Options, []string{}, words, each(func(o string) bool {
			return strings.HasPrefix(o, "-") && !strings.ContainsFunc(o, unicode.IsControl)
		}, "%q is no option, such as --qos=debug")), Text: "more options of sbatch, such as `[\"--qos=debug\"]`"},
		{Field: conf.At(&c.Modules, []string{}, words,
			each(func(m string) bool { return m != "" && isWord(m) }, "%q is no name of a module")),
			Text: "modules that the script loads"},
		{Field: conf.At(&c.Prolog, []string{}, words), Text: "lines of shell before pgmpi is started"},
		{Field: conf.At(&c.Restarts, 10, conf.AtLeast(0, "must be at least 0, not %v")),
			Text: "how often the job may go on in another allocation"},
	}
}

func each(holds func(string) bool, otherwise string) conf.Limit[[]string] {
	return func(list *[]string) (errs []error) {
		for _, text := range *list {
			errs = append(errs, conf.Unless(holds(text), otherwise, text)...)
		}
		return errs
	}
}

func Default() Config { return conf.Usual((*Config).Rows) }

func (c Config) Validate() []conf.FieldError { return conf.Check(&c, c.Rows()) }

func isWord(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune("\"'`\\#", r)
	})
}
