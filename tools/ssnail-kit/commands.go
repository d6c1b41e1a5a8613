package main

import "github.com/urfave/cli/v2"

// commands lists the sub-commands in the order of a user's way: each lives in
// a file of its own name.
func commands() []*cli.Command {
	return []*cli.Command{
		demoCommand(),
		diskCommand(),
		sdcardCommand(),
		emuCommand(),
		xemuCommand(),
		convertCommand(),
		infoCommand(),
		tokenizeCommand(),
		tokcheckCommand(),
		disasmCommand(),
		runCommand(),
		chatCommand(),
		simCommand(),
		verifyCommand(),
		benchCommand(),
		modelsCommand(),
		fetchCommand(),
		pushCommand(),
		monitorCommand(),
		portsCommand(),
		asmCommand(),
	}
}
