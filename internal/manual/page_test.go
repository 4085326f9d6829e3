package manual

import "testing"

func TestNothingInAPageIsARequest(t *testing.T) {
	for text, want := range map[string]string{".so /etc/passwd": `\&.so /etc/passwd`, "'br": `\&'br`, `a\b --c`: `a\eb \-\-c`} {
		if got := roff(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}
