package experiment_test

import (
	"fmt"
	"strings"
	"testing"

	"pgmpi/measure/launch"
	"pgmpi/testkit/bed"
	"pgmpi/testkit/should"
)

func TestMoreProcessesThanCoresIsSaidBeforeTheFirstMpirun(t *testing.T) {
	cores := launch.DefaultNP()
	for np, want := range map[int]bool{cores + 1: true, 1: false} {
		bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
			b.Checked(strings.Replace(bed.Nightly, "np = [2]", fmt.Sprintf("np = [%d]", np), 1))
			said := len(b.Crowded) == 1 && strings.Contains(b.Crowded[0], fmt.Sprintf("note: p%d: more processes than the %d cores", np, cores)) &&
				strings.HasSuffix(b.Crowded[0], fmt.Sprintf("a core for each: --np %d", cores))
			should.Equal(t, said, want, "%d processes: %q", np, b.Crowded)
		})
	}
}
