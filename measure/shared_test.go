package measure

import (
	"fmt"
	"io"
	"os"
	"testing"

	"pgmpi/internal/fixture/must"
	"pgmpi/internal/fixture/should"
	"pgmpi/measure/launch"
)

// As MPICH's rank 0 does inside MPI_Init, where a kill leaves the file to nobody.
func TestFileOfARankThatIsKilledWhileItStartsIsRemoved(t *testing.T) {
	name := func(of string) string {
		return fmt.Sprintf("%s/mpich_shar_tmp-pgmpi-test-%s-%d", launch.SharedFolder, of, os.Getpid())
	}
	own, other := name("own"), name("other")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Skip(err)
	}
	defer os.Remove(other)
	defer os.Remove(own)
	x := must.Get(Exec([]string{"sh", "-c", `sleep 0.1; sh -c 'exec 3>"$0"; sleep 0.3; kill -9 $$' "$0"`, own}, os.Environ(), io.Discard))(t)
	defer x.Stdout.Close()
	<-x.Exited
	_, err := os.Stat(own)
	must.Hold(t, err == nil, "the rank has left nothing: %v", err)
	x.Kill()
	_, err = os.Stat(own)
	should.Hold(t, err != nil, "the file of the rank is left")
	_, err = os.Stat(other)
	should.Do(t, err, "the file of another is gone")
}
