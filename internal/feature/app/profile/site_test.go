package profile

import (
	"strings"
	"testing"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestPlacesThatCannotBeAreRefused(t *testing.T) {
	good := strings.Replace(written(1, call(8, 1000)), `"calls":[`, `"sites":[{"function":"MPI_Bcast","bytes":8,"module":"/app","offset":66,"calls":40,"sum_ns":400},`+
		`{"function":"MPI_Bcast","bytes":8,"module":"/app","offset":99,"where":"main at app.c:7","calls":60,"sum_ns":600}],"calls":[`, 1)
	p := must.Get(Read(put(t, "app.prof", good)))(t)
	should.Equal(t, p.Sites[0], Site{"MPI_Bcast", 8, "/app", 99, "main at app.c:7", 60, 600}, "the dearest first")
	should.Equal(t, p.SiteSeconds(p.Sites[0]), 6e-7)
	for old, new := range map[string]string{`"sites":[{"function":"MPI_Bcast"`: `"sites":[{"function":"MPI_Type_size"`, `"bytes":8,"module"`: `"bytes":-8,"module"`, `"calls":40`: `"calls":0`,
		`"sum_ns":400`: `"sum_ns":-1`, `"sum_ns":600`: `"sum_ns":60000`} {
		_, err := Read(put(t, "bad.prof", strings.Replace(good, old, new, 1)))
		should.Fail(t, err, "bad.prof is damaged", new)
	}
}
