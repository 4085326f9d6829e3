// Package command holds what all commands of pgmpi share: a Host that prints and ends, flags for the page, for
// formats and for folders, and an Output that measures, judges again, stores and shows.
//
// In come a command line and an experiment or a document; out go text, files and an exit code. A command declares
// its flags through an Output, and hands its documents to it. Nothing here knows a single command.
package command
