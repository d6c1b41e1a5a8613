package asm

// File is a parsed source file.
type File struct {
	Name string
	Src  []byte
	Body []*Line
}

// Line is one line of source; a line that opens a block contains the lines of
// the block. Columns count from 0, with tab stops every 8.
type Line struct {
	Num        int
	Stmts      []Stmt
	Comment    string // with its semicolon, "" = none
	CommentCol int
}

// Stmt is a statement with the column where it starts.
type Stmt interface{ pos() stmtPos }

type stmtPos struct{ line, col int }

func (p stmtPos) pos() stmtPos { return p }

// The statements.
type (
	// Label is "name:" or "@name:"; Name has the @.
	Label struct {
		stmtPos
		Name string
	}
	// Assign is "Name = Value".
	Assign struct {
		stmtPos
		Name  string
		EqCol int
		Value Expr
	}
	// Origin is "* = Value".
	Origin struct {
		stmtPos
		Value Expr
	}
	// Instr is a machine instruction.
	Instr struct {
		stmtPos
		Name       string // lower case
		Width      int    // 0, or 1 or 2 as forced by +1, +2
		Form       Form
		OperandCol int
		X          Expr // nil if Form is NoOperand
		Y          Expr // target of bbr and bbs
	}
	// Data is !byte, !word or !32.
	Data struct {
		stmtPos
		Size  int // 1, 2, 4
		Items []Expr
	}
	// Text is !text.
	Text struct {
		stmtPos
		Items []Expr // *String among them
	}
	// Fill is !fill.
	Fill struct {
		stmtPos
		Count, Value Expr // Value may be nil
	}
	// Align is !align.
	Align struct {
		stmtPos
		Mask, Low, Value Expr // Value may be nil
	}
	// Include is !src.
	Include struct {
		stmtPos
		Name string
	}
	// CPU is !cpu m65.
	CPU struct{ stmtPos }
	// Fail is !error.
	Fail struct {
		stmtPos
		Text string
	}
	// If is !if, !ifdef or !ifndef.
	If struct {
		stmtPos
		Cond  Expr   // !if
		Name  string // !ifdef, !ifndef
		Not   bool   // !ifndef
		Then  *Block
		Else  *Block // nil, or the else branch
		Chain bool   // Else holds a single If: "else if"
	}
	// For is !for.
	For struct {
		stmtPos
		Var         string // with its dot, if it has one
		First, Last Expr
		Body        *Block
	}
	// Macro is a definition.
	Macro struct {
		stmtPos
		Name   string
		Params []string // with their dots
		Body   *Block
	}
	// Call is "+name args".
	Call struct {
		stmtPos
		Name string
		Args []Expr
	}
)

// Block is what stands between braces.
type Block struct {
	Comment string // behind the opening brace
	Lines   []*Line
	EndCol  int // of the closing brace
}

// Form is how an operand is written.
type Form uint8

// The forms.
const (
	NoOperand Form = iota
	Imm            // #e
	Plain          // e
	PlainX         // e,x
	PlainY         // e,y
	IndX           // (e,x)
	IndY           // (e),y
	IndZ           // (e),z
	Ind            // (e)
	StackIndY      // (e,sp),y
	FarIndZ        // [e],z
	FarInd         // [e]
	BitBranch      // e,e
	forms
)

var formNames = [forms]string{"no operand", "#n", "n", "n,x", "n,y", "(n,x)", "(n),y", "(n),z", "(n)", "(n,sp),y", "[n],z", "[n]", "n,label"}

func (f Form) String() string { return formNames[f] }

// Expr is an expression.
type Expr interface{ expr() }

// The expressions.
type (
	// Num is a number; Text is how it is written.
	Num struct {
		Value int64
		Text  string
		Wide  bool // leading zeros
	}
	// Char is 'c'.
	Char struct{ C byte }
	// String is a string in !text or, one character long, in !byte.
	String struct{ S string }
	// Sym is a name: NAME, @name, .parameter.
	Sym struct {
		Name string
		pos  stmtPos
	}
	// PC is *.
	PC struct{}
	// Unary is - ! < > ^.
	Unary struct {
		Op byte
		X  Expr
	}
	// Binary is an operator between two.
	Binary struct {
		Op   string
		X, Y Expr
		Wide bool // written with spaces around
	}
	// Paren is (X).
	Paren struct{ X Expr }
)

func (*Num) expr()    {}
func (*Char) expr()   {}
func (*String) expr() {}
func (*Sym) expr()    {}
func (*PC) expr()     {}
func (*Unary) expr()  {}
func (*Binary) expr() {}
func (*Paren) expr()  {}
