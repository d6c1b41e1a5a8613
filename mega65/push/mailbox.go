package push

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"ssnail-kit/host/image"
	"ssnail-kit/mega65/hw"
)

// Flags of the mailbox.
const (
	MailLoaded = 1 // the image went through SSNAIL's load port
	MailAttic  = 2 // the image was copied into the RAM at $8000000
	MailLine   = 4 // a first line follows at $1610
)

const (
	mailWord    = "SSKP"
	mailVersion = 1
	mailBytes   = 16
	// MaxPrompt is how many characters a first line holds.
	MaxPrompt = 239
)

// Mailbox makes the note for the program, to be put at hw.Mailbox: the word
// SSKP, version, flags, two bytes 0, length and CRC-32 of the image file, and
// behind these 16 bytes a first line that ends with a zero. The program honours
// it once, at its start, and clears it.
//
// The line is what Line made of a prompt. Without an image the length is 0.
func Mailbox(flags byte, img []byte, line string) []byte {
	b := make([]byte, mailBytes, mailBytes+len(line)+1)
	copy(b, mailWord)
	if line != "" {
		flags |= MailLine
	}
	b[4], b[5] = mailVersion, flags
	binary.LittleEndian.PutUint32(b[8:], uint32(len(img)))
	binary.LittleEndian.PutUint32(b[12:], crc32.ChecksumIEEE(img))
	if line != "" {
		b = append(append(b, line...), 0)
	}
	return b
}

// Line turns a prompt into what can be typed on the machine: ASCII, with
// accents folded away. It must fit one line.
func Line(prompt string) (string, error) {
	var f image.Folder
	b := f.Fold(nil, []byte(prompt))
	for i, c := range b {
		if c < ' ' || c > '~' {
			return "", fmt.Errorf("prompt: character %d is a line break or tab: it must be one line", i+1)
		}
	}
	if len(b) > MaxPrompt {
		return "", fmt.Errorf("prompt: %d characters, a line holds %d", len(b), MaxPrompt)
	}
	return string(b), nil
}

// mailEnd is the first address behind a mailbox with the longest line.
const mailEnd = hw.MailboxText + MaxPrompt + 1
