package results

import (
	"fmt"

	"pgmpi/internal/conf"
)

// Kind names the command that has made a results folder, which tells who can read it.
type Kind string

// The kinds that this version writes. One that it does not know is refused by every reader.
const (
	Check       Kind = "check" // by check, nrep and measure; both folders of an ab
	Explore     Kind = "explore"
	Overlap     Kind = "overlap"
	Fingerprint Kind = "fingerprint"
	Pipelined   Kind = "pipelined" // calls in a row
	AB          Kind = "ab"        // it holds two folders, and has no manifest
	Imported    Kind = "imported"  // measurements of another program
)

// Checks are the kinds whose plans have tests of guidelines.
var Checks = []Kind{Check, Imported}

// ABFile marks a folder of `pgmpi ab`, whose results folders are a and b.
const ABFile = "ab.json"

// Proofs begins the name of a folder with the mpiruns of a remedy; a folder of `pgmpi ab` is in it for
// each proof.
const Proofs = "proof-"

func (k Kind) Command() string {
	switch k {
	case Pipelined:
		return "pgmpi times --pipelined"
	case Imported:
		return "pgmpi analyze --from"
	default:
		return "pgmpi " + string(k)
	}
}

func (k Kind) Shown(path string) string {
	switch k {
	case Check, Explore, Imported:
		return "pgmpi analyze " + path
	case AB:
		return "pgmpi compare " + path
	case Fingerprint:
		return k.Command() + " " + path + " CASE"
	default:
		return k.Command() + " " + path
	}
}

func (k Kind) GoesOn(path string) string {
	if k == Fingerprint {
		return k.Command() + " CASE --out " + path + " --resume"
	}
	return k.Command() + " --out " + path + " --resume"
}

// OtherKind is why a folder is not read: it has nothing for who asks.
type OtherKind struct {
	Path string
	Kind Kind
}

func (e *OtherKind) Error() string {
	return fmt.Sprintf("%s is a folder of %s; %s shows it", e.Path, e.Kind.Command(), e.Kind.Shown(conf.Quote(e.Path)))
}
