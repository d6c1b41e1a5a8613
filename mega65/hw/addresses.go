package hw

// ClockHz is the CPU clock at full speed.
const ClockHz = 40_500_000

// Memory, 28-bit addresses.
const (
	ChipRAMSize   = 0x60000 // 384 KB
	ROMStart      = 0x20000 // write-protected
	ROMEnd        = 0x40000
	BASICStart    = 0x2001
	Mailbox       = 0x1600 // push leaves its note here, 16 bytes
	MailboxText   = 0x1610 // a first line for the program, NUL-terminated
	ColourRAMChip = 0x1F800
	AtticStart    = 0x8000000
	AtticSize     = 0x800000 // HyperRAM, 8 MB
	SDRAMSize     = 0x4000000
	CellarEnd     = 0xC000000
	ColourRAM     = 0xFF80000
	ColourRAMSize = 0x8000
	CharROMWindow = 0xFF7E000
	IOC64         = 0xFFD0000
	IOC65         = 0xFFD1000
	IOEthernet    = 0xFFD2000
	IOMEGA65      = 0xFFD3000
	SectorBuffers = 0xFFD6000
	SectorF011    = 0xFFD6C00 // F011's buffer, with $D689 bit 7 = 0
	SectorSD      = 0xFFD6E00 // the SD card's, with $D689 bit 7 = 1
	I2CWindow     = 0xFFD7000
	SSNAIL        = 0xFFD7500 // SSNAIL's registers, SSN* below are offsets
	HypervisorRAM = 0xFFF8000
)

// SSNAIL's registers, offsets from SSNAIL.
const (
	SSNID          = 0x00
	SSNVersion     = 0x01
	SSNCaps        = 0x02
	SSNControl     = 0x03
	SSNStatus      = 0x04
	SSNError       = 0x05
	SSNJob         = 0x08 // four bytes
	SSNHyperSize   = 0x10 // MB
	SSNSDRAMBase   = 0x11 // MB
	SSNSDRAMSize   = 0x12 // MB; 0 = HyperRAM stands at $8000000
	SSNLoadPointer = 0x14 // bits 0-23, staged
	SSNLoadCommit  = 0x17
	SSNLoadData    = 0x18
	SSNRegisters   = 0x20 // how many there are

	SSNPresent    = 0x53 // what SSNID reads
	SSNCapSDRAM   = 0x01
	SSNGo         = 0x01
	SSNBusy       = 0x01
	SSNReady      = 0x80 // of SSNLoadCommit, read
	SSNLoadError  = 0x40 // likewise
	SSNClearError = 0x40 // of SSNLoadCommit, written
	SSNRingSize   = 1024 // load port ring in bytes
	SSNBlock      = 256  // bytes written to RAM at a time
	SSNRoom       = 512  // what READY promises
)

// SSNAIL's error codes. No public document fixes them; these are ours.
const (
	SSNErrNone      = 0
	SSNErrAddress   = 1
	SSNErrIllegal   = 2
	SSNErrAlignment = 3
	SSNErrNumber    = 4 // NaN or infinity
)

// DefaultBandwidth is SSNAIL's memory traffic in bytes a second that emulated
// time is made of.
const DefaultBandwidth = 130_000_000

// Registers in the MEGA65 I/O personality, CPU addresses.
const (
	CPUPort         = 0x0000 // 65 forces 40 MHz, 64 releases it
	CPUPortData     = 0x0001
	VICBorder       = 0xD020
	VICBackground   = 0xD021
	VICKnock        = 0xD02F // $47 $53 = MEGA65 I/O
	VICControl1     = 0xD011
	VICRaster       = 0xD012
	VICControl2     = 0xD016
	VICMemory       = 0xD018
	VICIRQ          = 0xD019
	VICIRQMask      = 0xD01A
	VICROMBank      = 0xD030
	VICControlB     = 0xD031
	VICControlC     = 0xD054
	VICLineStepLo   = 0xD058
	VICLineStepHi   = 0xD059
	VICScaleX       = 0xD05A
	VICScaleY       = 0xD05B
	VICHotReg       = 0xD05D
	VICColumns      = 0xD05E
	VICScreen       = 0xD060 // three bytes and four bits of $D063
	VICColourOffset = 0xD064
	VICCharset      = 0xD068 // three bytes
	VICRows         = 0xD07B // rows - 1
	F011Control     = 0xD080
	F011Command     = 0xD081
	F011Status      = 0xD082
	F011StatusB     = 0xD083
	F011Track       = 0xD084
	F011Sector      = 0xD085
	F011Side        = 0xD086
	F011Data        = 0xD087
	KeyModifiersEv  = 0xD60A
	KeyFlags        = 0xD60F // bit 5: a real board
	KeyASCII        = 0xD610
	KeyModifiers    = 0xD611
	KeyVirtual1     = 0xD615
	KeyVirtual2     = 0xD616
	KeyVirtual3     = 0xD617
	KeyPETSCII      = 0xD619
	BoardID         = 0xD629
	HyperTrap       = 0xD640
	SDCommand       = 0xD680
	SDControl       = 0xD689 // bit 7: SD buffer instead of F011's
	ReconfigStatus  = 0xD6CF // test programs under xmega65 only
	DMAListLo       = 0xD700
	DMAListHi       = 0xD701
	DMAListBank     = 0xD702
	DMAControl      = 0xD703
	DMAListMB       = 0xD704
	DMAEnhanced     = 0xD705
	DMAInline       = 0xD707
	MathBusy        = 0xD70F
	MathDivFraction = 0xD768
	MathDivWhole    = 0xD76C
	MathA           = 0xD770
	MathB           = 0xD774
	MathProduct     = 0xD778
	FrameCounter    = 0xD7FA
	SDRAMSelect     = 0xD7FE // bit 4
)

// Keyboard codes of $D610.
const (
	KeyUp       = 0x91
	KeyDown     = 0x11
	KeyLeft     = 0x9D
	KeyRight    = 0x1D
	KeyHome     = 0x13
	KeyClear    = 0x93
	KeyDel      = 0x14
	KeyInsert   = 0x94
	KeyReturn   = 0x0D
	KeyRunStop  = 0x03
	KeyEscape   = 0x1B
	KeyTab      = 0x09
	KeyHelp     = 0x1F
	KeyF1       = 0xF1
	KeyF3       = 0xF3
	KeyF5       = 0xF5
	KeyF7       = 0xF7
	KeyF9       = 0xF9
	KeyF11      = 0xFB
	KeyF13      = 0xFD
	KeyNoASCII  = 0xFF
	VirtualNone = 0x7F
)
