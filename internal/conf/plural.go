package conf

import "fmt"

// Plural writes "1 test", "2 tests".
func Plural(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}
