package train

import "testing"

// BenchmarkStory is one story forward and backward in the shape that ships.
func BenchmarkStory(b *testing.B) {
	r := Recipes["story"]
	r.VocabTexts = 1000
	t, err := NewTrainer(r, 1)
	if err != nil {
		b.Fatal(err)
	}
	work, err := t.batch()
	if err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	for range b.N {
		work(0, t.shares[0])
	}
	b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(b.N*r.Batch/r.Shares), "ms/story")
}
