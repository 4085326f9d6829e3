package glfile

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"pgmpi/internal/document"
)

// Template returns a gl.toml with every key, its default and its meaning. Loaded,
// it equals an empty file.
func Template() string {
	var b strings.Builder
	b.WriteString(templateHead)
	d, section := Default(), ""
	for _, k := range Keys() {
		table, key, _ := strings.Cut(k.Name, ".")
		if table != section {
			fmt.Fprintf(&b, "\n[%s]\n", table)
			section = table
		}
		comment(&b, plain(k.Meaning()))
		fmt.Fprintf(&b, "%s = %s\n", key, k.TOML(&d))
	}
	return b.String() + templateTail
}

func comment(b *strings.Builder, text string) {
	first, size := utf8.DecodeRuneInString(text)
	text = string(unicode.ToUpper(first)) + strings.TrimSuffix(text[size:], ".") + "."
	b.WriteString(strings.Join(document.Wrap("# "+text, 80, "# "), "\n") + "\n")
}

const templateHead = `#:schema gl.schema.json
# Editors check keys by that file: pgmpi init --schema > gl.schema.json
# gl.toml: what "pgmpi check gl.toml" checks, and how.
# Every key is here with its default; all may be left out.
# Sizes are bytes: 100, "1Ki", "64Ki", "1Mi". Durations are text: "500ms", "2s", "2m".
`

const templateTail = `
# Your own guidelines, beside the catalogue: any number, each with an id and
# one of pattern, monotony and split. msizes is optional, by default those in [job].
#
# [[guideline]]
# id = "reduce-large"
# pattern = { function = "MPI_Reduce", mockup = "reduce_as_allreduce" }
# msizes = ["1Mi..16Mi"]
#
# [[guideline]]
# id = "bcast-grows"
# monotony = "MPI_Bcast"
#
# [[guideline]]
# id = "bcast-splits"
# split = "MPI_Bcast"
#
# Mock-ups of your own, in a shared library beside this file: their ids may
# stand in a pattern like pgmpi's own. See docs/how-to-mockup.md.
#
# [[mockup]]
# file = "libmine.so"
# ids = ["scan_as_mine"]
`
