package results

import (
	"path/filepath"
	"testing"
	"time"

	"pgmpi/measure/host"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestOnlyLaunchersWhoseNumbersHoldHereAreThoseOfAKilledDriver(t *testing.T) {
	here, began := host.ThesePIDs(), time.Now().UTC()
	must.Hold(t, here.Boot != "" && here.Namespace != "", "%+v", here)
	elsewhere, container, earlier := here, here, here
	elsewhere.Host, container.Namespace, earlier.Boot = "othernode", "pid:[1]", "another"
	dir := t.TempDir()
	f := must.Get(Create(dir))(t)
	for i, of := range []host.PIDs{here, elsewhere, container, earlier} {
		f.Remember(Launcher{PIDs: of, PID: 100 + i, Began: began, Temp: "/tmp"})
	}
	f.Remember(Launcher{PIDs: here, PID: 200, Began: began, Temp: "/tmp"})()
	must.Do(t, f.WriteText(launcherPrefix+"300", here.Host)) // as older versions wrote it
	must.Do(t, f.Close())
	f = must.Get(Create(dir))(t)
	defer f.Close()
	should.Hold(t, len(f.Killed) == 1 && f.Killed[0] == Launcher{here, 100, began, "/tmp"}, "%+v", f.Killed)
	left, _ := filepath.Glob(filepath.Join(dir, launcherPrefix+"*"))
	should.Equal(t, len(left), 0, "files left")
}
