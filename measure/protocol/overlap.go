package protocol

// The ways to compute beside a nonblocking call (S-NETGAUGE §4.1), of [overlap] in gl.toml.
const (
	OverlapTime = "time" // for so long by the clock
	OverlapWork = "work" // steps of a loop, whose number was calibrated
)

var OverlapMethods = []string{OverlapTime, OverlapWork}
