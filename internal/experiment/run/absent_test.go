package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgmpi/guidelines"
	"pgmpi/internal/conf/glfile"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestADryRunNamesFilesThatTheRanksWouldMiss(t *testing.T) {
	there := filepath.Join(t.TempDir(), "own.so")
	must.Do(t, os.WriteFile(there, nil, 0o666))
	config := glfile.Default()
	getenv := func(string) string { return "libasan.so /no/tool.so" }
	should.Equal(t, strings.Join(absent(&config, getenv), "\n"), "LD_PRELOAD: /no/tool.so is not there, on this host.")
	config.Mockup = []guidelines.Mockups{{File: there}, {File: "/no/own.so"}}
	config.MPI.Env = map[string]string{"LD_PRELOAD": there + ":/no/other.so"}
	should.Equal(t, strings.Join(absent(&config, getenv), "\n"), "mockup.file: /no/own.so is not there, on this host.\nLD_PRELOAD: /no/other.so is not there, on this host.")
}
