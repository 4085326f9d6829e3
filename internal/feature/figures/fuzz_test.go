package figures

import (
	"testing"

	"pgmpi/analyze"
	"pgmpi/internal/document"
	"pgmpi/internal/reading"
	"pgmpi/testkit/damaged"
)

func FuzzFolder(f *testing.F) {
	damaged.Folder(f, nil, []damaged.Show{func(path string) ([]*document.Document, error) {
		sides, err := reading.Sides([]string{path})
		if err != nil {
			return nil, err
		}
		return []*document.Document{galleries.Document(newGallery([]*analyze.Side{sides[0], sides[0]}, nil))}, nil
	}})
}
