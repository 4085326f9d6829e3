package sizes

import (
	"slices"
	"testing"

	"pgmpi/mockups"
	"pgmpi/testkit/should"
)

// By the standard, a block is what one process contributes or gets: a size of all data is p blocks.
func TestASizeIsOfOneBlockOrOfAll(t *testing.T) {
	const p = 4
	for format, collectives := range totals {
		if untold[format] != nil {
			continue
		}
		for _, id := range mockups.Collectives() {
			f, _ := mockups.Get(id)
			if !f.Regular {
				continue
			}
			block, ok, err := Block(format, id, 64, 4, p)
			want := int64(64)
			if slices.Contains(collectives, id) {
				want = 16
				should.Hold(t, f.Send.Blocks == mockups.PerRank || f.Recv.Blocks == mockups.PerRank, "%s: %s has no blocks for each process", format, id)
			}
			should.Hold(t, ok && err == nil && block == want, "%s, %s: 64 B are blocks of %d B, %v", format, id, block, err)
		}
	}
	block, ok, _ := Block("pico", "MPI_Gather", 4*10, 4, p)
	should.Hold(t, ok && block == 8, "PICO gives 4 processes 2 of 10 elements each: %d B, %v", block, ok)
	_, ok, _ = Block("osu", "MPI_Reduce_scatter", 40, 16, p)
	should.Hold(t, !ok, "OSU gives some processes more than others")
}

func TestSizesThatProcessesDoNotShareEquallyAreLeftOut(t *testing.T) {
	for format, ids := range totals {
		for _, id := range ids {
			_, ok, err := Block(format, id, 42, 1, 4)
			should.Hold(t, err == nil && ok == (format == "pico"), "%s: 42 B of %s on 4 processes: %v, %v", format, id, ok, err)
		}
	}
}

func TestABlockIsAPartOfWhatAllHave(t *testing.T) {
	for _, c := range []struct {
		format, function string
		size, element    int64
		p                int
		want             int64 // 0 if it differs between processes, -1 for an error
	}{
		{"osu", "MPI_Bcast", 8, 1, 4, 8}, {"osu", "MPI_Bcast", 1, 1, 1, 1}, {"osu", "MPI_Bcast", 0, 1, 4, 0}, {"osu",
			"MPI_Bcast", -1, 1, 4, -1},
		{"osu", "MPI_Bcast", 1 << 50, 1, 4, 1 << 50}, {"osu", "MPI_Bcast", 1<<50 + 1, 1, 4, -1}, {"osu", "MPI_Bcast",
			8, 1, 0, -1},
		{"osu", "MPI_Reduce_scatter", 8, 1, 4, 2}, {"osu", "MPI_Reduce_scatter", 4, 1, 4, 1}, {"osu",
			"reduce_scatter_as_allreduce", 8, 1, 4, 2},
		{"pico", "MPI_Gather", 4, 1, 4, 1}, {"pico", "MPI_Gather", 3, 1, 4, 0}, {"osu", "unknown", 8, 1, 4, 8},
	} {
		block, ok, err := Block(c.format, c.function, c.size, c.element, c.p)
		should.Hold(t, (err != nil) == (c.want < 0) && ok == (c.want > 0) && (!ok || block == c.want),
			"%+v: %d, %v, %v", c, block, ok, err)
	}
}
