package manual

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/pflag"

	"pgmpi/internal/conf"
)

// notWanted says by the type of a flag what a wrong value is not.
var notWanted = map[string]string{
	"intSlice": "no number of processes", "float64Slice": "no number", "float64": "no number", "int": "no whole number", "bool": "neither true nor false",
}

// FlagHint adds the nearest flag to the error of an unknown one, and words errors of values.
func FlagHint(err error, fs *pflag.FlagSet) error {
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		flag, cause := invalid.GetFlag(), invalid.Unwrap()
		var number *strconv.NumError
		if no := notWanted[flag.Value.Type()]; no != "" && errors.As(cause, &number) {
			cause = fmt.Errorf("%q is %s", number.Num, no)
			if no == "no number" {
				cause = fmt.Errorf("%w%s", cause, conf.NumberHint(number.Num))
			}
		}
		return fmt.Errorf("--%s: %w", flag.Name, cause)
	}
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return err
	}
	var names []string
	fs.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if n := conf.Nearest(unknown.GetSpecifiedName(), names); n != "" {
		return fmt.Errorf("%w (did you mean --%s?)", err, n)
	}
	return err
}
