package conf

import "testing"

var collectives = []string{"MPI_Allgather", "MPI_Allreduce", "MPI_Alltoall", "MPI_Barrier", "MPI_Bcast", "MPI_Gather", "MPI_Reduce",
	"MPI_Reduce_scatter", "MPI_Reduce_scatter_block", "MPI_Scan", "MPI_Scatter", "MPI_Scatterv"}

func TestNearestFindsWhatWasMeant(t *testing.T) {
	tests := []struct{ name, want string }{
		{"MPI_Algather", "MPI_Allgather"},
		{"allreduce", "MPI_Allreduce"},
		{"MPI_Reduce_scater", "MPI_Reduce_scatter"},
		{"MPI_Scam", "MPI_Scan"},
		{"MPI_Scaterv", "MPI_Scatterv"},
		{"barier", "MPI_Barrier"},
		{"MPI_Send", ""},
		{"", ""},
	}
	for _, test := range tests {
		if got := Nearest(test.name, collectives); got != test.want {
			t.Errorf("%q: got %q, want %q", test.name, got, test.want)
		}
	}
}

func TestEditDistance(t *testing.T) {
	tests := []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"kitten", "sitting", 3}, {"flaw", "lawn", 2}, {"rnak", "rank", 1}, {"abc", "abc", 0}}
	for _, test := range tests {
		if got := editDistance(test.a, test.b); got != test.want {
			t.Errorf("%q, %q: got %d, want %d", test.a, test.b, got, test.want)
		}
	}
}

func TestFormatSizeReadsBack(t *testing.T) {
	for _, want := range []int64{1, 100, 1023, 1024, 1536, 3 << 20, 1 << 30, 5<<30 + 1} {
		if got, err := ParseSize(FormatSize(want)); got != want || err != nil {
			t.Errorf("%s: got %d, %v; want %d", FormatSize(want), got, err, want)
		}
	}
	if got := FormatSize(64 << 10); got != "64Ki" {
		t.Errorf("got %s, want 64Ki", got)
	}
}

func TestSizesAreWrittenForTheirReaders(t *testing.T) {
	for bytes, want := range map[int64][4]string{
		0: {"0", "0 B", "0", "0 B"}, 1: {"1", "1 B", "1", "1 B"}, 1000: {"1000", "1000 B", "1000", "1000 B"},
		1024: {"1Ki", "1 KiB", "1K", "1 KiB"}, 1536: {"1536", "1536 B", "1536", "1.5 KiB"},
		1 << 20: {"1Mi", "1 MiB", "1M", "1 MiB"}, 3 << 29: {"1536Mi", "1536 MiB", "1536M", "1.5 GiB"},
	} {
		if got := [4]string{FormatSize(bytes), HumanSize(bytes), ShortSize(bytes), HumanMemory(bytes)}; got != want {
			t.Errorf("%d: %q, want %q", bytes, got, want)
		}
	}
}
