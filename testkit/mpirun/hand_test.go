package mpirun

import (
	"testing"

	"pgmpi/measure/protocol"
	"pgmpi/testkit/should"
)

// MPICH 4.2's launcher may end a sound mpirun as if a rank were killed.
func TestExitStatusAfterTheLastLineOfRank0DoesNotCount(t *testing.T) {
	b := Empty(t, t.TempDir())
	for script, sound := range map[string]bool{
		"echo case {}; echo end {}; echo 'EXIT CODE: 9'; exit 9": true,
		"echo case {}; echo 'EXIT CODE: 9'; exit 9":              false,
	} {
		b.Put("launcher", "#!/bin/sh\n"+script+"\n")
		b.Lib = Library{MPI: "sh " + b.Dir + "/launcher", Yield: true}
		text, err := b.LinesOf(2, &protocol.Job{NP: 2})
		should.Equal(t, err == nil, sound, "%s: %v, %s", script, err, text)
	}
}
