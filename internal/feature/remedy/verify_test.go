package remedy

import (
	"strings"
	"testing"
	"time"

	"pgmpi/internal/exitcode"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/reading"
	"pgmpi/measure/protocol"
	"pgmpi/testkit/bed"
	"pgmpi/testkit/documents"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// The library of a later night may need the setting no more, or be harmed by it.
func TestASettingIsVerifiedWithTheLibraryOfToday(t *testing.T) {
	t.Parallel()
	const us = time.Microsecond
	for name, c := range map[string]struct {
		large, worse time.Duration // without it at 256 KiB, and with it at 8 B
		first        string
		exit         int
	}{
		"it still helps":    {40 * us, 10 * us, "STILL HELPS: 1 of 1 cell faster with the setting in ", exitcode.OK},
		"it does no good":   {10 * us, 10 * us, "OBSOLETE: 1 part of the setting in ", exitcode.Violated},
		"it harms by today": {40 * us, 13 * us, "IT HARMS: the setting in ", exitcode.Violated},
	} {
		bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
			slowWithoutMalloc(b, 40*us, 10*us)
			must.Get(remedied(b, nil))(t)
			slowWithoutMalloc(b, c.large, c.worse)
			x := asked(b, faulting)
			x.Force = true
			before := must.Get(Read(folderOf(b.Out) + "/" + File))(t)
			v := must.Get(must.Get(Prepare(x))(t).Verify(t.Context(), func(run.Event) {}))(t)
			d := verified.Document(v)
			text := documents.Written(t, "table", d)
			should.Hold(t, strings.HasPrefix(text, c.first) && v.Exit == c.exit && v.Mpiruns == 20, "%s: %+v\n%s", name, v, text)
			should.Contain(t, strings.Join(d.Ended(0, "", "", v.Folder), "\n"), "pgmpi compare "+v.Sides[0]+" "+v.Sides[1])
			_, _, err := reading.Open(v.Sides[1])
			must.Do(t, err)
			should.Equal(t, must.Get(Read(folderOf(b.Out)+"/"+File))(t), before, "it changes the remedy")
		})
	}
}

func TestWhereNothingWasProvedThereIsNothingToVerify(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		b.Fake.Call = func(c protocol.JobCase, _ int) time.Duration {
			return map[bool]time.Duration{true: 40 * time.Microsecond, false: 10 * time.Microsecond}[c.Function == "MPI_Reduce" && c.Msize > 8]
		}
		must.Get(remedied(b, nil))(t)
		x := asked(b, faulting)
		x.Force = true
		_, err := must.Get(Prepare(x))(t).Verify(t.Context(), func(run.Event) {})
		should.Fail(t, err, "no setting to verify")
	})
}
