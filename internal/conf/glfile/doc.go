// Package glfile reads gl.toml: it composes the sections that the packages own, is strict about every key and
// value, and gives each error the line and column of its key. Keys is the one table of keys and their flags: help,
// the template and the tables of docs/ are made from it. The program registers the sections of features; a manifest
// may have a section of a feature that is not there, which is kept as it is.
//
// In come the text and, from the driver, the values of flags; out go the sections and the Plan. It never decides
// what a section means: defaults and validation belong to the packages.
package glfile
