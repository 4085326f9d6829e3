// Package document holds what commands print. A Document has sections of titles, texts and tables,
// and is written in every format that its Kind has. It takes values laid out as sections, rows,
// outcomes or metrics, and returns bytes. It knows no MPI and no guideline, and escapes everything
// that libraries, hosts or folders have named.
package document
