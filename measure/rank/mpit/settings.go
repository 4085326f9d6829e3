//go:build cgo

package mpit

/*
#include "settings.h"
*/
import "C"

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pgmpi/internal/regular"
	"pgmpi/measure/host"
)

// Settings returns the variables of the library, about collectives and messages, that are not as installed, and those
// of other names that somebody has set. asked are the variables of the environment that the launcher did not set. It
// returns nil if the library does not tell its variables.
func Settings(asked []string) *host.Settings {
	n := int(C.pg_settings_open())
	if n == 0 {
		return nil
	}
	defer C.pg_settings_close()
	out := &host.Settings{InForce: []host.Setting{}}
	var names []string
	files := ""
	for i := range n {
		var s C.pg_setting
		if C.pg_setting_at(C.int(i), &s) == 0 {
			continue
		}
		name, value := C.GoString(&s.name[0]), C.GoString(&s.value[0])
		if names = append(names, name); name == "mca_base_param_files" {
			files = value
		}
		if from := sourceOf(&s, name, asked); from != "" && host.Chooses(name) {
			if own := os.Getenv(from); strings.HasPrefix(name, host.OfMPICH) && (value == "" || strings.HasSuffix(name, "_FILE")) {
				value = own // MPICH 4's MPI_T gives the bytes of a pointer for a text
			}
			out.InForce = append(out.InForce, host.Setting{Name: name, Value: value, From: from})
		}
	}
	set := map[string]string{} // where each is set
	for _, name := range asked {
		if _, there := os.LookupEnv(name); there {
			set[name] = name
		}
	}
	for _, file := range strings.FieldsFunc(files, func(r rune) bool { return r == ':' || r == ',' }) {
		if text, err := regular.Read(inHome(file), 1<<20); err == nil {
			for _, name := range host.NamesIn(string(text)) {
				set[host.OfOpenMPI+name] = file
			}
		}
	}
	out.Unknown = append(host.UnknownOf(set, names), host.LeftOut(out.InForce, names)...)
	slices.SortFunc(out.InForce, func(a, b host.Setting) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// sourceOf returns where a variable was set, or "".
func sourceOf(s *C.pg_setting, name string, asked []string) string {
	switch s.source {
	case C.PG_BY_ENVIRONMENT:
		return host.OfOpenMPI + name
	case C.PG_BY_FILE:
		return cmp.Or(C.GoString(&s.file[0]), "a file of the library's")
	case C.PG_UNKNOWN_SOURCE:
	default:
		return ""
	}
	rest, is := strings.CutPrefix(name, host.OfMPICH)
	if !is {
		return ""
	}
	for _, prefix := range []string{host.OfMPICH, "MPIR_PARAM_", "MPICH_"} { // all are read
		if _, there := os.LookupEnv(prefix + rest); there && (prefix != host.OfMPICH || slices.Contains(asked, name)) {
			return prefix + rest
		}
	}
	return ""
}

func inHome(file string) string {
	if rest, is := strings.CutPrefix(file, "~/"); is {
		return filepath.Join(os.Getenv("HOME"), rest)
	}
	return file
}
