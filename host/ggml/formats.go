package ggml

const (
	removed  = "removed from ggml"
	internal = "an intermediate format of ggml, not one for weights"
	repacked = "a format of one kind of processor, removed from ggml"
	integer  = "integers, not weights"
	tooNew   = "not supported"
)

// formats is indexed by Type. Sizes and fields are those of the block
// structures of the ggml library.
var formats = [...]format{
	F32:     {name: "F32", elems: 1, bytes: 4, decode: decodeF32, fields: []span{{0, 4, 1}}},
	F16:     {name: "F16", elems: 1, bytes: 2, decode: decodeF16, scales: []int{0}, fields: []span{{0, 2, 1}}},
	Q4_0:    {name: "Q4_0", elems: 32, bytes: 18, decode: decodeQ4_0, scales: []int{0}, fields: []span{{0, 2, 1}}},
	Q4_1:    {name: "Q4_1", elems: 32, bytes: 20, decode: decodeQ4_1, scales: []int{0, 2}, fields: []span{{0, 2, 2}}},
	4:       {name: "Q4_2", note: removed},
	5:       {name: "Q4_3", note: removed},
	Q5_0:    {name: "Q5_0", elems: 32, bytes: 22, decode: decodeQ5_0, scales: []int{0}, fields: []span{{0, 2, 1}, {2, 4, 1}}},
	Q5_1:    {name: "Q5_1", elems: 32, bytes: 24, decode: decodeQ5_1, scales: []int{0, 2}, fields: []span{{0, 2, 2}, {4, 4, 1}}},
	Q8_0:    {name: "Q8_0", elems: 32, bytes: 34, decode: decodeQ8_0, scales: []int{0}, fields: []span{{0, 2, 1}}},
	9:       {name: "Q8_1", note: internal, elems: 32, bytes: 36, fields: []span{{0, 2, 2}}},
	Q2_K:    {name: "Q2_K", elems: 256, bytes: 84, decode: decodeQ2_K, scales: []int{80, 82}, fields: []span{{80, 2, 2}}},
	Q3_K:    {name: "Q3_K", elems: 256, bytes: 110, decode: decodeQ3_K, scales: []int{108}, fields: []span{{108, 2, 1}}},
	Q4_K:    {name: "Q4_K", elems: 256, bytes: 144, decode: decodeQ4_K, scales: []int{0, 2}, fields: []span{{0, 2, 2}}},
	Q5_K:    {name: "Q5_K", elems: 256, bytes: 176, decode: decodeQ5_K, scales: []int{0, 2}, fields: []span{{0, 2, 2}}},
	Q6_K:    {name: "Q6_K", elems: 256, bytes: 210, decode: decodeQ6_K, scales: []int{208}, fields: []span{{208, 2, 1}}},
	15:      {name: "Q8_K", note: internal, elems: 256, bytes: 292, fields: []span{{0, 4, 1}, {260, 2, 16}}},
	IQ2_XXS: {name: "IQ2_XXS", elems: 256, bytes: 66, decode: decodeIQ2_XXS, scales: []int{0}, fields: []span{{0, 2, 33}}},
	IQ2_XS:  {name: "IQ2_XS", elems: 256, bytes: 74, decode: decodeIQ2_XS, scales: []int{0}, fields: []span{{0, 2, 33}}},
	IQ3_XXS: {name: "IQ3_XXS", elems: 256, bytes: 98, decode: decodeIQ3_XXS, scales: []int{0}, fields: []span{{0, 2, 1}}},
	IQ1_S:   {name: "IQ1_S", elems: 256, bytes: 50, decode: decodeIQ1_S, scales: []int{0}, fields: []span{{0, 2, 1}, {34, 2, 8}}},
	IQ4_NL:  {name: "IQ4_NL", elems: 32, bytes: 18, decode: decodeIQ4_NL, scales: []int{0}, fields: []span{{0, 2, 1}}},
	IQ3_S:   {name: "IQ3_S", elems: 256, bytes: 110, decode: decodeIQ3_S, scales: []int{0}, fields: []span{{0, 2, 1}}},
	IQ2_S:   {name: "IQ2_S", elems: 256, bytes: 82, decode: decodeIQ2_S, scales: []int{0}, fields: []span{{0, 2, 1}}},
	IQ4_XS:  {name: "IQ4_XS", elems: 256, bytes: 136, decode: decodeIQ4_XS, scales: []int{0}, fields: []span{{0, 2, 2}}},
	24:      {name: "I8", note: integer, elems: 1, bytes: 1},
	25:      {name: "I16", note: integer, elems: 1, bytes: 2, fields: []span{{0, 2, 1}}},
	26:      {name: "I32", note: integer, elems: 1, bytes: 4, fields: []span{{0, 4, 1}}},
	27:      {name: "I64", note: integer, elems: 1, bytes: 8, fields: []span{{0, 8, 1}}},
	F64:     {name: "F64", elems: 1, bytes: 8, decode: decodeF64, fields: []span{{0, 8, 1}}},
	IQ1_M:   {name: "IQ1_M", elems: 256, bytes: 56, decode: decodeIQ1_M},
	BF16:    {name: "BF16", elems: 1, bytes: 2, decode: decodeBF16, fields: []span{{0, 2, 1}}},
	31:      {name: "Q4_0_4_4", note: repacked},
	32:      {name: "Q4_0_4_8", note: repacked},
	33:      {name: "Q4_0_8_8", note: repacked},
	TQ1_0:   {name: "TQ1_0", elems: 256, bytes: 54, decode: decodeTQ1_0, scales: []int{52}, fields: []span{{52, 2, 1}}},
	TQ2_0:   {name: "TQ2_0", elems: 256, bytes: 66, decode: decodeTQ2_0, scales: []int{64}, fields: []span{{64, 2, 1}}},
	36:      {name: "IQ4_NL_4_4", note: repacked},
	37:      {name: "IQ4_NL_4_8", note: repacked},
	38:      {name: "IQ4_NL_8_8", note: repacked},
	39:      {name: "MXFP4", note: tooNew, elems: 32, bytes: 17},
	40:      {name: "NVFP4", note: tooNew, elems: 64, bytes: 36},
	41:      {name: "Q1_0", note: tooNew, elems: 128, bytes: 18, fields: []span{{0, 2, 1}}},
	42:      {name: "Q2_0", note: tooNew},
}
