package image

// Memory is what the tokenizer and the tools read an image through: a core's
// RAM, or an Image. Read fills dst from addr on, or fails naming the address.
type Memory interface {
	Read(addr uint32, dst []byte) error
}
