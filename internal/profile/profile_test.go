package profile

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgmpi/internal/fixture/must"
	"pgmpi/internal/fixture/should"
)

// written has the text of a profile with one kind of call.
func written(ranks int, call string) string {
	return fmt.Sprintf(`{"schema":"pgmpi-profile/1","program":"app","library":"L","processes":2,"ranks":%d,"finished":false,"wall_ns":1000000000,"calls":[%s]}`, ranks, call)
}

func call(bytes, sum int) string {
	return fmt.Sprintf(`{"function":"MPI_Bcast","bytes":%d,"processes":2,"communicator":"world","datatype":"MPI_BYTE","calls":100,"ranks":1,"sum_ns":%d,"least_rank_ns":%[2]d,"most_rank_ns":%[2]d,"least_call_ns":10}`, bytes, sum)
}

func put(t *testing.T, name, text string) string {
	path := filepath.Join(t.TempDir(), name)
	must.Do(t, os.WriteFile(path, []byte(text), 0o666))
	return path
}

func TestADamagedProfileIsRefusedWithItsName(t *testing.T) {
	good := written(1, call(8, 1000))
	_, err := Read(put(t, "good", good))
	must.Do(t, err)
	for old, new := range map[string]string{
		"pgmpi-profile/1": "pgmpi-profile/9", `"ranks":1,"finished"`: `"ranks":3,"finished"`, `"calls":100`: `"calls":0`, `"bytes":8`: `"bytes":-8`,
		`"wall_ns":1000000000`: `"wall_ns":0`, `"least_rank_ns":1000`: `"least_rank_ns":2000`, "{": "",
	} {
		must.Hold(t, strings.Contains(good, old), "%s", old)
		_, err := Read(put(t, "bad.prof", strings.Replace(good, old, new, 1)))
		should.Fail(t, err, "bad.prof", new+" for "+old)
	}
}

func TestPartsOfRanksAreJoined(t *testing.T) {
	path := put(t, "app.prof.rank0", written(1, call(8, 3000)))
	path = strings.TrimSuffix(path, ".rank0")
	must.Do(t, os.WriteFile(path+".rank1", []byte(written(1, call(8, 1000)+","+call(64, 500))), 0o666))
	for _, begun := range []string{".rank1.77.new", ".78.new"} { // by ranks that were killed
		must.Do(t, os.WriteFile(path+begun, []byte(`{"schema":"pgmpi-pro`), 0o666))
	}
	must.Do(t, os.WriteFile(path+".mine.new", nil, 0o666))
	files, err := Left(path)
	must.Do(t, err)
	should.Equal(t, files, []string{path + ".78.new", path + ".rank0", path + ".rank1", path + ".rank1.77.new"})
	p, err := Parts(files)
	must.Do(t, err)
	must.Hold(t, len(p.Calls) == 2 && p.Ranks == 2, "%d ranks: %+v", p.Ranks, p.Calls)
	c := p.Calls[0]
	should.Hold(t, c.Calls == 200 && c.SumNS == 4000 && c.LeastRankNS == 1000 && c.MostRankNS == 3000, "%+v", c)
}

// One rank of two is always there first, and waits 2 of its 3 microseconds.
func TestWaitingIsWhatTheMeanRankSpendsMoreThanTheLeast(t *testing.T) {
	p := &Profile{Ranks: 2, Processes: 2, WallNS: 1e9}
	c := Call{Calls: 200, Ranks: 2, SumNS: 4000, LeastRankNS: 1000, MostRankNS: 3000}
	should.Equal(t, p.Seconds(c), 2e-6)
	should.Equal(t, p.Waiting(c), 1e-6)
	should.Equal(t, c.LeastMean(), 10e-9)
}
