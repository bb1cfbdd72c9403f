package syntax

import "cmp"

// scope holds the names that a function, block or class adds. The nil scope is that of the
// file, whose names are in Places.Names.
type scope struct {
	up    *scope
	names map[string]*Expr
}

func (s *scope) inner() *scope { return &scope{up: s, names: map[string]*Expr{}} }

// hide adds a name to the scope before its value is known. set fills in the same Expr, so
// that Exprs which already refer to the name get its value.
func (s *scope) hide(name string, hidden Expr) {
	if s != nil && s.names[name] == nil {
		s.names[name] = &hidden
	}
}

// set binds a name of this scope to its value.
func (s *scope) set(name string, e *Expr) {
	if s == nil || name == "" {
		return
	}
	e = cmp.Or(e, unknown)
	if hidden := s.names[name]; hidden != nil && hidden != unknown && hidden.Op == Unknown {
		*hidden = *e
		return
	}
	s.names[name] = e
}

// find returns the value of a name in the innermost scope that has it, else a Name of the
// file.
func (s *scope) find(name string) *Expr {
	for ; s != nil; s = s.up {
		if e := s.names[name]; e != nil {
			return e
		}
	}
	return &Expr{Op: Name, Name: name}
}

// around is the context of a node: the code around it.
type around struct {
	scope    *scope
	from     string   // name of the declaration around
	prefix   string   // of the names of declarations in this context: "Class."
	self     *Expr    // value of this or self; nil if there is none
	class    string   // name of the class around
	exported bool     // declarations in this context are visible to other files
	function bool     // within a function
	gives    *[]*Expr // return statements append their values
}

func (a around) enter(s *scope) around {
	a.scope = s
	return a
}

// within returns the context of the members of a class.
func (a around) within(class string) around {
	return around{scope: a.scope, from: class, prefix: class + ".", class: class, self: &Expr{Op: Self, Name: class}}
}

// name returns the full name of a declaration in this context.
func (a around) name(own string) string { return a.prefix + own }
