package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"ssnail-kit": func() {
			os.Exit(run(context.Background(), os.Args, os.Stdin, os.Stdout, os.Stderr))
		},
	})
}

// TestScripts runs the txtar scripts of testdata/script on the real command.
// $SHARED is the folder of shared test data; scripts that need it stand
// behind the condition [shared]. $MODELS_MK is the Makefile for folders of
// models, mkmodel makes a small model (see models_test.go).
func TestScripts(t *testing.T) {
	shared, err := filepath.Abs("../../../shared")
	if err != nil {
		t.Fatal(err)
	}
	_, err = os.Stat(filepath.Join(shared, "models"))
	have := err == nil
	if !have {
		t.Log("no ../shared: scripts that need its models are skipped")
	}
	modelsMK, err := filepath.Abs("../models.mk")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:  "testdata/script",
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"mkmodel": makeModel},
		Setup: func(e *testscript.Env) error {
			e.Setenv("SHARED", shared)
			e.Setenv("MODELS_MK", modelsMK)
			return nil
		},
		Condition: func(cond string) (bool, error) {
			if cond == "shared" {
				return have, nil
			}
			return false, nil
		},
	})
}
