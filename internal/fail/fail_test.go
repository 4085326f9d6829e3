package fail

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
)

func TestErrorsOfTheSystemHaveTheirOwnRemedies(t *testing.T) {
	for err, want := range map[error]string{
		syscall.ENOSPC: "make room", syscall.EIO: "is at fault", syscall.EMFILE: "ulimit -n", syscall.ENFILE: "too many files open", syscall.EACCES: "",
	} {
		if got := Remedy(fmt.Errorf("rename: %w", err)); !strings.Contains(got, want) || (want == "") != (got == "") {
			t.Errorf("%v: %q, want %q", err, got, want)
		}
	}
}
