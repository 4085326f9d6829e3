package glfile

import (
	"reflect"
	"strings"
	"testing"

	"pgmpi/internal/conf"
	"pgmpi/testkit/should"
)

// No key of the core has a meaning below 0: one that takes -1 has no limit in its section's Validate.
func TestEveryNumberHasALimitBelow(t *testing.T) {
	checked := 0
	for _, k := range Keys() {
		f := Default()
		v := f.field(k.Name)
		switch {
		case v.Type() == reflect.TypeFor[conf.Duration](), v.Kind() == reflect.Int, v.Kind() == reflect.Int64:
			v.SetInt(-1)
		case v.Kind() == reflect.Float64:
			v.SetFloat(-1)
		default:
			continue
		}
		checked++
		err := f.Validate(nil)
		should.Hold(t, err != nil && strings.Contains(err.Error(), k.Name), "%s = -1 is taken: %v", k.Name, err)
	}
	should.Hold(t, checked > 20, "%d keys are numbers", checked)
}
