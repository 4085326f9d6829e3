package glfile

import (
	"cmp"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"pgmpi/analyze/judge"
	"pgmpi/internal/conf"
	"pgmpi/internal/lists"
)

// Key is a conf.Key with its section in its Name.
type Key conf.Key

// Keys returns all keys in the order of the template, without the keys of [[guideline]].
func Keys() []Key {
	core := coreKeys()
	at := slices.IndexFunc(core, func(k Key) bool { return strings.HasPrefix(k.Name, afterFeatures+".") })
	return slices.Concat(core[:at], ofFeatures(), core[at:])
}

func ofFeatures() (keys []Key) {
	for _, s := range registered {
		keys = append(keys, in(s.Title(), s.Keys(s.New()))...)
	}
	return keys
}

// coreKeys returns the keys of the core's sections in the order of the template.
var coreKeys = sync.OnceValue(func() (keys []Key) {
	f := Default()
	for _, s := range []struct {
		name   string
		values interface{ Rows() []conf.Key }
	}{{"check", &f.Check}, {"job", &f.Job}, {"mpi", &f.MPI}, {"nrep", &f.NREP}, {"measure", &f.Measure},
		{"analyze", &f.Analyze}, {"gate", &f.Gate}, {afterFeatures, &f.Batch}} {
		keys = append(keys, in(s.name, conf.Keys(s.values, s.values.Rows()))...)
	}
	// measure does not know how many mpiruns judge wants.
	the(keys, func(k Key) bool { return k.Name == "job.mpiruns" }).Empty = fmt.Sprintf(
		"%d that measure everything, and %d or more that measure what points to a violation",
		judge.ScreenAt, judge.PairedAt+judge.MoreR-judge.ScreenAt)
	return keys
})

func in(section string, rows []conf.Key) []Key {
	return lists.Map(rows, func(k conf.Key) Key {
		k.Name = section + "." + k.Name
		return Key(k)
	})
}

// NamedKey returns the key of a name, which must exist.
func NamedKey(name string) Key { return find(func(k *Key) bool { return k.Name == name }) }

// FlagKey returns the key that a flag sets, which must exist.
func FlagKey(flag string) Key { return find(func(k *Key) bool { return k.Flag == flag }) }

// find copies one key: every command asks for dozens, and all keys are long.
func find(wanted func(*Key) bool) Key {
	core := coreKeys()
	for i := range core {
		if wanted(&core[i]) {
			return core[i]
		}
	}
	return *the(ofFeatures(), func(k Key) bool { return wanted(&k) })
}

func the(keys []Key, wanted func(Key) bool) *Key { return &keys[slices.IndexFunc(keys, wanted)] }

// setters read flags that are written in another way than their keys.
var setters = map[string]func(f *File, text string) error{
	"job.looks": setLooks, "mpi.launch": setLaunch, "measure.split_experiment": unsetSplit,
}

func setLaunch(f *File, text string) error {
	f.MPI.Launch = strings.Fields(text)
	if len(f.MPI.Launch) == 0 {
		return fmt.Errorf("it is empty")
	}
	return nil
}

func unsetSplit(f *File, text string) error {
	err := parse(text, f.field("measure.split_experiment"))
	f.Measure.SplitExperiment = !f.Measure.SplitExperiment
	return err
}

// setLooks reads "10,20,30", or with weights "10:.2,20:.3,30:.5".
func setLooks(f *File, text string) error {
	f.Job.Looks, f.Job.LookWeights = nil, nil
	for part := range strings.SplitSeq(text, ",") {
		before, after, weighted := strings.Cut(strings.TrimSpace(part), ":")
		at, err := strconv.Atoi(before)
		if err != nil {
			return fmt.Errorf("%q is no number of mpiruns, as in 10,20,30", part)
		}
		f.Job.Looks = append(f.Job.Looks, at)
		if !weighted {
			continue
		}
		w, err := strconv.ParseFloat(after, 64)
		if err != nil {
			return fmt.Errorf("%q has no weight after its colon, as in 10:.2,20:.3,30:.5", part)
		}
		f.Job.LookWeights = append(f.Job.LookWeights, w)
	}
	return nil
}

