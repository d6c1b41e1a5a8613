package image

// Addresses in SSNAIL's 28-bit space.
const (
	Base         = 0x8000000 // header and runtime block; the image starts here
	JobSlots     = 0x8000080 // the description in the file; room for NJobSlots instructions once it is loaded
	OutputVector = 0x8000100 // output vector of encoders
	TokenBuffer  = 0x8001000 // u32 per token
	Payload      = 0x8005000 // script, tables, weights; then scratch
	HyperBase    = 0xC000000 // HyperRAM on boards whose main RAM is SDRAM; no block straddles it
	HyperEnd     = 0xC800000 // first address beyond all memory
	AddrMask     = 0xFFFFFFF // addresses have 28 bits
)

// Sizes and limits.
const (
	HeaderSize        = 256
	NJobSlots         = 4
	OutputVectorBytes = 3840   // most that an encoder can hand out: 960 f32
	TokenBufferBytes  = 0x4000 // 4096 tokens
	MaxContext        = TokenBufferBytes/4 - 1
	BlockAlign        = 32  // every payload block starts at a multiple of this
	EndAlign          = 256 // the file ends at, and scratch blocks are rounded up to, a multiple of this
	DescriptionBytes  = 128 // with the final NUL
	InstructionBytes  = 16
	AttnBlockBytes    = 32
	ScriptSlotsBase   = 64 // the script has ScriptSlotsBase + ScriptSlotsLayer*layers slots
	ScriptSlotsLayer  = 64
	Version           = 1
	MaxMemMB          = 72 // the largest memory that any board has
)

// Magic is the first four bytes of an image.
const Magic = "SSNL"

// Offsets of the header's fields from Base.
const (
	OffMagic       = 0x00
	OffVersion     = 0x04 // u16
	OffFlags       = 0x06 // u16
	OffScript      = 0x08
	OffWeights     = 0x0C // script address + 16 * slots: where the vocab table begins
	OffScratch     = 0x10
	OffTokens      = 0x14
	OffVocab       = 0x18
	OffNVocab      = 0x1C
	OffMaxCtx      = 0x20
	OffBOS         = 0x24
	OffEOS         = 0x28
	OffPayloadLen  = 0x2C
	OffOutput      = 0x30
	OffOutputLen   = 0x34
	OffMemNeeded   = 0x38
	OffArch        = 0x3C
	OffLoadAddr    = 0x64
	OffTokenizer   = 0x78
	OffDescription = 0x80
)

// Offsets of the runtime block, which CPU and script share.
const (
	OffPos         = 0x40 // next position to process
	OffPromptLen   = 0x44
	OffNGenerate   = 0x48 // most tokens in this run
	OffGenerated   = 0x4C // written by the script
	OffStopRequest = 0x50 // non-zero: the CPU asks to stop after the current token
	OffStopReason  = 0x54 // written by the script: Stop...
	OffRuntimeEnd  = 0x58
)

// Values of the runtime block's stop reason.
const (
	StopNone      = 0
	StopCount     = 1 // n_generate tokens were made
	StopEOS       = 2
	StopContext   = 3 // the context is full (encoder: text too long, no output)
	StopRequested = 4
)

// FlagEncoder in the header's flags marks an encoder (bert).
const FlagEncoder = 1

// Offsets within the tokenizer block.
const (
	TokOffKind       = 0 // u8, Kind
	TokOffFlags      = 1 // u8, TokFlag...
	TokOffNVocab     = 4
	TokOffIndex      = 8 // address of the sorted index: u32 token ids ordered by piece bytes
	TokOffNIndex     = 12
	TokOffPriorities = 16 // u16 per token, u32 with TokFlagWide
	TokOffBytes      = 20 // 256 * u32: the token a byte starts as
	TokOffBegin      = 24
	TokOffEnd        = 28
	TokOffUnknown    = 32
	TokBlockBytes    = 36
	ByteTableBytes   = 1024
)

// Flags of the tokenizer block.
const (
	TokFlagLowercase = 0x02
	TokFlagWide      = 0x08 // priorities are u32
)

// NoToken stands for "no such token" in the tokenizer block and the byte table.
const NoToken = 0xFFFFFFFF

// Priorities of tokens that no merge makes.
const (
	NoPriority16 = 0xFFFF
	NoPriority32 = 0xFFFFFFFF
)

// Arch is the architecture number of the header.
type Arch uint32

// The architectures.
const (
	Llama Arch = 0
	GPT2  Arch = 1
	Bert  Arch = 2
)

// String returns the GGUF name of the architecture.
func (a Arch) String() string {
	switch a {
	case Llama:
		return "llama"
	case GPT2:
		return "gpt2"
	case Bert:
		return "bert"
	}
	return "unknown architecture " + itoa(uint64(a))
}

// Kind is the tokenizer kind of the tokenizer block.
type Kind uint8

// The tokenizer kinds.
const (
	SentencePiece Kind = 0
	BPE           Kind = 1 // byte-level
	WordPiece     Kind = 2
)

// String names the kind.
func (k Kind) String() string {
	switch k {
	case SentencePiece:
		return "SentencePiece"
	case BPE:
		return "byte-level BPE"
	case WordPiece:
		return "WordPiece"
	}
	return "unknown tokenizer " + itoa(uint64(k))
}

// MemEnd returns the first address beyond a memory of mb megabytes.
func MemEnd(mb int) uint32 { return Base + uint32(mb)<<20 }

// Align rounds addr up to a multiple of n, a power of two.
func Align(addr, n uint32) uint32 { return (addr + n - 1) &^ (n - 1) }

// Place returns where a block of size bytes that may start at addr really
// starts: at a multiple of align, and at HyperBase if it would straddle it,
// because an operation streams a block from one RAM.
func Place(addr, size, align uint32) uint32 {
	addr = Align(addr, align)
	if addr < HyperBase && uint64(addr)+uint64(size) > HyperBase {
		return HyperBase
	}
	return addr
}
