package campaign

import (
	"fmt"
	"maps"
	"pgmpi/internal/conf"
	"pgmpi/internal/tuning"
	"pgmpi/mockups"
	"slices"
	"strings"
)

// variables are the names of an environment.
func variables(env map[string]string) []string { return slices.Sorted(maps.Keys(env)) }

// called is how a choice is told.
func called(c tuning.Choice) string {
	switch c.Kind {
	case tuning.ByEnv:
		return environment
	case tuning.ByComponent:
		return c.ComponentTitle()
	case tuning.OwnAlgorithm, tuning.ByMockup:
	}
	var sizes []string
	for _, s := range c.Sizes {
		sizes = append(sizes, conf.HumanSize(s))
	}
	return fmt.Sprintf("%s at %s on %d processes", mockups.AlgorithmID(c.Function, c.Algorithm), strings.Join(sizes, ", "), c.NP)
}

// Where malloc may be the cause: glibc takes what is larger than this from the kernel
// until it was freed once, and a call that meets pages anew tells it by itself.
const (
	mallocFrom  = 128 << 10 // bytes
	faultsFrom  = .5        // page faults a call
	environment = "malloc's variables"
)
