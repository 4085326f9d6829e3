package analyze

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
	"time"

	"pgmpi/measure/results"
)

func OriginOf(m *results.Manifest) Origin {
	o := Origin{Created: m.Created, Host: m.Factors.Hostname, Command: m.Command, Label: maps.Clone(m.Label), RankHash: m.Rank.Hash}
	if m.TOML != "" {
		sum := sha256.Sum256([]byte(m.TOML))
		o.GLTomlHash = hex.EncodeToString(sum[:8])
	}
	var kernels []string
	for _, l := range m.Factors.Layouts {
		for _, n := range l.Nodes {
			o.Nodes = append(o.Nodes, n.Host)
			if n.Kind >= 0 && n.Kind < len(l.Kinds) {
				kernels = append(kernels, l.Kinds[n.Kind].Kernel)
			}
		}
	}
	o.Nodes = Unique(o.Nodes)
	o.Kernel = cmp.Or(strings.Join(Unique(kernels), ", "), m.Factors.Kernel)
	return o
}

// origin also knows what the raw files say.
func (a *Analysis) origin() Origin {
	o := OriginOf(a.manifest)
	last := a.set.LastFinished()
	if last.IsZero() {
		return o
	}
	o.Finished = last.UTC().Format(time.RFC3339)
	if begun, err := time.Parse(time.RFC3339, o.Created); err == nil && last.After(begun) {
		o.WallClockS = last.Sub(begun).Seconds()
	}
	return o
}

// yardstick is what was read in the median mpirun of each shape.
func (a *Analysis) yardstick() (out []Probes) {
	for _, shape := range a.manifest.Plan.Shapes {
		y := Probes{Shape: shape.String(), Speed: a.set.Speed(shape)}
		if (y != Probes{Shape: y.Shape}) {
			out = append(out, y)
		}
	}
	return out
}

// Grouped puts what shares a key together, in the order in which the keys come first.
func Grouped[T any, K comparable](list []T, key func(T) K) (groups [][]T) {
	at := map[K]int{}
	for _, x := range list {
		k := key(x)
		i, known := at[k]
		if !known {
			i = len(groups)
			at[k], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], x)
	}
	return groups
}

// Unique returns the texts that are not empty, each once, in their order.
func Unique(texts []string) (out []string) {
	for _, t := range texts {
		if t != "" && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}
