package image

// MaxWord is the longest word that WordPiece looks into, in characters; a
// longer one is unknown, as in BERT.
const MaxWord = 100

// encodeWordPiece appends the tokens of text: words of letters and digits, and
// every other character that is not white space alone.
func (t *Tokenizer) encodeWordPiece(ids []uint32, text []byte) ([]uint32, error) {
	for len(text) > 0 {
		n := 1
		switch classOf(text[0]) {
		case classSpace:
			text = text[1:]
			continue
		case classLetter, classDigit:
			for n < len(text) && (classOf(text[n]) == classLetter || classOf(text[n]) == classDigit) {
				n++
			}
		}
		var err error
		if ids, err = t.encodeWord(ids, text[:n]); err != nil {
			return nil, err
		}
		text = text[n:]
	}
	return ids, nil
}

// encodeWord appends the tokens of one word, or the unknown token if any part
// of it is in no token. The index holds a token that begins a word with a
// space before it.
func (t *Tokenizer) encodeWord(ids []uint32, word []byte) ([]uint32, error) {
	mark := len(ids)
	if len(word) > MaxWord {
		return t.appendUnknown(ids), nil
	}
	key := make([]byte, 0, len(word)+1)
	key = append(key, ' ')
	for _, b := range word {
		if t.lower && b >= 'A' && b <= 'Z' {
			b += 'a' - 'A'
		}
		key = append(key, b)
	}
	least := 2 // the space alone begins no word
	for len(key) > 0 {
		id, n, err := t.longest(key, least)
		if err != nil {
			return nil, err
		}
		if id == NoToken {
			return t.appendUnknown(ids[:mark]), nil
		}
		ids = append(ids, id)
		key, least = key[n:], 1
	}
	return ids, nil
}

// longest returns the token with the longest text that key begins with, of at
// least that many bytes. A search that fails tells how much of key can be in
// the index at most, so two or three searches are enough.
func (t *Tokenizer) longest(key []byte, least int) (id uint32, n int, err error) {
	limit := t.nIndex
	for len(key) >= least {
		id, below, common, err := t.find(key, limit)
		if err != nil || id != NoToken {
			return id, len(key), err
		}
		if common >= len(key) { // only in an index that is out of order
			common = len(key) - 1
		}
		key, limit = key[:common], below
	}
	return NoToken, 0, nil
}

func (t *Tokenizer) appendUnknown(ids []uint32) []uint32 {
	if t.unknown == NoToken {
		return ids
	}
	return append(ids, t.unknown)
}
