// Package averages says what a check would have found by other summaries of its samples than run medians.
//
// In comes a results folder with names of summaries that other benchmarks and papers take: the least, the mean, one
// mean for all mpiruns, and these over the ranks. Its samples are replaced by each, and judged by the same tests; out
// comes where the answers differ. Nothing is stored but what --out asks for.
package averages

import (
	"strings"

	"github.com/spf13/cobra"

	"pgmpi/analyze/judge"
	"pgmpi/internal/command"
	"pgmpi/internal/document"
	"pgmpi/internal/feature"
	"pgmpi/internal/settings"
)

// Feature is `pgmpi analyze --summary`.
var Feature = &feature.Feature{
	Extends:   []command.Extension{{Of: "analyze", Add: extend}},
	Documents: []document.Forms{kind},
}

func extend(c *cobra.Command, s *settings.Settings, o *command.Output) (out string) {
	var names []string
	judges := c.RunE
	c.Long += "\n\n--summary LIST prints what the check would have said by other summaries of the\n" +
		"same samples, as other benchmarks take them, beside ours."
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(names) == 0 || len(args) != 1 {
			return judges(c, args)
		}
		return command.Written(o, kind, func() (*Summaries, error) { return judged(args[0], names, s.Load) })
	}
	c.Flags().StringSliceVar(&names, "summary", nil,
		"what other summaries would say, a comma `LIST` of "+strings.Join(judge.Strings(others), ", "))
	return ""
}
