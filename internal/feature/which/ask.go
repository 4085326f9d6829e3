package which

import (
	"context"

	"pgmpi/analyze/chosen"
	"pgmpi/internal/conf/glfile"
	"pgmpi/measure"
)

// Ask finds which of its own algorithms the library takes for the collectives, sizes and shapes of a configuration.
func Ask(ctx context.Context, config *glfile.File, start measure.Starter) (*chosen.Which, error) {
	return ask(ctx, config, nil, start)
}
