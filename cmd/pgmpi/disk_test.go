package main

import (
	"os"
	"syscall"
)

// disk makes a small file system of its own, that the test can fill.
func (s *script) disk(name, size string) {
	mount := s.path(name)
	s.must(os.Mkdir(mount, 0o777))
	if err := syscall.Mount("tmpfs", mount, "tmpfs", 0, "size="+size); err != nil {
		s.t.Skipf("a full disk needs a tmpfs of its own, and this user may not mount one: %v", err)
	}
	s.t.Cleanup(func() { _ = syscall.Unmount(mount, syscall.MNT_DETACH) })
}
