// Package browser has nothing but tests: a real browser reads the pages that package report writes.
//
// It is a package of its own so that no program links what drives the browser.
package browser
