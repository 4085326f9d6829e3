package readers

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"pgmpi/measure/results"
)

type tables struct {
	*input
	format, title, run string
	function           string // the title's, or "" if it is not ours
	column             int    // of the time, or 0 if not known
	statistic          results.Statistic
	now                Setting
	when               time.Time
	m                  *measurement // receives the rows, once begun
}

func (t *tables) begin(title, function string) {
	t.title, t.function, t.column, t.m = title, function, 0, nil
}

func (t *tables) row(text string) error {
	cells := strings.Fields(text)
	switch {
	case len(cells) == 0:
		return nil
	case t.function == "" || t.column == 0:
		if len(t.all) > 0 {
			t.all[len(t.all)-1].leaveOut(t.title)
		}
		return nil
	case t.column >= len(cells):
		return fmt.Errorf("%d columns, at least %d are wanted; the file may be cut off", len(cells), t.column+1)
	}
	if t.m == nil {
		shape, err := t.placed()
		if err != nil {
			return err
		}
		t.now.Shape = shape
		t.m = t.measured(t.now, t.statistic)
		t.m.run, t.m.when = t.run, t.when
	}
	size, err := strconv.ParseInt(cells[0], 10, 64)
	if err != nil {
		return fmt.Errorf("%.40q is no size", cells[0])
	}
	if size == 0 { // some programs time an empty call
		return nil
	}
	us, err := strconv.ParseFloat(cells[t.column], 64)
	if err != nil {
		return fmt.Errorf("%.40q is no time", cells[t.column])
	}
	s, err := inNS(us * 1e3)
	if err != nil {
		return err
	}
	return t.m.add(t.format, t.function, size, s)
}

// each reads all lines. header tells whether a line is not a row.
func (t *tables) each(header func(text string) (bool, error)) error {
	for t.next() {
		text := strings.TrimSpace(t.text.Text())
		isHeader, err := header(text)
		if err == nil && !isHeader {
			err = t.row(text)
		}
		if err != nil {
			return err
		}
	}
	if len(t.all) == 0 {
		return errors.New("there is no time of a collective")
	}
	return nil
}