func (k Key) Set(f *File, text string) error {
	if set, ok := setters[k.Name]; ok {
		return set(f, text)
	}
	name, _, _ := strings.Cut(k.Name, ".")
	if s := sectionOf(name); s != nil {
		f.put(s, s.Copy(f.section(s)))
	}
	return parse(text, f.field(k.Name))
}

var durations, bare = strings.NewReplacer("µs", "us", "m0s", "m"), strings.NewReplacer("[", "", "]", "", `"`, "")

func (k Key) TOML(f *File) string {
	text, err := json.Marshal(f.field(k.Name).Interface()) // JSON without keys is TOML too
	if err != nil {
		panic(err)
	}
	return durations.Replace(string(text))
}

func (k Key) Usage(f *File) string {
	text := cmp.Or(k.FlagText, k.Text)
	if len(k.Names) > 0 {
		text += ": " + strings.Join(k.Names, ", ")
	}
	switch {
	case k.Empty != "" && k.isEmpty(f):
		text += " (default: " + k.Empty + ")"
	case k.Value != "":
		text += " (default " + bare.Replace(k.TOML(f)) + ")"
	}
	return plain(text)
}

func (k Key) Meaning() string {
	text := k.Text
	if len(k.Names) > 0 {
		text += ": " + code(k.Names)
	}
	if d := Default(); k.Empty != "" && k.isEmpty(&d) {
		zero := "empty"
		if v := k.TOML(&d); v == "0" || v == `"0s"` {
			zero = "`" + v + "`"
		}
		text += "; " + zero + ": " + k.Empty
	}
	if k.More != "" {
		text += ". " + k.More
	}
	return text
}

func (k Key) isEmpty(f *File) bool {
	v := f.field(k.Name)
	return v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0
}

func code(names []string) string { return "`" + strings.Join(names, "`, `") + "`" }

var link = regexp.MustCompile(`\[([^\]]+)\]\([^)]+\)`)

func plain(text string) string {
	return strings.ReplaceAll(link.ReplaceAllString(text, "docs/$1"), "`", "")
}

func (f *File) field(name string) reflect.Value {
	v, tag := reflect.ValueOf(f).Elem(), "toml"
	for part := range strings.SplitSeq(name, ".") {
		if s := sectionOf(part); s != nil && v.Type() == reflect.TypeFor[File]() {
			v, tag = reflect.ValueOf(f.section(s)).Elem(), "json"
			continue
		}
		v = fieldOf(v, tag, part)
	}
	return v
}

func fieldOf(v reflect.Value, tag, name string) reflect.Value {
	for i := range v.NumField() {
		if v.Type().Field(i).Tag.Get(tag) == name {
			return v.Field(i)
		}
	}
	panic(fmt.Sprintf("%s has no field with the tag %s:%q", v.Type(), tag, name))
}

// parse reads the value of a flag. Commas separate the elements of an array.
func parse(text string, into reflect.Value) error {
	var err error
	switch p := into.Addr().Interface().(type) {
	case encoding.TextUnmarshaler:
		return p.UnmarshalText([]byte(text))
	case *bool:
		*p, err = strconv.ParseBool(text)
	case *int:
		var n int64
		n, err = strconv.ParseInt(text, 0, 0)
		*p = int(n)
	case *uint64:
		*p, err = strconv.ParseUint(text, 0, 64)
	case *float64:
		*p, err = strconv.ParseFloat(text, 64)
	default:
		if into.Kind() == reflect.String {
			into.SetString(text)
			return nil
		}
		return parseList(text, into)
	}
	if err != nil {
		hint := ""
		if into.Kind() == reflect.Float64 {
			hint = conf.NumberHint(text)
		}
		return fmt.Errorf("%q is %s%s", text, map[reflect.Kind]string{
			reflect.Bool: "neither true nor false", reflect.Int: "no whole number",
			reflect.Uint64: "no whole number from 0 on", reflect.Float64: "no number",
		}[into.Kind()], hint)
	}
	return nil
}

func parseList(text string, into reflect.Value) error {
	into.SetZero()
	for part := range strings.SplitSeq(text, ",") {
		element := reflect.New(into.Type().Elem()).Elem()
		if err := parse(part, element); err != nil {
			if element.Kind() == reflect.Int {
				err = fmt.Errorf("%q is no number of processes", part)
			}
			return err
		}
		into.Set(reflect.Append(into, element))
	}
	return nil
}
