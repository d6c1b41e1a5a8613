package main

import (
	"fmt"

	"ssnail-kit/firmware"
)

// programs builds what goes on a disk: the chat program, and the software core
// for machines without SSNAIL if soft is set, else nil.
func programs(soft bool) (main, core []byte, err error) {
	p, err := firmware.Build(firmware.Options{})
	if err != nil {
		return nil, nil, fmt.Errorf("the program for the MEGA65: %w", err)
	}
	if !soft {
		return p.PRG, nil, nil
	}
	c, err := firmware.Build(firmware.Options{Root: firmware.SoftCore})
	if err != nil {
		return nil, nil, fmt.Errorf("the software core for the MEGA65: %w", err)
	}
	return p.PRG, c.PRG, nil
}
