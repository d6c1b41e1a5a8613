package main

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
)

// TestHelpStatesOneDefault: a default that the usage text states must not be
// followed by the zero value that the library adds.
func TestHelpStatesOneDefault(t *testing.T) {
	for _, command := range commands() {
		var help bytes.Buffer
		if status := run(context.Background(), []string{"ssnail-kit", command.Name, "--help"}, strings.NewReader(""), &help, io.Discard); status != 0 {
			t.Errorf("%s --help: status %d", command.Name, status)
		}
		if !strings.Contains(help.String(), "ssnail-kit "+command.Name) {
			t.Errorf("%s --help shows no example of its own", command.Name)
		}
		for line := range strings.Lines(help.String()) {
			if strings.Count(line, "(default: ") > 1 {
				t.Errorf("%s --help: two defaults: %s", command.Name, strings.TrimSpace(line))
			}
		}
	}
}
