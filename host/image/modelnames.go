package image

import "fmt"

// shape is the order of an architecture's forward pass: what the instructions
// of each kind work with, per layer.
type shape struct {
	embeds []string // DEQROW, once per token
	first  string   // norm before the layers
	norms  []string // RMSNORM or LAYERNORM of a layer
	mats   []string // GEMV of a layer; "" continues the matrix before it
	outs   []string // where each GEMV of a layer writes; "" is named elsewhere
	last   string   // norm after the layers
	head   bool     // a last GEMV makes the logits
}

func shapeOf(a Arch) shape {
	switch a {
	case Llama:
		return shape{
			embeds: []string{"token_embd"},
			norms:  []string{"attn_norm", "ffn_norm"},
			mats:   []string{"attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"},
			outs:   []string{"q", "k", "v", "", "hb", "hb2", ""},
			last:   "output_norm", head: true,
		}
	case GPT2:
		return shape{
			embeds: []string{"token_embd", "position_embd"},
			norms:  []string{"attn_norm", "ffn_norm"},
			mats:   []string{"attn_qkv", "", "", "attn_output", "ffn_up", "ffn_down"},
			outs:   []string{"q", "k", "v", "", "hb", ""},
			last:   "output_norm", head: true,
		}
	}
	return shape{
		embeds: []string{"token_embd", "position_embd", "token_types"},
		first:  "token_embd_norm",
		norms:  []string{"attn_output_norm", "layer_output_norm"},
		mats:   []string{"attn_q", "attn_k", "attn_v", "attn_output", "ffn_up", "ffn_down"},
		outs:   []string{"Q", "k", "v", "", "hb", ""},
	}
}

// model names weights, buffers and caches from what the script does with them.
func (n *namer) model(script []use) {
	var gemv, norm, embed, attn []use
	var ropes []use
	for _, u := range script {
		switch u.Op {
		case GEMV:
			gemv = append(gemv, u)
		case RMSNORM, LAYERNORM:
			norm = append(norm, u)
		case DEQROW:
			embed = append(embed, u)
		case ATTN:
			attn = append(attn, u)
		case ROPE:
			ropes = append(ropes, u)
		}
	}
	sh := shapeOf(n.im.Arch)
	layers := len(attn)
	once := 0
	if sh.head {
		once = 1
	}
	if len(gemv) != layers*len(sh.mats)+once || len(norm) != layers*len(sh.norms)+1 || len(embed) > len(sh.embeds) || len(embed) == 0 {
		return // not a forward pass that this package knows
	}
	n.attention(attn)
	n.matrices(sh, gemv)
	n.normsOf(sh, norm)
	n.biases(script)
	n.embeddings(sh, embed)
	if len(ropes) > 0 {
		u := ropes[0]
		n.add("rope", u.ya, uint64(n.im.MaxCtx)*4*uint64(u.n[1]), fmt.Sprintf("f32 (cos, sin) %dx%d", n.im.MaxCtx, u.n[1]/2))
	}
	for _, u := range script { // whatever else the pass writes to
		if u.Op == SILUMUL || u.Op == GELU {
			n.add("hb", u.za, 4*uint64(u.n[0]), "")
		}
	}
}

func (n *namer) inScratch(addr uint32) bool { return addr >= n.im.Scratch && addr < HyperEnd }

// attention names the blocks that describe the caches, and the caches. A block
// that cannot be read names nothing.
func (n *namer) attention(attn []use) {
	for l, u := range attn {
		var b [AttnBlockBytes]byte
		n.add(fmt.Sprintf("blk.%d.attn", l), u.xa, AttnBlockBytes, "attention block")
		if u.xa == 0 || n.im.Read(u.xa, b[:]) != nil {
			continue
		}
		a := DecodeAttn(&b)
		width, note := uint64(4), "F32"
		if a.KVFormat == 1 {
			width, note = 2, "F16"
		}
		row := uint64(a.KVHeads) * uint64(a.HeadDim)
		note = fmt.Sprintf("%s %dx%d", note, n.im.MaxCtx, row)
		size := min(row*width, HyperEnd) * uint64(n.im.MaxCtx)
		if n.im.Encoder() { // one pair, shared by the layers
			n.add("K", a.K, size, note)
			n.add("V", a.V, size, note)
		} else {
			n.add(fmt.Sprintf("K cache %d", l), a.K, size, note)
			n.add(fmt.Sprintf("V cache %d", l), a.V, size, note)
		}
		n.add("att", u.za, min(4*uint64(a.Heads)*uint64(a.HeadDim), HyperEnd), "")
	}
}

