package conf

import (
	"fmt"
	"slices"
	"strings"
)

// Nearest guesses by edit distance which known name was meant, without regard to case and "MPI_". It returns "" if
// none is near.
func Nearest(name string, known []string) string {
	plain := func(s string) string { return strings.TrimPrefix(strings.ToLower(s), "mpi_") }
	best, least := "", max(1, len(plain(name))/3)+1
	for _, k := range known {
		if d := editDistance(plain(name), plain(k)); d < least {
			best, least = k, d
		}
	}
	return best
}

// editDistance counts the changes that turn a into b: insertions, deletions, replacements and swaps of neighbouring
// bytes (optimal string alignment).
func editDistance(a, b string) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		d[i][0] = i
	}
	for j := range d[0] {
		d[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			replace := d[i-1][j-1]
			if a[i-1] != b[j-1] {
				replace++
			}
			d[i][j] = min(replace, d[i-1][j]+1, d[i][j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}

// Unknown returns the message about an unknown name, with the nearest known one; where none is near, with all if
// they are few.
func Unknown(what, name string, known []string) string {
	msg := fmt.Sprintf("unknown %s %q", what, name)
	if n := Nearest(name, known); n != "" {
		return fmt.Sprintf("%s (did you mean %s?)", msg, n)
	}
	if len(known) > 0 && len(known) <= 12 {
		msg += " (known: " + strings.Join(known, ", ") + ")"
	}
	return msg
}

func Plural(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// Folder writes the path of a folder as a word of a command line; "" stays "".
func Folder(path string) string {
	if path == "" {
		return ""
	}
	return Quote(strings.TrimSuffix(path, "/"))
}

// Quote makes a word of a command line safe for a shell.
func Quote(word string) string {
	if word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./,:+") == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// FieldError reports an error about one key of a section of gl.toml. Key is relative to the section, with dots:
// "cov_mean.window"; an element of a list has its index, "msizes[2]".
type FieldError struct {
	Key, Msg string
}

func (e FieldError) Error() string { return e.Key + ": " + e.Msg }

func Element(key string, index int) string { return fmt.Sprintf("%s[%d]", key, index) }

type FieldErrors []FieldError

func (e *FieldErrors) Check(ok bool, key, format string, args ...any) {
	if !ok {
		*e = append(*e, FieldError{Key: key, Msg: fmt.Sprintf(format, args...)})
	}
}

func (e *FieldErrors) Name(key, what, value string, known []string) {
	e.Check(slices.Contains(known, value), key, "%s", Unknown(what, value, known))
}
