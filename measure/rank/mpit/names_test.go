package mpit

import (
	"strings"
	"testing"

	"pgmpi/internal/lists"
	"pgmpi/measure/protocol"
	"pgmpi/testkit/should"
)

func names(text string, now int) []string {
	return lists.Map(namesIn(text, now), func(a protocol.Algorithm) string { return a.Name })
}

// Texts as MPICH 4.2.1 and 5.0.2 have them, shortened.
func TestNumbersOfMPICHsAlgorithmsFollowItsText(t *testing.T) {
	old := "Variable to select barrier algorithm\nauto - Internal algorithm selection (can be overridden)\n" +
		"nb          - Force nonblocking algorithm\nsmp - Force smp algorithm\ndissemination - Force dissemination"
	should.Equal(t, names(old, 0), []string{"nb", "smp", "dissemination"}, "of 4.2")
	young := "Variable to select barrier algorithm\nauto - Internal algorithm selection\nnb - Force nonblocking algorithm\n" +
		"smp - Force smp algorithm\nk_dissemination - Force high radix dissemination algorithm\nrecexch - Force generic algorithm"
	all := namesIn(young, 0)
	should.Equal(t, all[2], protocol.Algorithm{Name: "k_dissemination", Value: 3}, "a new one has the number of its line")
}

// Numbers that are not sure would give one algorithm's times another's name.
func TestTextsOfAnotherFormNameNoAlgorithm(t *testing.T) {
	for text, now := range map[string]int{
		"Chooses the algorithm of the barrier.":                              0,
		"nb - Force nonblocking algorithm\nsmp - Force smp algorithm":        0,
		"default - the library chooses\ntree - Force a tree":                 0,
		"auto - Internal algorithm selection\nnb - Force nonblocking":        17, // numbers of a group of variables
		"auto - Internal algorithm selection\nnb - Force another algorithm.": -1,
	} {
		should.Equal(t, names(text, now), []string{}, text)
	}
}

// The text of MPICH 4.0.2 as MPI_T gives it.
func TestWordsWithoutLineBreaksAreOfMPICH4OrNone(t *testing.T) {
	const barrier = "Variable to select barrier algorithmauto - Internal algorithm selection (can be overridden with MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE)" +
		"nb            - Force nonblocking algorithmsmp           - Force smp algorithmdissemination - Force dissemination algorithm"
	of := func(text string, now int) []string {
		return lists.Map(namesTogether("MPI_Barrier", text, now), func(a protocol.Algorithm) string { return a.Name })
	}
	should.Equal(t, namesIn(barrier, 0), []protocol.Algorithm{}, "no line begins there")
	should.Equal(t, of(barrier, 3), []string{"nb", "smp", "dissemination"}, "of 4.0")
	should.Equal(t, namesTogether("MPI_Barrier", barrier, 0)[2], protocol.Algorithm{Name: "dissemination", Value: 3}, "the last one")
	for _, text := range []string{barrier + "recexch - Force generic algorithm", strings.Replace(barrier, "smp  ", "tree  ", 1), strings.Replace(barrier, "auto -", "any -", 1)} {
		should.Equal(t, of(text, 0), []string{}, text)
	}
	should.Equal(t, of(barrier, 4), []string{}, "a value beyond the words")
	should.Equal(t, namesTogether("MPI_Alltoallw", barrier, 0), []protocol.Algorithm{}, "a collective without a row")
}
