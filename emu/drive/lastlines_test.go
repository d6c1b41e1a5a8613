package drive

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

func TestLastLines(t *testing.T) {
	for _, c := range []struct{ limit, lines int }{{1, 0}, {1, 1}, {1, 5}, {3, 2}, {3, 3}, {3, 4}, {3, 6}, {3, 1000}, {0, 2}} {
		l := NewLastLines(c.limit)
		var want []string
		for i := range c.lines {
			line := strings.Repeat("x", i%7) + fmt.Sprintln(i)
			if n, err := l.Write([]byte(line)); n != len(line) || err != nil {
				t.Fatal(n, err)
			}
			want = append(want, line)
		}
		want = want[max(0, c.lines-max(1, c.limit)):]
		var got bytes.Buffer
		n, err := l.WriteTo(&got)
		if err != nil || got.String() != strings.Join(want, "") || int(n) != got.Len() || l.Kept() != len(want) || l.Written() != uint64(c.lines) {
			t.Errorf("%+v: %d kept of %d: %q, want %q", c, l.Kept(), l.Written(), &got, want)
		}
	}
}
