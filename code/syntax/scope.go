package syntax

// scope holds the names that a function, block or class adds. The outermost scope is
// the file's and not one of these.
type scope struct {
	up    *scope
	names map[string]*Expr
}

func (s *scope) inner() *scope { return &scope{up: s, names: map[string]*Expr{}} }

// hide says that a name is one of this scope, before it is known what it stands for.
// What others hold of the name is filled in by set.
func (s *scope) hide(name string) {
	if s != nil && s.names[name] == nil {
		s.names[name] = &Expr{}
	}
}

// set says what a name of this scope stands for.
func (s *scope) set(name string, e *Expr) {
	if s == nil || name == "" {
		return
	}
	if e == nil {
		e = unknown
	}
	if hidden := s.names[name]; hidden != nil && hidden != unknown && hidden.Op == Unknown {
		*hidden = *e
		return
	}
	s.names[name] = e
}

// find returns what a name stands for: of a scope, else of the file.
func (s *scope) find(name string) *Expr {
	for ; s != nil; s = s.up {
		if e := s.names[name]; e != nil {
			return e
		}
	}
	return &Expr{Op: Name, Name: name}
}

// around is what a reader knows of the code around a node.
type around struct {
	scope    *scope
	from     string   // the declaration around
	prefix   string   // of the names of declarations here: "Class."
	self     *Expr    // what this or self stands for
	class    string   // the class around
	exported bool     // what is declared here is seen from other files
	function bool     // the code of a function
	gives    *[]*Expr // where return statements put what they give
}

func (a around) enter(s *scope) around {
	a.scope = s
	return a
}

// name returns the full name of what is declared here.
func (a around) name(own string) string { return a.prefix + own }
