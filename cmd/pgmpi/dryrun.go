package main

import (
	"pgmpi/internal/campaign"
	"pgmpi/measure/protocol"
)

// stagesOf are the stages of the commands that have a dry run.
var stagesOf = map[string][]protocol.Mode{
	"check":   {protocol.ModeNREP, protocol.ModeMeasure, protocol.ModeSplit},
	"nrep":    {protocol.ModeNREP},
	"measure": {protocol.ModeMeasure},
}

// dryRun prints what a command would do. It starts no mpirun and writes
// nothing; a check that R is too small for ends with 4, as it would without it.
func dryRun(c *campaign.Campaign, command, format string) error {
	e, err := c.Estimate(stagesOf[command]...)
	if err != nil {
		return err
	}
	plan := campaign.Plan{Campaign: c, Estimate: e, Command: command}
	if err := show(campaign.Plans.Document(&plan), orUsual(campaign.Plans, format)); err != nil {
		return err
	}
	if command == "check" && e.Design.Refused != nil {
		return &campaign.Refused{Reason: e.Design.Refused.Reason}
	}
	return nil
}
