// Package untimed starts mpiruns that time nothing. They ask the library for its algorithms and
// variables, ask where ranks run, and count the messages of a call to see whether a setting is in
// effect. It writes nothing.
package untimed
