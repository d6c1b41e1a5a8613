package convert

// FormatTotal counts what is stored in one format.
type FormatTotal struct {
	Format  string `json:"format"`
	Tensors int    `json:"tensors"`
	Bytes   uint64 `json:"bytes"`
}
