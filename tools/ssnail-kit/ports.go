package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"time"

	"github.com/urfave/cli/v2"

	"ssnail-kit/mega65/monitor"
	"ssnail-kit/mega65/push"
)

func portsCommand() *cli.Command {
	return &cli.Command{
		Name:  "ports",
		Usage: "list serial ports with their USB ids and what answers there",
		UsageText: `ssnail-kit ports [--no-ask] [PORT...]

USB ports (and those that are named) are opened for a moment and asked for a
MEGA65's monitor; --no-ask leaves them alone.

Examples:
   ssnail-kit ports
   ssnail-kit ports tcp:4510`,
		Flags: []cli.Flag{
			baudFlag(),
			&cli.BoolFlag{Name: "no-ask", Usage: "only list, open nothing"},
		},
		Action: portsAction,
	}
}

func portsAction(c *cli.Context) error {
	var ports []push.Port
	for _, name := range c.Args().Slice() {
		ports = append(ports, push.Port{Name: name})
	}
	named := len(ports) > 0
	if !named {
		var err error
		if ports, err = push.Ports(); err != nil {
			return err
		}
	}
	for _, p := range ports {
		answer := ""
		if !c.Bool("no-ask") && (p.USB || named) {
			answer = ": " + answerOf(c.Context, p.Name, c.Int("baud"))
		}
		fmt.Fprintf(c.App.Writer, "%s%s\n", p, answer)
	}
	if named {
		return nil
	}
	p, err := push.Choose(ports)
	if err == nil {
		say(c, "push and monitor use %s when no port is named", p.Name)
		return nil
	}
	if len(ports) == 0 {
		return err
	}
	return nil
}

// answerOf tells in a few words what is at a port.
func answerOf(ctx context.Context, name string, baud int) string {
	line, err := push.Open(ctx, name, baud)
	if err != nil {
		return err.Error()
	}
	defer line.Close()
	m, err := push.Identify(ctx, monitor.New(line, monitor.Options{Wait: 700 * time.Millisecond, Baud: baud}))
	switch {
	case errors.Is(err, monitor.ErrTimeout):
		return "no MEGA65 answers"
	case err != nil:
		return err.Error()
	}
	return m.String()
}

// userName is who is logged in here.
func userName() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return os.Getenv("USER")
}

func agentSocket() string { return os.Getenv("SSH_AUTH_SOCK") }
