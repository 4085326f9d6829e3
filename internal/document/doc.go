// Package document holds what commands print: a Document has sections of titles, texts and
// tables, and is written in every format that its Kind has. In go values laid out as
// sections, rows, outcomes or metrics; out come bytes. It knows no MPI and no
// guideline, and everything that libraries, hosts or folders have named is escaped here.
package document
