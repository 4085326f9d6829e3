package main

import (
	"io"
	"os/exec"
	"strings"
	"testing"

	"pgmpi/internal/command"
	"pgmpi/internal/manual"
)

// pages returns all manual pages, by the name of the command.
func pages(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{"": inProcess("man").Exits(t, 0).Stdout}
	for _, c := range manual.Commands(rootCommand(command.New(io.Discard, io.Discard))) {
		out[c.Name()] = inProcess("man", c.Name()).Exits(t, 0).Stdout
	}
	return out
}

func TestManualPagesHaveEveryCommandFlagAndExitCode(t *testing.T) {
	t.Parallel()
	all := pages(t)
	for _, c := range manual.Commands(rootCommand(command.New(io.Discard, io.Discard))) {
		if !strings.Contains(all[""], ".BR pgmpi\\-"+c.Name()+" (1)") {
			t.Errorf("pgmpi(1) lacks %s", c.Name())
		}
		for _, f := range manual.Flags(c) {
			if n := strings.Count(all[c.Name()], "\n\\fB"+strings.ReplaceAll("--"+f.Name, "-", `\-`)+"\\fR"); n != 1 {
				t.Errorf("pgmpi-%s(1) has --%s %d times", c.Name(), f.Name, n)
			}
		}
	}
	for name, page := range all {
		if !strings.Contains(page, ".B 130\n") {
			t.Errorf("page %q lacks an exit code", name)
		}
	}
}

// mandoc reports whatever no formatter of manual pages would understand.
func TestMandocFindsNothingInTheManualPages(t *testing.T) {
	mandoc, err := exec.LookPath("mandoc")
	if err != nil {
		t.Skip("no mandoc here")
	}
	for name, page := range pages(t) {
		cmd := exec.Command(mandoc, "-Tlint")
		cmd.Stdin = strings.NewReader(page)
		said, _ := cmd.CombinedOutput() // it fails where it has something to say
		for line := range strings.Lines(string(said)) {
			// Long lines matter only to editing by hand; without a date, pages that are built again stay the same.
			if !strings.Contains(line, "longer than 80 bytes") && !strings.Contains(line, "missing date") {
				t.Errorf("page %q: %s", name, line)
			}
		}
	}
}
