package mockups

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestEveryRegularCollectiveAndBarrierHaveATextbookAlgorithm(t *testing.T) {
	for _, of := range append(Identities(), "MPI_Barrier") {
		should.Hold(t, len(Textbook(of)) > 0, "%s has none", of)
	}
}

// After the @ comes an algorithm of the library's own, except here.
func TestTextbookAlgorithmIsAMockupAndNoneOfTheLibrarys(t *testing.T) {
	f, ok := Get("allreduce_as_textbook@ring")
	should.Hold(t, ok && f.Of == "MPI_Allreduce" && f.Textbook == "ring" && f.Algorithm == "" && !f.User && f.Commuting && f.Reduces, "%+v", f)
	should.Equal(t, f.Formula, "textbook ring", "formula")
	should.Hold(t, Collective(f.ID) == f.ID && Algorithm(f.ID) == "" && Variant(f.ID) == "" && Canonical("Allreduce_as_TEXTBOOK@ring") == f.ID,
		"%q, %q, %q", Collective(f.ID), Algorithm(f.ID), Variant(f.ID))
	should.Hold(t, slices.Contains(Mockups("MPI_Allreduce"), f.ID), "it is no mock-up of MPI_Allreduce")
	should.Equal(t, len(f.Parts(64, 4)), 0, "parts")
	_, ok = Get("allreduce_as_textbook@star")
	should.Hold(t, !ok, "an algorithm that is not there")
}

// The list of collectives that pgmpi apply can replace is the preloaded library's.
func TestAppliesKnowsWhatThePreloadedLibraryReplaces(t *testing.T) {
	text := string(must.Get(os.ReadFile("../measure/preload/apply.c"))(t))
	list := regexp.MustCompile(`replaceable\[\] = \{(.*)\};`).FindStringSubmatch(text)
	must.Hold(t, list != nil, "no list")
	replaces := strings.Split(list[1], ", ")
	for _, f := range All() {
		if f.IsMockup() && f.Over == "" && f.Call == "" && !f.Identity {
			should.Equal(t, Applies(f.ID), slices.Contains(replaces, strings.ToUpper(strings.TrimPrefix(f.Of, "MPI_"))), "%s", f.ID)
		}
	}
	should.Hold(t, !Applies("bcast_as_lane") && !Applies("scan_as_mine") && !Applies("MPI_Bcast@chain") && !Applies("MPI_Bcast"), "what it does not have")
}

func TestWhatChangesTheOrderOfTheRanksSaysSo(t *testing.T) {
	f, _ := Get("reduce_scatter_block_as_textbook@pairwise")
	should.Equal(t, f.Lacks(), f.ID+" changes the order of the ranks, and the operator does not commute", "reason")
}
