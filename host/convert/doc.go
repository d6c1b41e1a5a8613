// Package convert makes an SSNAIL image from a GGUF model: it reads the
// model's parameters, decides how each weight is stored, lays the image out,
// emits the forward pass as a script for the core, and streams it all out.
//
// Reading order: options.go and params.go (what goes in), weights.go and
// policy.go (which tensors, in which format), layout.go (where they lie),
// script.go with llama.go, gpt2.go and bert.go (what the core does with them),
// rope.go (the table of rotations), fit.go (memory sizes), plan.go (all of it in
// order), write.go (the bytes), report.go (what was done). Beside that way:
// modelinfo.go and imageinfo.go describe files, tokcheck.go compares tokenizers.
//
// The bytes depend on the model and the options alone, not on the machine or
// the number of threads.
package convert
