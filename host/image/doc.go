// Package image is the SSNAIL memory image: where things lie, the header and
// runtime block, the instruction set, the vocabulary and tokenizer tables, the
// tokenizer that works from those tables alone, the folder that turns a
// model's UTF-8 into printable ASCII, and the disassembler.
//
// Reading order: layout.go (addresses), header.go and open.go (the file),
// instruction.go and traffic.go (the script), tables.go (what the converter
// writes), tokenizer.go with merge.go, bpe.go and wordpiece.go (what the 45GS02
// does with it), fold.go, symbols.go and disasm.go.
//
// Everything is little-endian. Every number of the layout stands here and
// nowhere else; the constants of the assembly program are generated from it.
package image
