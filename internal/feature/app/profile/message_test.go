package profile

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// sent is the text of a profile of one rank with messages of 4 to 7 KiB.
var sent = strings.Replace(written(1, call(8, 1000)), `"calls":[`, `"functions":[{"name":"MPI_Send","calls":7,"sum_ns":2000},{"name":"MPI_Send_c","calls":3,"sum_ns":5000}],`+
	`"messages":[{"function":"MPI_Send","bytes":4096,"pair":"node","calls":9,"sum_ns":6000},{"function":"MPI_Send","bytes":0,"pair":"","calls":1,"sum_ns":900}],"calls":[`, 1)

func TestMessagesOfRanksAreJoined(t *testing.T) {
	p := must.Get(Read(put(t, "app.prof", sent)))(t)
	must.Do(t, p.add(must.Get(Read(put(t, "other.prof", strings.Replace(sent, `"bytes":0`, `"bytes":1`, 1))))(t)))
	should.Equal(t, p.Messages, []Message{{"MPI_Send", 4096, OnNode, 18, 12000}, {"MPI_Send", 0, SomePair, 1, 900}, {"MPI_Send", 1, SomePair, 1, 900}})
	should.Equal(t, p.MessageSeconds(p.Messages[0]), 6e-6, "of a mean rank")
	should.Equal(t, p.MessagesOfRank(p.Messages[0]), 9.)
	should.Equal(t, p.Shares()[0].Seconds, 7e-6, "messages are counted once")
}

func TestMessagesThatCannotBeAreRefused(t *testing.T) {
	must.Get(Read(put(t, "good", sent)))(t)
	for old, new := range map[string]string{
		`"function":"MPI_Send","bytes":4096`: `"function":"MPI_Start","bytes":4096`, `"function":"MPI_Send","bytes":0`: `"function":"MPI_Recv","bytes":0`,
		`"bytes":4096`: `"bytes":4097`, `"bytes":0`: `"bytes":-1`, `"pair":"node"`: `"pair":"far"`, `"calls":9`: `"calls":10`, `"calls":1,`: `"calls":0,`,
		`"sum_ns":6000`: `"sum_ns":60000`, `"sum_ns":900`: `"sum_ns":-900`, `"pair":"","calls":1`: `"pair":"","calls":9223372036854775807`,
	} {
		must.Hold(t, strings.Contains(sent, old), "%s", old)
		_, err := Read(put(t, "bad.prof", strings.Replace(sent, old, new, 1)))
		should.Fail(t, err, "bad.prof is damaged", new)
	}
}

func TestSizesAreThoseOfThePreloadedLibrary(t *testing.T) {
	for bytes, size := range map[int64]int64{0: 0, 1: 1, 2: 2, 3: 2, 4: 4, 4095: 2048, 4096: 4096, 1<<40 + 1: 1 << 40} {
		should.Equal(t, SizesLike(bytes), size)
		should.Hold(t, bytes < Message{Bytes: size}.End(), "%d", bytes)
	}
	text := string(must.Get(os.ReadFile("../../../../measure/preload/others.c"))(t))
	var names []string
	for _, name := range regexp.MustCompile(`\b(?:MESSAGE|AS)\((\w+), (?:BLOCKS|RECEIVES|EXCHANGES|STARTS|EXPECTS|WAITS),`).FindAllStringSubmatch(text, -1) {
		names = append(names, "MPI_"+name[1])
	}
	should.Equal(t, names, messageFunctions)
}
