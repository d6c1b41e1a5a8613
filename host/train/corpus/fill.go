package corpus

// The slots of plots.txt:
//
//	{H} the hero's name, {he} {He} {his} {His} {him} the hero's pronouns, {kid} girl or boy
//	{F} a friend's name, {fhe} {Fhe} the friend's pronoun
//	{rel} a relative, {rhe} its pronoun
//	{obj} the story's thing, from the list that the plot's thing= names
//	{adj} of a child, {col} of a thing, {day} day, morning ...
//	{at} {to} a place, {spot1} {spot2} two spots, {pet} an animal (not {obj})
//	{glue} {food} {food2} {need} {box} {hungry} what the plots use
type person struct {
	name string
	girl bool
}

// heroes are many, so that a model learns to carry on with the name that an
// opening gives and not which name goes with which plot.
var heroes = []person{
	{"Lily", true}, {"Mia", true}, {"Sara", true}, {"Emma", true}, {"Amy", true}, {"Eva", true}, {"Anna", true}, {"Kim", true}, {"Tina", true}, {"Jill", true},
	{"Kay", true}, {"Ann", true}, {"Meg", true}, {"Sue", true}, {"Pam", true}, {"Lena", true}, {"Rosa", true}, {"Jane", true}, {"Kate", true}, {"Lucy", true},
	{"Tom", false}, {"Ben", false}, {"Max", false}, {"Sam", false}, {"Tim", false}, {"Leo", false}, {"Jack", false}, {"Finn", false}, {"Nick", false}, {"Bob", false},
	{"Dan", false}, {"Jim", false}, {"Ken", false}, {"Ted", false}, {"Ray", false}, {"Ian", false}, {"Jan", false}, {"Hank", false}, {"Paul", false}, {"Fred", false},
}

// Every fifth hero has a name that is put together of a head and a tail, so that
// a model learns to carry on with names that it never met: people type their
// own.
var (
	nameHeads = []string{
		"Ba", "Be", "Bo", "Da", "De", "Do", "Fe", "Fi", "Ga", "Gi", "Gre", "Ha", "Ho", "Ka", "Ki", "Ko", "La", "Le", "Lu", "Ma", "Mi",
		"Mo", "Na", "Ne", "No", "Pa", "Pe", "Pi", "Ra", "Ri", "Ro", "Sa", "Si", "So", "Ta", "Te", "Ti", "Va", "Vi", "Wi", "Yo", "Za",
	}
	girlTails = []string{"la", "na", "ra", "ta", "lia", "nda", "ssa", "ka", "ria", "vy"}
	boyTails  = []string{"bo", "do", "ko", "no", "rt", "lf", "ck", "ris", "vin", "mon"}
)

// friends are few, and never heroes: the friend of three stories in four is one
// of them, so that whoever the story is about is not taken for the one who
// comes to help.
var friends = []person{
	{"Nina", true}, {"Ella", true}, {"Ruby", true}, {"Ivy", true},
	{"Hugo", false}, {"Otto", false}, {"Theo", false}, {"Gus", false},
}

type relative struct{ name, pronoun string }

var relatives = []relative{{"mom", "she"}, {"dad", "he"}, {"grandma", "she"}, {"grandpa", "he"}}

type place struct{ at, to string }

var places = []place{
	{"in the park", "to the park"}, {"in the garden", "to the garden"}, {"in the forest", "to the forest"}, {"at the beach", "to the beach"},
	{"by the river", "to the river"}, {"on the hill", "to the hill"}, {"at the farm", "to the farm"}, {"by the lake", "to the lake"},
}

// things are the lists that a plot's thing= can name.
var things = map[string][]string{
	"toy":       {"ball", "kite", "boat", "hat", "book", "bell", "drum", "doll", "truck", "train"},
	"breakable": {"boat", "kite", "drum", "truck", "train", "lamp", "cup", "doll", "bike", "clock"},
	"pet":       pets,
	"fear":      {"the dark", "the water", "big dogs", "the storm", "the old house", "the forest", "the wind", "the night"},
	"gift":      {"a cake", "a card", "some soup", "a pie", "a hat", "a boat", "a kite", "a doll"},
	"skill":     {"swim", "ride a bike", "sing", "dance", "climb trees", "paint", "read", "fly a kite", "cook", "draw"},
	"trip":      {"fly a kite", "go to the beach", "ride bikes", "climb the hill", "play ball", "sail a boat", "go to the farm", "swim in the lake"},
	"treat":     {"cake", "pie", "soup", "bread", "jam", "rice"},
}

var pets = []string{"dog", "cat", "duck", "rabbit", "frog", "bird", "mouse", "fox", "bear", "lamb"}

// needs are what a gift is made with.
var needs = map[string][]string{
	"a cake": {"milk", "sugar"}, "a card": {"paper", "paint"}, "some soup": {"water", "corn"}, "a pie": {"sugar", "milk"},
	"a hat": {"wool", "string"}, "a boat": {"wood", "string", "paint"}, "a kite": {"paper", "string"}, "a doll": {"wool", "wood"},
}

// words are the slots that are filled with one word of a list each.
var words = map[string][]string{
	"adj":    {"little", "small", "kind", "happy", "brave", "good"},
	"col":    {"red", "blue", "green", "big", "small", "new", "black"},
	"day":    {"day", "day", "morning", "Sunday"},
	"glue":   {"string", "wood", "paint", "wire"},
	"food":   {"milk", "bread", "water", "corn", "soup"},
	"food2":  {"cookies", "soup", "bread", "cake"},
	"box":    {"blanket", "coat", "bag", "box"},
	"hungry": {"hungry", "tired"},
}

// Two lists, so that nobody looks in the same place twice.
var (
	spots    = []string{"under a bush", "behind a tree", "in the grass", "by a rock"}
	farSpots = []string{"near the house", "in a hole", "under a bench", "in a box"}
)