func (n *namer) matrices(sh shape, gemv []use) {
	whole := 0 // the matrix that the next one may continue
	for i, u := range gemv {
		row, _ := RowBytes(u.A, u.n[0])
		size := row * uint64(u.n[1])
		note := fmt.Sprintf("%s %dx%d", formatName(u.A), u.n[1], u.n[0])
		if i == len(gemv)-1 && sh.head {
			n.add("output", u.xa, size, note)
			return
		}
		l, k := i/len(sh.mats), i%len(sh.mats)
		if sh.mats[k] != "" {
			n.add(fmt.Sprintf("blk.%d.%s", l, sh.mats[k]), u.xa, size, note)
			whole = n.at[u.xa]
		} else if s := &n.list[whole]; u.xa > s.Addr {
			s.Size = max(s.Size, uint32(min(uint64(u.xa-s.Addr)+size, HyperEnd)))
			s.Note = fmt.Sprintf("%s, in parts of %dx%d", formatName(u.A), u.n[1], u.n[0])
		}
		n.part[u.xa] = whole
		if sh.outs[k] != "" && n.inScratch(u.za) {
			rows := uint64(u.n[1])
			if n.im.Encoder() && k == 0 {
				rows *= uint64(n.im.MaxCtx)
			}
			n.add(sh.outs[k], u.za, 4*rows, "")
		}
	}
}

func (n *namer) normsOf(sh shape, norm []use) {
	for i, u := range norm {
		size, note := 4*uint64(u.n[0]), fmt.Sprintf("f32 %d", u.n[0])
		if u.Op == LAYERNORM {
			size, note = 2*size, fmt.Sprintf("f32 %d weight, %d bias", u.n[0], u.n[0])
		}
		name := sh.last
		switch k := i; {
		case i == 0 && sh.first != "":
			name = sh.first
		case i < len(norm)-1 || sh.last == "":
			if sh.first != "" {
				k--
			}
			name = fmt.Sprintf("blk.%d.%s", k/len(sh.norms), sh.norms[k%len(sh.norms)])
		}
		n.add(name, u.ya, size, note)
		if n.im.Encoder() {
			n.add("X", u.xa, 4*uint64(u.n[0])*uint64(n.im.MaxCtx), "")
		} else {
			n.add("x", u.xa, 4*uint64(u.n[0]), "")
			n.add("xb", u.za, 4*uint64(u.n[0]), "")
		}
	}
}

// biases names the vectors that are added to what a matrix has just made. The
// bias of a matrix that is used in parts comes in parts too, one after another.
func (n *namer) biases(script []use) {
	maker := make(map[uint32]uint32) // output address -> matrix
	for _, u := range script {
		if u.Op == GEMV {
			maker[u.za] = u.xa
		}
		if u.Op != VADD || u.xa != u.za || n.inScratch(u.ya) {
			continue
		}
		mat, ok := n.part[maker[u.xa]]
		if !ok {
			continue
		}
		size := 4 * uint64(u.n[0])
		if i, ok := n.bias[mat]; ok && u.ya > n.list[i].Addr {
			s := &n.list[i]
			s.Size = max(s.Size, uint32(min(uint64(u.ya-s.Addr)+size, HyperEnd)))
			s.Note = fmt.Sprintf("f32 %d", s.Size/4)
			continue
		}
		n.add(n.list[mat].Name+".bias", u.ya, size, fmt.Sprintf("f32 %d", u.n[0]))
		n.bias[mat] = n.at[u.ya]
	}
}

func (n *namer) embeddings(sh shape, embed []use) {
	for i, u := range embed {
		row, _ := RowBytes(u.A, u.n[0])
		size := uint64(toNext)
		note := fmt.Sprintf("%s rows of %d", formatName(u.A), u.n[0])
		if u.xs == 0 { // a single row
			size = row
		}
		name := sh.embeds[i]
		if j, ok := n.at[u.xa]; ok && n.list[j].Name == "output" {
			n.list[j].Name = name // the logits use the same matrix
			continue
		}
		n.add(name, u.xa, size, note)
		switch {
		case n.im.Encoder() && i == 0:
			n.add("X", u.za, 4*uint64(u.n[0])*uint64(n.im.MaxCtx), "")
		case i == 0:
			n.add("x", u.za, 4*uint64(u.n[0]), "")
		default:
			n.add("tmp", u.za, 4*uint64(u.n[0]), "")
		}
	}
}
