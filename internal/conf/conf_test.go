package conf

import (
	"testing"

	"pgmpi/testkit/should"
)

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
		should.Equal(t, Nearest(test.name, collectives), test.want, "%q", test.name)
	}
}

func TestEditDistance(t *testing.T) {
	tests := []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"kitten", "sitting", 3}, {"flaw", "lawn", 2}, {"rnak", "rank", 1}, {"abc", "abc", 0}}
	for _, test := range tests {
		should.Equal(t, editDistance(test.a, test.b), test.want, "%q, %q", test.a, test.b)
	}
}

func TestFormatSizeReadsBack(t *testing.T) {
	for _, want := range []int64{1, 100, 1023, 1024, 1536, 3 << 20, 1 << 30, 5<<30 + 1} {
		got, err := ParseSize(FormatSize(want))
		should.Hold(t, got == want && err == nil, "%s: got %d, %v; want %d", FormatSize(want), got, err, want)
	}
	should.Equal(t, FormatSize(64<<10), "64Ki")
}

func TestSizesAreReadAsPeopleWriteThem(t *testing.T) {
	for text, want := range map[string]int64{
		"8": 8, "8B": 8, " 8 b ": 8, "8Ki": 8192, "8 KiB": 8192, "8kib": 8192, "64ki": 65536, "1MIB": 1 << 20, "2 Gi": 2 << 30, "8Ti": 8 << 40, "+3": 3,
	} {
		got, err := ParseSize(text)
		should.Hold(t, got == want && err == nil, "%q: %d, %v; want %d", text, got, err, want)
	}
	for text, want := range map[string]string{
		"8k": "did you mean 8Ki?", "8K": "did you mean 8Ki?", "64 KB": "did you mean 64Ki?", "1MB": "did you mean 1Mi?", "1024k": "did you mean 1Mi?", "2G": "did you mean 2Gi?",
		"": "valid: 100", "Ki": "valid: 100", "8 bytes": "valid: 100", "8Kii": "valid: 100", "1.5Ki": "valid: 100", "1 2": "valid: 100",
		"0": "below 1 byte", "-8": "below 1 byte", "9223372036854775808": "too large", "8589934592Gi": "too large",
	} {
		got, err := ParseSize(text)
		should.Fail(t, err, want, "%q: %d", text, got)
	}
	for text, want := range map[string]int64{"16K": 16384, "256 KiB": 1 << 18, "1M": 1 << 20, "1536 B": 1536} { // of a matrix, of a table
		got, err := ParsePrintedSize(text)
		should.Hold(t, got == want && err == nil, "printed %q: %d, %v; want %d", text, got, err, want)
	}
}

func TestSizesAreWrittenForTheirReaders(t *testing.T) {
	for bytes, want := range map[int64][4]string{
		0: {"0", "0 B", "0", "0 B"}, 1: {"1", "1 B", "1", "1 B"}, 1000: {"1000", "1000 B", "1000", "1000 B"},
		1024: {"1Ki", "1 KiB", "1K", "1 KiB"}, 1536: {"1536", "1536 B", "1536", "1.5 KiB"},
		1 << 20: {"1Mi", "1 MiB", "1M", "1 MiB"}, 3 << 29: {"1536Mi", "1536 MiB", "1536M", "1.5 GiB"},
	} {
		got := [4]string{FormatSize(bytes), HumanSize(bytes), ShortSize(bytes), HumanMemory(bytes)}
		should.Hold(t, got == want, "%d: %q, want %q", bytes, got, want)
	}
}
