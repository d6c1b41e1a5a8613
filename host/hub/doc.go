// Package hub knows where models can be had: a list of public models whose fit
// is known without a network, a search over Hugging Face's API, and a download
// that can be continued.
//
// Fits are computed, not remembered: shape.go makes the directory of a GGUF
// from a model's dimensions, and the converter lays that out as it would lay
// out the file itself. Only the size of the vocabulary's tables is taken from
// a typical vocabulary of the same kind. What a search tells about a model is
// less (its number of parameters), so fits from there are estimates and are
// called so, unless the header of the file itself is read (remote.go).
package hub
