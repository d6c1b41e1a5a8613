// Package push brings programs and models onto a real MEGA65: over the serial
// monitor with nothing else installed (Serial), with the user's m65 tool (M65),
// or as files onto a computer by SFTP (SSH).
//
// A push over the serial line works together with firmware/src/receiver.s: the
// PC loads blocks into slots in chip RAM by the monitor while the receiver
// checks those before, sends them through SSNAIL's load port or copies them, and
// reads back what has arrived. A block counts when its CRC-32 was right in
// memory. Since memory itself says what is there, a second push goes on behind
// the last verified block, whatever ended the first one.
//
// The program learns of the image by a mailbox in memory, see Mailbox.
package push
