// Package places names where a program calls from. It asks addr2line of binutils, which reads the program's file and
// may not be there, and never fails.
package places

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"pgmpi/internal/child"
	"pgmpi/internal/feature/app/profile"
	"pgmpi/internal/phrase"
)

// Name names places by addr2line if it is there, or else by the place in the file. At the end of ctx addr2line has the
// grace to stop.
func Name(ctx context.Context, sites []profile.Site, grace time.Duration) {
	byModule := map[string][]int{}
	for i, s := range sites {
		sites[i].Where = fmt.Sprintf("%s+%#x", filepath.Base(s.Module), s.Offset)
		if filepath.IsAbs(s.Module) {
			byModule[s.Module] = append(byModule[s.Module], i)
		}
	}
	for module, its := range byModule {
		args := []string{"-f", "-C", "-e", module}
		for _, i := range its {
			args = append(args, fmt.Sprintf("%#x", sites[i].Offset-1)) // the call is before where it returns to
		}
		var out strings.Builder
		cmd := exec.Command("addr2line", args...)
		cmd.Stdout = &out
		if child.Run(ctx, cmd, grace) != nil {
			continue
		}
		lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		if len(lines) != 2*len(its) {
			continue
		}
		for n, i := range its {
			sites[i].Where = named(lines[2*n], lines[2*n+1], sites[i].Where)
		}
	}
}

// named writes what addr2line says of an address, "exchange at halo.c:42", or else other.
func named(function, line, other string) string {
	line, _, _ = strings.Cut(line, " (discriminator")
	known := function != "??" && function != ""
	switch {
	case !strings.HasPrefix(line, "??") && !strings.HasSuffix(line, ":?") && !strings.HasSuffix(line, ":0"):
		return phrase.When(known, "%s at ", function) + filepath.Base(line)
	case known:
		return function + " in " + other
	}
	return other
}
