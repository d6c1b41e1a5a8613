// Package monitor is the client side of the MEGA65's serial ("matrix") monitor:
// halt and run the CPU, read and write memory, registers, reset. It speaks over
// any Line, a serial port or a socket.
//
// Everything is a handshake by replies. A command is sent, its echo is compared,
// and the prompt ends its reply; nothing sleeps and hopes. Every wait has a
// limit, and what a failed one says names the position on the line: bytes sent
// and received since the line was opened. What the monitor cannot take is never
// sent: a command has at most 64 characters, its receive FIFO holds 64 bytes, so
// commands that are sent ahead of their echo stay below that; a raw load ('l')
// stops by a compare of 16 bits, so a block is shorter than 64 KB and stays
// between two lines of 64 KB.
//
// Sources: the monitor's own source (src/monitor/monitor.a65 of the public
// core), its UART, and what the m65 tool does.
package monitor
