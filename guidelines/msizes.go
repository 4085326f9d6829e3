package guidelines

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pgmpi/internal/conf"
)

// MsizeList is a list of message sizes as in gl.toml: integers and strings,
// mixed. "1..1Mi" doubles from the first size up to the last, "1..1Mi*4" has the factor 4.
type MsizeList []string

// UsualMsizes are the sizes of a check that is told none.
func UsualMsizes() MsizeList { return MsizeList{"1..1Mi"} }

func (l *MsizeList) UnmarshalTOML(v any) error {
	items, ok := v.([]any)
	if !ok {
		return errors.New(`wants an array of sizes such as [100, "1Ki", "64Ki..4Mi"]`)
	}
	out := MsizeList{}
	for _, item := range items {
		switch x := item.(type) {
		case int64:
			out = append(out, strconv.FormatInt(x, 10))
		case string:
			out = append(out, x)
		default:
			return fmt.Errorf(`a size is an integer or a string such as "1Ki" or "64Ki..4Mi", not %v`, item)
		}
	}
	*l = out
	return nil
}

// FitMsizes returns the sizes of a list that fit a datatype of this extent in bytes. The sizes are in
// bytes and ascend, each once. Sizes of a range that are no multiple of it are returned in leftOut; a
// listed one is an error, and so is a list that leaves no size.
func FitMsizes(list []string, extent int64) (sizes, leftOut []int64, err error) {
	if len(list) == 0 {
		return nil, nil, errors.New("no sizes")
	}
	for _, item := range list {
		all, isRange, err := parseItem(item)
		if err != nil {
			return nil, nil, err
		}
		for _, s := range all {
			switch {
			case s%extent == 0:
				sizes = append(sizes, s)
			case isRange:
				leftOut = append(leftOut, s)
			default:
				return nil, nil, fmt.Errorf("size %q is no multiple of the datatype's %d bytes", item, extent)
			}
		}
	}
	if len(sizes) == 0 {
		return nil, nil, fmt.Errorf("no size is a multiple of the datatype's %d bytes", extent)
	}
	return ascending(sizes), ascending(leftOut), nil
}

// CheckMsizes adds the error of FitMsizes, if any, for the element that causes it.
func CheckMsizes(errs *conf.FieldErrors, key string, list []string, extent int64) {
	_, _, err := FitMsizes(list, extent)
	if err == nil {
		return
	}
	for i, item := range list {
		if _, _, its := FitMsizes([]string{item}, extent); its != nil && its.Error() == err.Error() {
			key = conf.Element(key, i)
			break
		}
	}
	errs.Check(false, key, "%v", err)
}

func ascending(sizes []int64) []int64 {
	slices.Sort(sizes)
	return slices.Compact(sizes)
}

func parseItem(item string) (sizes []int64, isRange bool, err error) {
	from, rest, isRange := strings.Cut(item, "..")
	if !isRange {
		n, err := conf.ParseSize(item)
		return []int64{n}, false, err
	}
	to, times, hasFactor := strings.Cut(rest, "*")
	lo, errLo := conf.ParseSize(from)
	hi, errHi := conf.ParseSize(to)
	if err := cmp.Or(errLo, errHi); err != nil {
		return nil, true, fmt.Errorf("range %q: %w", item, err)
	}
	factor := int64(2)
	if hasFactor {
		if factor, err = strconv.ParseInt(strings.TrimSpace(times), 10, 64); err != nil || factor < 2 {
			return nil, true, fmt.Errorf("range %q: the factor %q is no integer of at least 2", item, times)
		}
	}
	if lo > hi {
		return nil, true, fmt.Errorf("range %q is empty: it starts above its end", item)
	}
	sizes = []int64{lo}
	for n := lo; n <= hi/factor; {
		n *= factor
		sizes = append(sizes, n)
	}
	return sizes, true, nil
}
