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

// Key tells choices apart: two with the same key set the same.
func (c Choice) Key() string {
	return fmt.Sprintf("%s %s %s %s %s %s %d %d", c.Kind, c.Function, c.Algorithm, c.Mockup, c.Component, c.Env, c.NP, c.Sizes)
}

// Label names a choice to people.
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

// Where malloc may be the cause: glibc takes what is larger than this from the kernel
// until it was freed once, and a call that meets pages anew tells it by itself.
const (
	MallocFrom  = 128 << 10 // bytes
	FaultsFrom  = .5        // page faults a call
	Environment = "malloc's variables"
)
