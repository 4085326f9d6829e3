package app

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/feature/app/profile"
	"pgmpi/internal/phrase"
	"pgmpi/measure/launch"
	"pgmpi/measure/results"
)

// started records how a program was started: its launcher's words, and variables of its library.
func started(p *profile.Profile, argv, environ []string) {
	s := launch.StartOf(argv)
	p.Launch, p.LaunchLeft, p.Env = s.Words, s.Left, map[string]string{}
	for _, v := range append(slices.Clone(environ), s.Set...) {
		if name, value, _ := strings.Cut(v, "="); launch.Decides(name) && len(p.Env) < profile.MostWords {
			p.Env[name] = value
		}
	}
}

// startAs makes a check start its ranks as the program was started, where the configuration says nothing else. The
// file may be somebody else's: only what StartOf and Decides take is used. The note says how.
func startAs(p *profile.Profile, f *glfile.File) (note string) {
	s := launch.StartOf(p.Launch)
	left := slices.Concat(p.LaunchLeft, s.Left)
	if words := s.Words; len(words) > 0 && len(f.MPI.Launch) == 0 {
		if strings.Contains(words[0], "/") {
			left = append(left, words[0])
		} else {
			f.MPI.Launch = words
			note = "As the program: " + strings.Join(slices.Concat(assigned(p.Env), words), " ") + "."
		}
	}
	env := maps.Clone(f.MPI.Env)
	for name, value := range p.Env {
		if _, chosen := env[name]; !chosen && launch.Decides(name) {
			env = with(env, name, value)
		}
	}
	f.MPI.Env = env
	if len(left) > 0 && note == "" {
		return fmt.Sprintf("Not started as the program, with %s: --launch does.", strings.Join(left, ", "))
	}
	return note + phrase.When(len(left) > 0, " Without its %s: --launch gives them.", strings.Join(left, ", "))
}

func with(env map[string]string, name, value string) map[string]string {
	if env == nil {
		env = map[string]string{}
	}
	env[name] = value
	return env
}

// assigned writes variables as before a command.
func assigned(env map[string]string) (out []string) {
	for _, name := range slices.Sorted(maps.Keys(env)) {
		out = append(out, name+"="+env[name])
	}
	return out
}

// otherStart says what a check was started with that the program was not, or "".
func otherStart(p *profile.Profile, m *results.Manifest, set map[string]string) string {
	if p.Launch == nil && p.Env == nil {
		return "" // of a version that did not record it
	}
	its, there := map[string]string{}, launch.StartOf(p.Launch).Words
	maps.Copy(its, m.Factors.Env)
	maps.Copy(its, set)
	maps.DeleteFunc(its, func(name, _ string) bool { return !launch.Decides(name) })
	here := append([]string{}, anyOf(m.Launch)...)
	same := slices.EqualFunc(here, there, func(a, b string) bool { return filepath.Base(a) == filepath.Base(b) })
	if maps.Equal(its, p.Env) && (same || there == nil) {
		return ""
	}
	return fmt.Sprintf("the program was started as `%s`, and the check as `%s`: what the calls take may differ; "+
		"`pgmpi check --calls` starts as the program", strings.Join(slices.Concat(assigned(p.Env), there), " "),
		strings.Join(slices.Concat(assigned(its), here), " "))
}

func anyOf(launchers map[string][]string) []string {
	for _, shape := range slices.Sorted(maps.Keys(launchers)) {
		return launchers[shape]
	}
	return nil
}
