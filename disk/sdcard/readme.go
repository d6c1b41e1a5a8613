package sdcard

import (
	"fmt"
	"strings"

	"ssnail-kit/host/convert"
)

const readmeTitle = "A language model on the MEGA65"

// readme says what to do with the folder, to somebody who has never seen the
// kit. Lines end as old editors want them.
func readme(files []File) []byte {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\r\n", args...) }
	line(readmeTitle)
	line("%s", strings.Repeat("=", len(readmeTitle)))
	line("")
	line("You need a MEGA65, best with a core that has the accelerator SSNAIL. Without")
	line("it the program says so and offers a core in software, about a hundred times")
	line("slower: good for the smallest models, and for none of more than 8 MB.")
	line("")
	line("1. Copy SSNAIL.D81 and then the folder SSNAIL to the top of the SD card:")
	line("   the one in the slot at the back, or inside, where your other D81s are.")
	line("")
	line("2. Switch the MEGA65 on and type, each line with RETURN:")
	line("")
	line("     MOUNT \"SSNAIL.D81\"")
	line("     BOOT")
	line("")
	line("3. Choose a model with the cursor keys and RETURN. Loading takes a while:")
	line("   the program shows how far it is.")
	line("")
	line("4. Type the beginning of a text and press RETURN: the model goes on with it.")
	line("   RUN/STOP stops it, RETURN alone lets it go on, /help shows the commands,")
	line("   /quit ends. These models continue texts; most are no assistants.")
	line("")
	line("Models in the folder SSNAIL:")
	line("")
	for _, f := range files {
		line("  %-16s %s", f.Name, f.Description)
		line("  %-16s needs %s of memory: %s", "", megabytes(f.MemNeeded), boards(f.MemNeeded))
		if f.Encoder {
			line("  %-16s an encoder: it finds which of your lines mean the same", "")
		}
	}
	line("")
	line("Settings stand in SSNAIL/CONFIG.TXT: open it with any editor.")
	line("")
	line("If something does not work:")
	line("")
	line("- \"FILE NOT FOUND\" at MOUNT: the file must be called SSNAIL.D81 and lie at the")
	line("  top of the card, not in a folder.")
	line("- MOUNT refuses the disk though it is there: the card has it in pieces, and the")
	line("  MEGA65 wants it in one. Delete it from the card, copy it again; if that does")
	line("  not help, save the card's files, format it on the MEGA65, and copy SSNAIL.D81")
	line("  back first.")
	line("- A model is not in the list: its file must lie in the folder SSNAIL or at the")
	line("  top of the card, and end in .SSNAIL.")
	line("- A model is listed but cannot be chosen: it needs more memory than your board")
	line("  has. Make it smaller with ssnail-kit: --wtype q4_0, or a shorter --ctx.")
	return []byte(b.String())
}

// boards names the boards whose memory is enough.
func boards(needed uint32) string {
	for _, m := range convert.MemSizes {
		if uint64(needed) <= uint64(m.MB)<<20 {
			return m.Boards
		}
	}
	return "more than any board has"
}

// megabytes rounds up: what is said to need 8.0 MB fits 8 MB.
func megabytes(n uint32) string {
	tenths := (uint64(n)*10 + 1<<20 - 1) >> 20
	return fmt.Sprintf("%d.%d MB", tenths/10, tenths%10)
}
