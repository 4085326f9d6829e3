// Package reading opens results folders and judges what they hold: one check, the nights
// below a root, the folders of a baseline, tables and pictures of several. It writes only
// what it is asked to store.
package reading
