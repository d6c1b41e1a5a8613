package firmware

import (
	"bytes"
	"fmt"

	"ssnail-kit/host/image"
)

// The include files that Constants makes.
const (
	HardwareFile = "hw.inc"
	ImageFile    = "image.inc"
)

// constant is one line of an include file. A constant without a name is a
// heading.
type constant struct {
	name  string
	value uint32
	note  string
}

// Constants returns the assembly's include files by name: hw.inc with the
// machine's registers (HW_), SSNAIL's registers (SSN_), keys (KEY_) and
// screen codes (CODE_); image.inc with the memory map (SSN_), header offsets
// (HDR_), tokenizer block offsets (TOK_) and the core's instructions (OP_);
// font.inc and screencodes.inc with bytes for the screen, without labels.
// The numbers are those of the packages mega65/hw and host/image.
func Constants() map[string][]byte {
	return map[string][]byte{
		HardwareFile:    include("The machine's addresses and codes. Made from the kit's tables, do not edit.", hardwareConstants()),
		ImageFile:       include("The layout of a SSNAIL image. Made from the kit's tables, do not edit.", imageConstants()),
		FontFile:        fontInclude(),
		ScreenCodesFile: screenCodesInclude(),
		ChordsFile:      chordsInclude(),
		Exp2File:        exp2Include(),
	}
}

