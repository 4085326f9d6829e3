package guidelines

import "errors"

// CasesOnly makes a Plan that tests nothing: every function at every size, in bytes, on all
// shapes.
func CasesOnly(s Settings, functions []string, sizes []int64) (*Plan, error) {
	op, errs := s.checkShapes()
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	p := &Plan{Shapes: s.Shapes, Datatype: s.Datatype, Op: op, Root: s.Root, Guidelines: []Guideline{}, Tests: []Test{}}
	for _, shape := range s.Shapes {
		for _, function := range functions {
			for _, size := range sizes {
				p.Cases = append(p.Cases, Case{Function: function, Msize: size, Shape: shape})
			}
		}
	}
	return p, nil
}
