package app

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"pgmpi/internal/child"
	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/feature/app/profile"
	"pgmpi/internal/phrase"
)

// place names where calls come from, by addr2line if it is there, or else by the place in the file.
func place(ctx context.Context, sites []profile.Site) {
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
		if child.Run(ctx, cmd, stopWithin) != nil {
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

// profileSites shows where the program calls what takes most of its time.
func profileSites(p *profile.Profile, most int) []document.Section {
	if len(p.Sites) == 0 {
		return nil
	}
	s := document.Titled("Where it calls them")
	s.Table = &document.Table{Head: []string{"call", "size", "from", "calls", "run-time"}, Align: "lllrr", Flex: 2}
	for _, k := range p.Sites[:min(most, len(p.Sites))] {
		s.Table.Add(phrase.Function(k.Function), phrase.When(k.HasSize(), "%s", conf.HumanSize(k.Bytes)), k.Where,
			fmt.Sprintf("%.0f", float64(k.Calls)/float64(p.Ranks)),
			phrase.Percent(p.SiteSeconds(k)/p.Wall()))
	}
	if left := len(p.Sites) - len(s.Table.Rows); left > 0 {
		s.Say(withFull, left)
	}
	s.Notes = []string{"from: the function that calls, and its line where the program was compiled with -g and addr2line " +
		"(binutils) is there; else the place in the file. " +
		"calls and run-time: of a mean rank, waiting included."}
	return []document.Section{s}
}
