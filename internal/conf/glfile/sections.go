package glfile

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"pgmpi/internal/conf"
)

// registered holds the sections of features, by name. They stand before the core's section [batch].
var registered []conf.Section

const afterFeatures = "batch"

// Register adds sections, before any gl.toml is read.
func Register(sections ...conf.Section) {
	for _, s := range sections {
		at, there := slices.BinarySearchFunc(registered, s.Title(), func(x conf.Section, name string) int {
			return cmp.Compare(x.Title(), name)
		})
		switch {
		case there && registered[at] == s:
			continue
		case there || slices.Contains(coreSections(), s.Title()):
			panic(fmt.Sprintf("two sections of gl.toml have the name %q", s.Title()))
		}
		registered = slices.Insert(registered, at, s)
	}
}

func sectionOf(name string) conf.Section {
	for _, s := range registered {
		if s.Title() == name {
			return s
		}
	}
	return nil
}

// Of returns the values of a feature's section.
func Of[T any](f *File, s *conf.SectionOf[T]) T { return *f.section(s).(*T) }

// Put replaces the values of a feature's section. Copies of the File keep theirs.
func Put[T any](f *File, s *conf.SectionOf[T], values T) { f.put(s, &values) }

func (f *File) put(s conf.Section, values any) {
	f.sections = maps.Clone(f.sections)
	if f.sections == nil {
		f.sections = map[string]any{}
	}
	f.sections[s.Title()] = values
}

// section returns the pointer to a section's values. Copies of the File share it.
func (f *File) section(s conf.Section) any {
	switch values := f.sections[s.Title()].(type) {
	case nil:
		return s.New()
	case json.RawMessage:
		panic(fmt.Sprintf("[%s] was read before it was registered", s.Title()))
	default:
		return values
	}
}

// Fixed returns the sections of features whose values may not change within a results folder.
func (f *File) Fixed() map[string]any {
	out := map[string]any{}
	for _, s := range registered {
		if s.Fixed() {
			out[s.Title()] = f.section(s)
		}
	}
	return out
}

func (f *File) checkSections() (errs []conf.FieldError) {
	for _, s := range registered {
		errs = append(errs, inSection(s.Title()+".", s.Check(f.section(s)))...)
	}
	return errs
}

func coreSections() []string {
	_, names := taggedStruct(reflect.ValueOf(&File{}).Elem())
	return names
}

// MarshalJSON writes the sections of features, by name, where [batch] has its place. Sections of features that are
// not there stay as they were read.
func (f File) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	put := func(name string, values any) error {
		text, err := json.Marshal(values)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		fmt.Fprintf(&b, ",%s:%s", quoted(name), text)
		return nil
	}
	v := reflect.ValueOf(f)
	for i := range v.NumField() {
		tags := v.Type().Field(i).Tag
		if tags.Get("toml") == afterFeatures {
			for _, name := range slices.Sorted(maps.Keys(f.sections)) {
				if err := put(name, f.sections[name]); err != nil {
					return nil, err
				}
			}
		}
		name, omitEmpty := strings.CutSuffix(tags.Get("json"), ",omitempty")
		if name == "" || name == "-" || omitEmpty && v.Field(i).Len() == 0 {
			continue
		}
		if err := put(name, v.Field(i).Interface()); err != nil {
			return nil, err
		}
	}
	return append(append([]byte("{"), b.Bytes()[1:]...), '}'), nil
}

// UnmarshalJSON reads what MarshalJSON writes. What it does not know is kept as it is.
func (f *File) UnmarshalJSON(text []byte) error {
	type core File
	if err := json.Unmarshal(text, (*core)(f)); err != nil {
		return err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	known := coreSections()
	isCore := func(name string) bool {
		return slices.ContainsFunc(known, func(k string) bool { return strings.EqualFold(k, name) })
	}
	f.sections = maps.Clone(f.sections)
	for name, raw := range all {
		s := sectionOf(name)
		switch {
		case isCore(name):
			continue
		case f.sections == nil:
			f.sections = map[string]any{}
		}
		if s == nil {
			f.sections[name] = raw
			continue
		}
		values := s.New()
		if err := json.Unmarshal(raw, values); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		f.sections[name] = values
	}
	return nil
}
