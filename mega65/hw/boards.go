package hw

import "fmt"

// Board is the id that $D629 reads.
type Board byte

// Board ids (the public core's target list).
const (
	BoardR1         Board = 0x01
	BoardR2         Board = 0x02
	BoardR3         Board = 0x03
	BoardR4         Board = 0x04
	BoardR5         Board = 0x05
	BoardR6         Board = 0x06
	BoardPhone1     Board = 0x21
	BoardPhone4     Board = 0x22
	BoardNexys4     Board = 0x40
	BoardNexys4DDR  Board = 0x41
	BoardNexys4DDRW Board = 0x42
	BoardQMTechA    Board = 0x60
	BoardQMTechB    Board = 0x61
	BoardQMTechC    Board = 0x62
	BoardWukong     Board = 0xFD
	BoardSimulation Board = 0xFE
)

var boardNames = map[Board]string{
	BoardR1: "MEGA65 R1", BoardR2: "MEGA65 R2", BoardR3: "MEGA65 R3/R3A", BoardR4: "MEGA65 R4", BoardR5: "MEGA65 R5",
	BoardR6: "MEGA65 R6", BoardPhone1: "MEGAphone R1", BoardPhone4: "MEGAphone R4", BoardNexys4: "Nexys4 PSRAM",
	BoardNexys4DDR: "Nexys4 DDR", BoardNexys4DDRW: "Nexys4 DDR with widget", BoardQMTechA: "QMTech A", BoardQMTechB: "QMTech B",
	BoardQMTechC: "QMTech C", BoardWukong: "Wukong", BoardSimulation: "simulation",
}

// String names the board.
func (b Board) String() string {
	if n, ok := boardNames[b]; ok {
		return n
	}
	return fmt.Sprintf("unknown board $%02X", byte(b))
}

// HasSDRAM tells whether the board carries 64 MB SDRAM besides its HyperRAM.
// Programs on the machine ask SSNAIL's own register instead (SSNSDRAMSize).
func (b Board) HasSDRAM() bool { return b >= BoardR4 && b <= BoardR6 }
