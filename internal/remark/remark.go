// Package remark has what limits a result: values that travel with it to whoever
// reads it, each with what to do about it. It is a leaf.
package remark

import "fmt"

// ID names a kind of remark; it never changes, so that programs can look for it.
type ID string

// Remark is something that a reader of a result should know.
type Remark struct {
	ID     ID     `json:"id"`
	Place  string `json:"place,omitempty"` // what it belongs to: a shape, a case, a factor. Empty for the whole result
	Text   string `json:"text"`            // what was found
	Remedy string `json:"remedy"`          // what to do about it
	Docs   string `json:"docs"`            // where it is explained, from the root of the repository
}

func New(id ID, place, format string, args ...any) Remark {
	k := kinds[id]
	return Remark{ID: id, Place: place, Text: fmt.Sprintf(format, args...), Remedy: k.remedy, Docs: k.docs}
}
