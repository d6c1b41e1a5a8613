package main

import (
	"fmt"
	"io"

	"ssnail-kit/firmware/softcore"
)

// reportSoft says how long the software core would take for a token.
func reportSoft(w io.Writer, paths []string, models map[string]*loadedModel) {
	for _, path := range paths {
		im := models[path].Image
		if im.MemNeeded > softcore.MaxMemory {
			fmt.Fprintf(w, "%s: without SSNAIL it cannot be run: the software core reaches %d MB\n", path, softcore.MaxMemory>>20)
			continue
		}
		first, err := softcore.Estimate(im, im.Header, 0)
		if err != nil {
			continue // an image whose script is not as the converter makes it
		}
		if first > softcore.Hopeless {
			fmt.Fprintf(w, "%s: warning: without SSNAIL the software core would take about %.0f seconds a token, too long to wait for\n", path, first.Seconds())
			continue
		}
		fmt.Fprintf(w, "%s: without SSNAIL the software core takes about %.2f seconds a token at the start", path, first.Seconds())
		if at := int(im.MaxCtx) - 1; !im.Encoder() && at > 0 {
			if last, err := softcore.Estimate(im, im.Header, at); err == nil {
				fmt.Fprintf(w, ", %.2f at position %d", last.Seconds(), at)
			}
		}
		fmt.Fprintln(w)
	}
}
