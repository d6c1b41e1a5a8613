package train

import (
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"reflect"
)

// checkpoint is what a run needs to go on as if it had never stopped.
type checkpoint struct {
	Version int
	Recipe  Recipe
	Next    uint64
	Step    int
	Values  [][]float32
	M, V    [][]float32
}

const checkpointVersion = 1

// Save writes the state of a run.
func (t *Trainer) Save(w io.Writer) error {
	c := checkpoint{Version: checkpointVersion, Recipe: t.Recipe, Next: t.next, Step: t.opt.Step, M: t.opt.M, V: t.opt.V}
	for _, p := range t.Model.Params {
		c.Values = append(c.Values, p.V)
	}
	return gob.NewEncoder(w).Encode(c)
}

// Load takes up a run that Save wrote. The recipe must be the same but for the
// number of steps.
func (t *Trainer) Load(r io.Reader) error {
	var c checkpoint
	if err := gob.NewDecoder(io.LimitReader(r, 1<<30)).Decode(&c); err != nil {
		return fmt.Errorf("not a checkpoint: %w", err)
	}
	if c.Version != checkpointVersion {
		return fmt.Errorf("checkpoint version %d, want %d", c.Version, checkpointVersion)
	}
	have, want := c.Recipe, t.Recipe
	have.Steps = want.Steps
	if !reflect.DeepEqual(have, want) {
		return errors.New("the checkpoint is of another recipe: start afresh, or give the recipe that it was made with")
	}
	params := t.Model.matrices()
	if len(c.Values) != len(params) || len(c.M) != len(params) || len(c.V) != len(params) {
		return fmt.Errorf("the checkpoint has %d tensors, want %d", len(c.Values), len(params))
	}
	for i, p := range params {
		if len(c.Values[i]) != len(p.V) || len(c.M[i]) != len(p.V) || len(c.V[i]) != len(p.V) {
			return fmt.Errorf("the checkpoint's tensor %s has the wrong size", t.Model.Params[i].Name)
		}
		copy(p.V, c.Values[i])
	}
	t.opt.M, t.opt.V, t.opt.Step, t.next = c.M, c.V, c.Step, c.Next
	return nil
}
