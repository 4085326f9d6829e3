package conf

import (
	"testing"

	"pgmpi/testkit/should"
)

type kitchen struct {
	Seats int    `toml:"seats" json:"-"`
	Dish  string `json:"dish,omitempty"`
	Oven  struct {
		Heat float64 `toml:"heat"`
	} `toml:"oven"`
	Guests []string `toml:"guests"`
}

func (k *kitchen) Rows() []Key {
	return []Key{
		{Field: At(&k.Oven.Heat, 200, Above(0., "%v is cold"), That(func(v float64) bool { return v < 300 }, "%v burns"))},
		{Field: At(&k.Guests, []string{"Ann"}, func(names *[]string) (errs []error) {
			for i, name := range *names {
				if name == "" {
					errs = append(errs, FieldError{Key: Element("", i), Msg: "has no name"})
				}
			}
			return errs
		})},
		{Field: OneOf(&k.Dish, "soup", "dish", []string{"soup", "salad"})},
		{Field: At(&k.Seats, 2, AtLeast(1, "%v is below 1")), Names: []string{"any"}},
	}
}

func TestARowHasTheNameTheDefaultAndTheLimitsOfItsField(t *testing.T) {
	k := Usual((*kitchen).Rows)
	should.Hold(t, k.Seats == 2 && k.Dish == "soup" && k.Oven.Heat == 200 && len(k.Guests) == 1 && len(Check(&k, k.Rows())) == 0, "%+v", k)
	var names []string
	for _, key := range Keys(&k, k.Rows()) {
		names = append(names, key.Name)
	}
	should.Equal(t, names, []string{"oven.heat", "guests", "dish", "seats"})
	should.Equal(t, Keys(&k, k.Rows())[2].Names, []string{"soup", "salad"})
	should.Equal(t, Keys(&k, k.Rows())[3].Names, []string{"any"})

	k = kitchen{Dish: "soop", Guests: []string{"Ann", ""}}
	k.Oven.Heat = 300
	should.Equal(t, Check(&k, k.Rows()), FieldErrors{{"oven.heat", "300 burns"}, {"guests[1]", "has no name"},
		{"dish", `unknown dish "soop" (did you mean soup?)`}, {"seats", "0 is below 1"}})
}
