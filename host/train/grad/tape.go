package grad

// Matrix is rows x cols values, row by row, with their gradient. A vector is
// one row.
type Matrix struct {
	Rows, Cols int
	V          []float32 // values
	G          []float32 // gradient, of the same shape
}

// NewMatrix makes a matrix of zeros.
func NewMatrix(rows, cols int) *Matrix {
	return &Matrix{Rows: rows, Cols: cols, V: make([]float32, rows*cols), G: make([]float32, rows*cols)}
}

// Tape records operations so that Backward can run them in reverse. The
// matrices that it makes live until Reset, which keeps their memory for the
// next pass. A Tape belongs to one goroutine.
type Tape struct {
	back  []func()
	slabs [][]float32
	slab  int // the one in use
	at    int // first free value in it
}

// slabSize is the number of values that memory is taken in; a larger matrix
// gets a slab of its own.
const slabSize = 1 << 20

// NewTape makes an empty tape.
func NewTape() *Tape { return &Tape{} }

// Reset forgets the recorded operations and takes back their memory.
func (t *Tape) Reset() {
	clear(t.back)
	t.back = t.back[:0]
	t.slab, t.at = 0, 0
}

// Backward runs the derivatives of all recorded operations, last first. The
// gradient of the result must have been set (CrossEntropy and the like do it).
func (t *Tape) Backward() {
	for i := len(t.back) - 1; i >= 0; i-- {
		t.back[i]()
	}
}

// Matrix gives a zeroed matrix that lives until Reset.
func (t *Tape) Matrix(rows, cols int) *Matrix {
	n := rows * cols
	b := t.floats(2 * n)
	return &Matrix{Rows: rows, Cols: cols, V: b[:n:n], G: b[n:]}
}

// floats gives n zeros that live until Reset.
func (t *Tape) floats(n int) []float32 {
	for {
		if t.slab == len(t.slabs) {
			t.slabs = append(t.slabs, make([]float32, max(n, slabSize)))
		}
		s := t.slabs[t.slab]
		if t.at+n <= len(s) {
			b := s[t.at : t.at+n : t.at+n]
			t.at += n
			clear(b)
			return b
		}
		t.slab, t.at = t.slab+1, 0
	}
}

// record notes an operation's derivative.
func (t *Tape) record(f func()) { t.back = append(t.back, f) }
