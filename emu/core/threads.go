package core

import "sync"

// worthSharing is how many bytes of weights make it worth waking goroutines.
const worthSharing = 128 << 10

// parts is in how many goroutines n rows of so many bytes are made.
func (c *Core) parts(n, bytes int) int {
	return max(1, min(c.opt.Threads, n, bytes/worthSharing))
}

// split calls work for parts of n rows, in as many goroutines as the core has
// threads when there is enough to do. Rows do not depend on each other, so
// the parts' borders do not show in the result. Parts are numbered in order.
func (c *Core) split(n, bytes int, work func(part, from, to int)) {
	parts := c.parts(n, bytes)
	step := (n + parts - 1) / parts
	if n >= 32*parts { // whole groups of rows suit the vector kernels
		step = (step + 15) &^ 15
	}
	var wg sync.WaitGroup
	for part := 1; part*step < n; part++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			work(part, part*step, min(part*step+step, n))
		}()
	}
	work(0, 0, min(step, n))
	wg.Wait()
}
