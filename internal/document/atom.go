package document

import (
	"crypto/sha256"
	"encoding/xml"
	"fmt"
	"io"

	"pgmpi/internal/lists"
)

// atomFormat is a feed (RFC 4287).
var atomFormat = Format{Name: "atom", ext: "atom", from: feed, ForBrowsers: true, Write: writeAtom}

// Feed is what happened, the newest first.
type Feed struct {
	Title, Updated string // RFC 3339
	Entries        []Entry
}

// Entry is something that happened. Its Key tells it from all others, and stays the same.
type Entry struct{ Key, Title, Text, Updated, Link string }

type atomLink struct {
	Href string `xml:"href,attr"`
}

type atomEntry struct {
	ID      string   `xml:"id"`
	Title   string   `xml:"title"`
	Updated string   `xml:"updated"`
	Link    atomLink `xml:"link"`
	Summary string   `xml:"summary"`
}

type atomFeed struct {
	XMLName xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
	ID      string      `xml:"id"`
	Title   string      `xml:"title"`
	Updated string      `xml:"updated"`
	Author  string      `xml:"author>name"`
	Entries []atomEntry `xml:"entry"`
}

func writeAtom(w io.Writer, d *Document) error {
	out := atomFeed{ID: urn(d.Feed.Title), Title: OneLine(d.Feed.Title), Updated: OneLine(d.Feed.Updated), Author: "pgmpi"}
	out.Entries = lists.Map(d.Feed.Entries, func(e Entry) atomEntry {
		return atomEntry{urn(e.Key), OneLine(e.Title), OneLine(e.Updated), atomLink{e.Link}, OneLine(e.Text)}
	})
	text, err := xml.MarshalIndent(&out, "", " ")
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, xml.Header+string(text)+"\n")
	return err
}

// urn is a name made from a text (RFC 9562, version 8).
func urn(text string) string {
	sum := sha256.Sum256([]byte(text))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}
