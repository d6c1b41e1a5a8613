// Package firmware holds the program that runs on the MEGA65: its sources
// (src), the constants that they share with the rest of the kit, and the way
// from there to machine code or to sources for other assemblers. The program's
// bytes depend on no model.
package firmware
