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
	back []func()
	pool map[int][]*Matrix // free matrices by size
	used []*Matrix
}

// NewTape makes an empty tape.
func NewTape() *Tape { return &Tape{pool: map[int][]*Matrix{}} }

// Reset forgets the recorded operations and takes back their matrices.
func (t *Tape) Reset() {
	t.back = t.back[:0]
	for _, m := range t.used {
		t.pool[len(m.V)] = append(t.pool[len(m.V)], m)
	}
	t.used = t.used[:0]
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
	var m *Matrix
	if free := t.pool[n]; len(free) > 0 {
		m = free[len(free)-1]
		t.pool[n] = free[:len(free)-1]
		clear(m.V)
		clear(m.G)
		m.Rows, m.Cols = rows, cols
	} else {
		m = NewMatrix(rows, cols)
	}
	t.used = append(t.used, m)
	return m
}

// record notes an operation's derivative.
func (t *Tape) record(f func()) { t.back = append(t.back, f) }