// include writes one file in the assembly's syntax.
func include(title string, list []constant) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "; %s\n", title)
	for _, c := range list {
		if c.name == "" {
			fmt.Fprintf(&b, "\n; %s\n", c.note)
			continue
		}
		line := fmt.Sprintf("%-22s = %s", c.name, hexLiteral(c.value))
		if c.note != "" {
			line = fmt.Sprintf("%-40s; %s", line, c.note)
		}
		b.WriteString(line)
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// hexLiteral writes v with two digits if it fits a byte, else with as many as
// it needs: to the assembler a leading zero means "two bytes wide".
func hexLiteral(v uint32) string {
	if v < 0x100 {
		return fmt.Sprintf("$%02x", v)
	}
	return fmt.Sprintf("$%x", v)
}

func imageConstants() []constant {
	return []constant{
		{"", 0, "Memory map of SSNAIL, 28-bit addresses"},
		{"SSN_RAM", image.Base, "header and runtime block"},
		{"SSN_JOBS", image.JobSlots, "room for four instructions once loaded"},
		{"SSN_OUTPUT", image.OutputVector, "output vector of encoders"},
		{"SSN_OUTPUT_BYTES", image.OutputVectorBytes, ""},
		{"SSN_TOKENS", image.TokenBuffer, "token buffer, 4 bytes a token"},
		{"SSN_MAX_CTX", image.MaxContext, "tokens, one less than the buffer holds"},
		{"SSN_PAYLOAD", image.Payload, ""},
		{"SSN_HYPER", image.HyperBase, "HyperRAM where SDRAM is the main RAM"},
		{"SSN_HYPER_END", image.HyperEnd, ""},
		{"", 0, "Header: offsets from SSN_RAM"},
		{"HDR_SIZE", image.HeaderSize, ""},
		{"HDR_MAGIC", image.OffMagic, "SSNL"},
		{"HDR_VERSION", image.OffVersion, "2 bytes"},
		{"HDR_FLAGS", image.OffFlags, "2 bytes"},
		{"HDR_SCRIPT", image.OffScript, ""},
		{"HDR_WEIGHTS", image.OffWeights, ""},
		{"HDR_SCRATCH", image.OffScratch, "end of the file"},
		{"HDR_TOKENS", image.OffTokens, ""},
		{"HDR_VOCAB", image.OffVocab, ""},
		{"HDR_NVOCAB", image.OffNVocab, ""},
		{"HDR_MAX_CTX", image.OffMaxCtx, ""},
		{"HDR_BOS", image.OffBOS, ""},
		{"HDR_EOS", image.OffEOS, ""},
		{"HDR_PAYLOAD_LEN", image.OffPayloadLen, ""},
		{"HDR_OUTPUT", image.OffOutput, "logits, or the pooled embedding"},
		{"HDR_OUTPUT_LEN", image.OffOutputLen, "in values"},
		{"HDR_MEM_NEEDED", image.OffMemNeeded, "from SSN_RAM"},
		{"HDR_ARCH", image.OffArch, ""},
		{"HDR_LOAD_ADDR", image.OffLoadAddr, ""},
		{"HDR_TOKENIZER", image.OffTokenizer, ""},
		{"HDR_DESCRIPTION", image.OffDescription, "UTF-8, NUL-terminated"},
		{"HDR_DESC_BYTES", image.DescriptionBytes, ""},
		{"", 0, "Runtime block: offsets from SSN_RAM"},
		{"HDR_POS", image.OffPos, "next position to process"},
		{"HDR_PROMPT_LEN", image.OffPromptLen, ""},
		{"HDR_N_GENERATE", image.OffNGenerate, ""},
		{"HDR_GENERATED", image.OffGenerated, "written by the script"},
		{"HDR_STOP_REQUEST", image.OffStopRequest, ""},
		{"HDR_STOP_REASON", image.OffStopReason, "STOP_..."},
		{"HDR_RUNTIME_END", image.OffRuntimeEnd, ""},
		{"", 0, "Values in the header"},
		{"IMG_VERSION", image.Version, ""},
		{"FLAG_ENCODER", image.FlagEncoder, "of HDR_FLAGS"},
		{"ARCH_LLAMA", uint32(image.Llama), ""},
		{"ARCH_GPT2", uint32(image.GPT2), ""},
		{"ARCH_BERT", uint32(image.Bert), ""},
		{"STOP_NONE", image.StopNone, ""},
		{"STOP_COUNT", image.StopCount, ""},
		{"STOP_EOS", image.StopEOS, ""},
		{"STOP_CONTEXT", image.StopContext, ""},
		{"STOP_REQUESTED", image.StopRequested, ""},
		{"", 0, "Tokenizer block: offsets"},
		{"TOK_KIND", image.TokOffKind, ""},
		{"TOK_FLAGS", image.TokOffFlags, ""},
		{"TOK_NVOCAB", image.TokOffNVocab, ""},
		{"TOK_INDEX", image.TokOffIndex, "token ids ordered by piece bytes"},
		{"TOK_NINDEX", image.TokOffNIndex, ""},
		{"TOK_PRIORITIES", image.TokOffPriorities, ""},
		{"TOK_BYTES", image.TokOffBytes, "256 starting tokens, 4 bytes each"},
		{"TOK_BEGIN", image.TokOffBegin, ""},
		{"TOK_END", image.TokOffEnd, ""},
		{"TOK_UNKNOWN", image.TokOffUnknown, ""},
		{"TOK_SIZE", image.TokBlockBytes, ""},
		{"TOK_LOWERCASE", image.TokFlagLowercase, "of TOK_FLAGS"},
		{"TOK_WIDE", image.TokFlagWide, "of TOK_FLAGS: priorities have 4 bytes"},
		{"KIND_SENTENCEPIECE", uint32(image.SentencePiece), "of TOK_KIND"},
		{"KIND_BPE", uint32(image.BPE), ""},
		{"KIND_WORDPIECE", uint32(image.WordPiece), ""},
		{"NO_TOKEN", image.NoToken, ""},
		{"NO_PRIORITY16", image.NoPriority16, ""},
		{"NO_PRIORITY32", image.NoPriority32, ""},
		{"", 0, "Instructions of the core: 16 bytes, op a b 0, X, Y, Z"},
		{"OP_BYTES", image.InstructionBytes, ""},
		{"OP_NOP", uint32(image.NOP), ""},
		{"OP_HALT", uint32(image.HALT), ""},
		{"OP_SYNC", uint32(image.SYNC), ""},
		{"OP_COPY", uint32(image.COPY), ""},
		{"OP_SETN", uint32(image.SETN), ""},
		{"OP_LI", uint32(image.LI), ""},
		{"OP_LDR", uint32(image.LDR), ""},
		{"OP_STR", uint32(image.STR), ""},
		{"OP_ADDI", uint32(image.ADDI), ""},
		{"OP_LEA", uint32(image.LEA), ""},
		{"OP_BEQ", uint32(image.BEQ), ""},
		{"OP_BNE", uint32(image.BNE), ""},
		{"OP_BLT", uint32(image.BLT), ""},
		{"OP_GEMV", uint32(image.GEMV), ""},
		{"OP_DEQROW", uint32(image.DEQROW), ""},
		{"OP_ARGMAX", uint32(image.ARGMAX), ""},
		{"OP_VADD", uint32(image.VADD), ""},
		{"OP_VMUL", uint32(image.VMUL), ""},
		{"OP_RMSNORM", uint32(image.RMSNORM), ""},
		{"OP_SILUMUL", uint32(image.SILUMUL), ""},
		{"OP_ROPE", uint32(image.ROPE), ""},
		{"OP_ATTN", uint32(image.ATTN), ""},
		{"OP_LAYERNORM", uint32(image.LAYERNORM), ""},
		{"OP_GELU", uint32(image.GELU), ""},
		{"OP_MEANROWS", uint32(image.MEANROWS), ""},
		{"OP_CVT16", uint32(image.CVT16), ""},
		{"GEMV_ADD", image.GemvAdd, "of GEMV's b"},
		{"GEMV_F16", image.GemvF16, ""},
		{"ATTN_BLOCK_BYTES", image.AttnBlockBytes, ""},
	}
}
