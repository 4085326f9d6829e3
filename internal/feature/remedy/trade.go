package remedy

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/fail"
	"pgmpi/internal/phrase"
	"pgmpi/internal/tuning"
)

// tradeFolder begins the names of the folders that have the settings of trades.
const tradeFolder = "trade-"

// open tells whether a trade makes a cell faster that nothing else is proved to mend.
func (t *Trade) open(cells []Cell) bool {
	return slices.ContainsFunc(t.Mends, func(k Traded) bool {
		c := cellOf(cells, k.Cell)
		return c == nil || c.State != CellMended && c.State != CellFaster
	})
}

// exportTrades writes the setting of each trade into a folder of its own, for the user to choose.
func (x *mending) exportTrades() (err error) {
	old, _ := filepath.Glob(filepath.Join(x.found.Folder, tradeFolder+"*"))
	for _, folder := range old {
		for _, name := range tuning.AllFiles {
			if e := os.Remove(filepath.Join(folder, name)); !os.IsNotExist(e) {
				err = errors.Join(err, e)
			}
		}
		_ = os.Remove(folder) // unless the user has something in it
	}
	out := []Trade{}
	for _, t := range x.found.Trades {
		twice := slices.ContainsFunc(out, func(o Trade) bool { return o.Label == t.Label })
		if twice || !t.open(x.found.Cells) {
			continue
		}
		t.Folder = fmt.Sprint(tradeFolder, len(out)+1)
		s := setting{choices: []tuning.Choice{t.choice}, folder: filepath.Join(x.found.Folder, t.Folder)}
		refused, e := s.write(x.target)
		if e != nil || len(refused) > 0 {
			err = errors.Join(err, e)
			continue
		}
		for _, f := range s.files {
			if f.Name == tuning.EnvFile {
				err = errors.Join(err, writeFile(s.folder, f.Name, f.Content))
			}
		}
		t.Env = s.env
		out = append(out, t)
	}
	x.found.Trades = out
	return fail.AsSetup(err)
}

// String says what a trade gives and takes: "malloc's variables make 2 cells faster (up to 2.05×) and 1 slower (1.10×)".
func (t *Trade) String() string {
	most := func(list []Traded) string {
		k := slices.MaxFunc(list, func(a, b Traded) int { return cmp.Compare(orZero(a.Ratio), orZero(b.Ratio)) })
		return phrase.When(len(list) > 1, "up to ") + phrase.Ratio(k.Ratio)
	}
	return fmt.Sprintf("%s: %s faster (%s), and %s slower (%s)%s", t.Label, conf.Plural(len(t.Mends), "cell"), most(t.Mends),
		conf.Plural(len(t.Harms), "case"), most(t.Harms), t.SetUp.Longer())
}

func tradesTable(r *Result) (out []document.Section) {
	for _, t := range r.Trades {
		table := &document.Table{Head: []string{"call", "on", "size", "faster", "slower", "95 %"}, Align: "llrrrl", Flex: 1}
		for _, k := range t.Mends {
			table.Add(k.Function, k.Shape, conf.HumanSize(k.Msize), phrase.Ratio(k.Ratio), "", phrase.Interval(k.Lo, k.Hi))
		}
		for _, k := range t.Harms {
			table.Add(k.Function, k.Shape, conf.HumanSize(k.Msize), "", phrase.Ratio(k.Ratio), phrase.Interval(k.Lo, k.Hi))
		}
		s := document.Tabled(table, "", "A trade, unset: %s", t.Label)
		s[0].Command("To take it", []string{".", conf.Quote(filepath.Join(r.Folder, t.Folder, tuning.EnvFile))})
		out = append(out, s...)
	}
	return out
}
