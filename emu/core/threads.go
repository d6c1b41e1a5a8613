package core

import "sync"

// worthSharing is how many bytes of weights make it worth waking goroutines.
const worthSharing = 128 << 10

// split calls work for parts of n rows, in as many goroutines as the core has
// threads when there is enough to do. Rows do not depend on each other, so
// the parts' borders do not show in the result.
func (c *Core) split(n, bytes int, work func(from, to int)) {
	parts := min(c.opt.Threads, n, 1+bytes/worthSharing)
	if parts <= 1 {
		work(0, n)
		return
	}
	// Borders at multiples of 16 rows suit the vector kernels.
	step := ((n+parts-1)/parts + 15) &^ 15
	var wg sync.WaitGroup
	for from := step; from < n; from += step {
		wg.Add(1)
		go func() {
			defer wg.Done()
			work(from, min(from+step, n))
		}()
	}
	work(0, min(step, n))
	wg.Wait()
}
