package places

import (
	"context"
	"testing"
	"time"

	"pgmpi/internal/feature/app/profile"
	"pgmpi/testkit/should"
)

// These are lines that addr2line of binutils 2.40 writes.
func TestPlacesAreNamedAsFarAsTheyAreKnown(t *testing.T) {
	for want, said := range map[string][2]string{
		"main at solver.c:42":         {"main", "/home/me/solver.c:42"},
		"Box::wrap(int) at box.cpp:7": {"Box::wrap(int)", "./src/box.cpp:7 (discriminator 3)"},
		"exchange_ in app+0x10":       {"exchange_", "??:?"},
		"inlined in app+0x10":         {"inlined", "/home/me/solver.c:?"},
		"app+0x10":                    {"??", "??:0"},
	} {
		should.Equal(t, named(said[0], said[1], "app+0x10"), want)
	}
}

func TestAPlaceInAFileThatIsNotThereHasItsOffset(t *testing.T) {
	sites := []profile.Site{{Module: "/not/there/app", Offset: 0x1234}, {Module: "app", Offset: 7}, {Offset: 8}}
	Name(context.Background(), sites, time.Second)
	should.Equal(t, sites[0].Where, "app+0x1234")
	should.Equal(t, sites[1].Where, "app+0x7")
}
