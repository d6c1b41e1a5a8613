package drive

import "io"

// LastLines is a writer that keeps the last lines written to it, for a trace of
// a run whose end is what matters. Each Write is one line.
type LastLines struct {
	limit   int
	lines   [][]byte
	next    int // the oldest line, once there are limit of them
	written uint64
}

// NewLastLines keeps at most limit lines, at least one.
func NewLastLines(limit int) *LastLines { return &LastLines{limit: max(1, limit)} }

// Write takes a line, newline included. It never fails.
func (l *LastLines) Write(line []byte) (int, error) {
	l.written++
	if len(l.lines) < l.limit {
		l.lines = append(l.lines, append([]byte(nil), line...))
		return len(line), nil
	}
	l.lines[l.next] = append(l.lines[l.next][:0], line...)
	l.next = (l.next + 1) % l.limit
	return len(line), nil
}

// Kept and Written count the lines that are there and all that ever came.
func (l *LastLines) Kept() int       { return len(l.lines) }
func (l *LastLines) Written() uint64 { return l.written }

// WriteTo writes the lines that are kept, oldest first.
func (l *LastLines) WriteTo(w io.Writer) (int64, error) {
	var sum int64
	for i := range l.lines {
		n, err := w.Write(l.lines[(l.next+i)%len(l.lines)])
		sum += int64(n)
		if err != nil {
			return sum, err
		}
	}
	return sum, nil
}
