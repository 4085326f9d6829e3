package tuning

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"pgmpi/internal/conf"
	"pgmpi/mockups"
)

// Variables returns the sorted names of an environment.
func Variables(env map[string]string) []string { return slices.Sorted(maps.Keys(env)) }

// Key is equal for choices that set the same.
func (c Choice) Key() string {
	return fmt.Sprintf("%s %s %s %s %s %s %d %d", c.Kind, c.Function, c.Algorithm, c.Mockup, c.Component, c.Env, c.NP, c.Sizes)
}

func Label(c Choice) string {
	switch c.Kind {
	case ByEnv:
		return Environment
	case ByComponent:
		var set []string
		for _, name := range Variables(c.Env) {
			set = append(set, name+"="+c.Env[name])
		}
		return "component " + c.Component + " (" + strings.Join(set, " ") + ")"
	case OwnAlgorithm, ByMockup:
	}
	var sizes []string
	for _, s := range c.Sizes {
		sizes = append(sizes, conf.HumanSize(s))
	}
	return fmt.Sprintf("%s at %s on %d processes", mockups.AlgorithmID(c.Function, c.Algorithm), strings.Join(sizes, ", "), c.NP)
}

// When malloc may be the cause of a violation: glibc takes larger blocks from the kernel until
// one was freed, and page faults in every call show it.
const (
	MallocFrom  = 128 << 10 // bytes
	FaultsFrom  = .5        // page faults a call
	Environment = "malloc's variables"
)
