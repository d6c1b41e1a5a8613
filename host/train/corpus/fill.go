package corpus

// The slots of plots.txt:
//
//	{H} the hero's name, {he} {He} {his} {His} {him} the hero's pronouns, {kid} girl or boy
//	{F} a friend's name, {fhe} {Fhe} the friend's pronoun
//	{rel} a relative, {rhe} its pronoun
//	{obj} the story's thing, from the list that the plot's thing= names
//	{adj} of a child, {adj2} of a thing, {col} a colour, {day} day, morning ...
//	{at} {to} a place, {spot1} {spot2} two different spots, {pet} an animal (not {obj})
//	{glue} {food} {food2} {need} {box} {hungry} what the plots use
type person struct {
	name string
	girl bool
}

var people = []person{
	{"Lily", true}, {"Mia", true}, {"Anna", true}, {"Sara", true}, {"Lucy", true}, {"Emma", true}, {"Nina", true}, {"Rosa", true},
	{"Ella", true}, {"Zoe", true}, {"Amy", true}, {"Kate", true}, {"Lena", true}, {"Ruby", true}, {"Mona", true}, {"Tina", true},
	{"Tom", false}, {"Ben", false}, {"Max", false}, {"Sam", false}, {"Tim", false}, {"Leo", false}, {"Jack", false}, {"Finn", false},
	{"Paul", false}, {"Nick", false}, {"Oscar", false}, {"Hugo", false}, {"Adam", false}, {"Peter", false}, {"Milo", false}, {"Noah", false},
}

type relative struct{ name, pronoun string }

var relatives = []relative{{"mom", "she"}, {"dad", "he"}, {"grandma", "she"}, {"grandpa", "he"}, {"aunt", "she"}, {"uncle", "he"}}

type place struct{ at, to string }

var places = []place{
	{"in the park", "to the park"}, {"in the garden", "to the garden"}, {"in the forest", "to the forest"}, {"at the beach", "to the beach"},
	{"by the river", "to the river"}, {"on the hill", "to the hill"}, {"at the farm", "to the farm"}, {"by the lake", "to the lake"},
	{"in the yard", "to the yard"}, {"in the field", "to the field"}, {"near the old mill", "to the old mill"}, {"by the pond", "to the pond"},
}

// things are the lists that a plot's thing= can name.
var things = map[string][]string{
	"toy":       {"ball", "kite", "boat", "hat", "book", "bell", "drum", "doll", "truck", "train", "bear", "rope", "cup", "bag", "ring", "flag"},
	"breakable": {"boat", "kite", "drum", "truck", "train", "lamp", "cup", "clock", "chair", "plane", "robot", "bike", "wagon", "doll"},
	"pet":       pets,
	"fear":      {"the dark", "the deep water", "big dogs", "the storm", "loud noises", "the old house", "the tall slide", "spiders", "the long tunnel", "the first day of school"},
	"gift":      {"a cake", "a card", "some soup", "a pie", "a picture", "a crown of flowers", "a little boat", "a warm scarf"},
	"skill":     {"swim", "ride a bike", "sing", "dance", "skate", "climb trees", "paint", "read", "whistle", "fly a kite", "jump rope", "cook"},
	"trip":      {"have a picnic", "fly a kite", "go to the beach", "ride bikes", "climb the hill", "go fishing", "play ball", "sail a boat", "look for shells", "see the ducks"},
	"treat":     {"a cake", "a pie", "some jam", "some bread", "a pudding", "some cookies", "a pizza", "some soup"},
}

var pets = []string{"dog", "cat", "duck", "rabbit", "frog", "bird", "mouse", "fox", "pony", "goat", "turtle", "lamb"}

// needs are what a gift is made with.
var needs = map[string][]string{
	"a cake": {"milk", "sugar", "butter"}, "a card": {"paper", "paint", "glue"}, "some soup": {"water", "salt", "corn"},
	"a pie": {"butter", "sugar", "fruit"}, "a picture": {"paint", "paper"}, "a crown of flowers": {"string", "grass"},
	"a little boat": {"wood", "string", "paint"}, "a warm scarf": {"wool", "string"},
}

// words are the slots that are filled with one word of a list each.
var words = map[string][]string{
	"adj":    {"little", "small", "kind", "happy", "brave", "quiet", "clever", "funny", "young", "good"},
	"adj2":   {"shiny", "new", "big", "pretty", "nice", "soft", "fine", "old"},
	"col":    {"red", "blue", "green", "yellow", "white", "black", "pink", "brown", "purple", "gray"},
	"day":    {"day", "morning", "afternoon", "evening"},
	"glue":   {"glue", "tape", "string", "wire", "wood", "paint"},
	"food":   {"milk", "bread", "water", "corn", "fruit", "soup"},
	"food2":  {"cookies", "tea", "soup", "toast", "cocoa"},
	"box":    {"blanket", "coat", "towel", "sheet", "scarf"},
	"hungry": {"hungry", "tired", "thirsty"},
}

var spots = []string{"under a bench", "behind a tree", "in the tall grass", "under a bush", "next to a big rock", "behind the gate", "near the fence", "under a leaf", "by the wall", "in a hole"}
