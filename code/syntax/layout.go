package syntax

import (
	"slices"
	"strings"
	"unicode"

	"hence/internal/pattern"
)

// layout says which tokens of a language are layout, besides white space: those that a formatter (prettier, black, rustfmt)
// adds or takes away and that change nothing. The last comma of a list is layout in every language.
type layout struct {
	operators  map[string]bool                     // an operator within another has parentheses as tokens, written or not
	heads      map[string]bool                     // kinds whose first part stands before a . ( or [
	statements map[string]bool                     // kinds that have a ; as last token, written or not
	spell      func(n node) (text string, ok bool) // the one token that a node is however it is written, if it is one; "" is left out
}

// kinds returns the set of kinds in a text.
func kinds(text string) map[string]bool {
	all := map[string]bool{}
	for _, kind := range strings.Fields(text) {
		all[kind] = true
	}
	return all
}

var ecmaLayout = &layout{
	operators: kinds(`binary_expression unary_expression update_expression ternary_expression assignment_expression augmented_assignment_expression
		await_expression yield_expression arrow_function as_expression satisfies_expression type_assertion sequence_expression
		union_type intersection_type function_type constructor_type conditional_type infer_type index_type_query readonly_type`),
	heads: kinds("member_expression subscript_expression call_expression new_expression non_null_expression array_type lookup_type optional_type"),
	statements: kinds(`expression_statement lexical_declaration variable_declaration return_statement throw_statement break_statement continue_statement
		debugger_statement do_statement import_statement export_statement type_alias_declaration field_definition public_field_definition
		property_signature method_signature abstract_method_signature index_signature call_signature construct_signature function_signature`),
	spell: spellECMA,
}

var pythonLayout = &layout{
	operators: kinds("binary_operator boolean_operator comparison_operator not_operator unary_operator conditional_expression lambda named_expression await yield"),
	heads:     kinds("attribute call subscript"),
	statements: kinds(`expression_statement return_statement raise_statement delete_statement assert_statement pass_statement break_statement continue_statement
		global_statement nonlocal_statement import_statement import_from_statement future_import_statement type_alias_statement`),
	spell: spellPython,
}

var rustLayout = &layout{}

func isParentheses(n node) bool { return n.is("parenthesized_expression", "parenthesized_type") }

// outer returns a node with all parentheses around it.
func outer(n node) node {
	for isParentheses(n.parent()) {
		n = n.parent()
	}
	return n
}

// isHead reports whether a node, with all parentheses around it, is the first part of one of heads.
func (l *layout) isHead(n node) bool {
	n = outer(n)
	in := n.parent()
	return l.heads[in.kind()] && (n.at == in.at+1 || n.field() == "constructor")
}

// isGrouped reports whether a node has parentheses as tokens, written or not.
func (l *layout) isGrouped(n node) bool {
	if !l.operators[n.kind()] {
		return false
	}
	in := outer(n).parent()
	if how := operator(n); how != "" && how == operator(in) {
		return false // a || (b || c)
	}
	return l.operators[in.kind()] || l.isHead(n) || n.is("sequence_expression") && !in.is("expression_statement", "for_statement")
}

// token returns the one token that a node is however it is written, if it is one; "" is left out.
func (l *layout) token(n node) (text string, ok bool) {
	if l == nil || l.spell == nil {
		return "", false
	}
	return l.spell(n)
}

// around returns the tokens before and after a node that need not be written; those after it in reverse.
func (l *layout) around(n node) (before, after string) {
	switch {
	case l == nil || !n.isNamed():
	case l.isGrouped(n), n.field() == "parameter" && n.parent().is("arrow_function"):
		return "(", ")"
	case l.statements[n.kind()]:
		return "", ";"
	case n.is("new_expression") && !n.get("arguments").ok():
		return "", ")("
	case n.is("jsx_text"):
		return jsxSpaces(n)
	case n.parent().is("jsx_element") && n.previous().ok() && isSpaced(n):
		return " ", ""
	}
	return "", ""
}

// isLayout reports whether a token is layout.
func (l *layout) isLayout(n node) bool {
	in := n.parent()
	switch n.kind() {
	case ",":
		return isLastComma(n) || in.is("interface_body", "object_type", "match_arm")
	case ";":
		switch {
		case l == rustLayout:
			return in.is("expression_statement") && isJump(in)
		case l != nil && in.is("empty_statement"):
			return in.parent().is("statement_block", "program", "class_body")
		}
		return l != nil && !in.is("for_statement")
	case "(", ")":
		switch in.kind() {
		case "parenthesized_expression", "parenthesized_type":
			return l != nil && !l.keeps(in)
		case "tuple", "tuple_pattern": // of Python; the other languages have no layout with parentheses, or other kinds
			return l == pythonLayout && (in.is("tuple_pattern") && !in.child(",").ok() || in.part(0).ok() && outer(in).parent().is("assignment", "return_statement",
				"for_statement", "for_in_clause", "delete_statement", "yield", "subscript", "expression_statement"))
		case "import_from_statement", "with_clause":
			return true
		case "argument_list": // class A():
			return in.parent().is("class_definition") && !in.part(0).ok()
		}
	case "{", "}":
		return l == rustLayout && in.is("block") && in.parent().is("match_arm", "closure_expression") && isOneExpression(in)
	case "|", "&":
		return in.is("union_type", "intersection_type") && n.at == in.at+1
	}
	return false
}

// keeps reports whether parentheses are tokens because the tree would be another without them.
func (l *layout) keeps(n node) bool {
	inner := n.part(0)
	switch {
	case isParentheses(inner) || l.operators[inner.kind()]:
		return false // see isGrouped
	case l == rustLayout:
		return true
	}
	switch in := outer(n).parent(); {
	case in.is("arrow_function"):
		return inner.is("object")
	case in.is("new_expression"):
		return l.isHead(n) && !inner.is("identifier", "member_expression")
	}
	return l.isHead(n) && (inner.is("integer", "float", "concatenated_string") || mayStop(inner))
}

// mayStop reports whether a chain of members and calls may stop at a ?., or is too long to tell.
func mayStop(n node) bool {
	for range 100 {
		switch {
		case !n.is("member_expression", "call_expression", "subscript_expression"):
			return false
		case n.child("optional_chain", "?.").ok():
			return true
		}
		n = n.part(0)
	}
	return true
}

// operator returns the operator of a node whose parts may be grouped anyhow, else "".
func operator(n node) string {
	if n.is("union_type", "intersection_type") {
		return n.kind()
	}
	if !n.is("binary_expression") { // a list of thousands is not searched for each of its items
		return ""
	}
	if how := n.get("operator").string(); how == "&&" || how == "||" {
		return how
	}
	return ""
}

// isJump reports whether a statement of Rust leaves its block.
func isJump(n node) bool {
	return n.part(0).is("return_expression", "break_expression", "continue_expression")
}

// isOneExpression reports whether a block of Rust is an expression in braces.
func isOneExpression(block node) bool {
	one := block.part(0)
	if one.is("expression_statement") && one.child(";").ok() && !isJump(one) {
		return false
	}
	return one.ok() && !block.part(1).ok() && !one.is("empty_statement") && !strings.HasSuffix(one.kind(), "_declaration") && !strings.HasSuffix(one.kind(), "_item")
}

// isLastComma reports whether a comma is the last of a list, and neither makes a tuple of one element nor a hole.
func isLastComma(n node) bool {
	in, next, before := n.parent(), n.next(), n.previous()
	for isComment(next) {
		next = next.next()
	}
	for isComment(before) {
		before = before.previous()
	}
	switch {
	case next.ok() && !next.is(")", "]", "}", ">", "|"), !next.ok() && !in.is("expression_list", "pattern_list", "where_clause"):
		return false
	case before.is(",", "[", "("):
		return false
	case in.is("tuple", "tuple_pattern", "tuple_expression", "tuple_type", "subscript", "type_parameter", "expression_list", "pattern_list"), in.is("token_tree") && in.parent().is("token_tree"):
		return in.child(",").at != n.at
	}
	return true
}

// escapedQuotes replaces a quote that is escaped by the quote.
var escapedQuotes = strings.NewReplacer(`\\`, `\\`, `\'`, `'`, `\"`, `"`)

var (
	ecmaName = pattern.Lazy(`^[A-Za-z_$][\w$]*$`)
	zeros    = pattern.Lazy(`\.0*(e|$)|(\.\d*?[1-9])0+(e|$)`) // at the end of a fraction
)

// spellECMA writes a text in double quotes, a key without quotes that it does not need, a number in lower case, and the words of JSX
// with one space between them.
func spellECMA(n node) (string, bool) {
	switch n.kind() {
	case "string":
		inner := unquote(n)
		isKey := n.field() == "key" || n.field() == "name" && n.parent().is("property_signature", "method_signature", "method_definition", "public_field_definition", "enum_assignment")
		if isKey && ecmaName().MatchString(inner) {
			return inner, true
		}
		if !n.parent().is("jsx_attribute") {
			inner = escapedQuotes.Replace(inner)
		}
		return `"` + strings.ReplaceAll(inner, "\r\n", "\n") + `"`, true
	case "number":
		text := strings.ToLower(n.string())
		if !strings.HasPrefix(text, "0x") {
			text = zeros().ReplaceAllString(strings.Replace(text, "e+", "e", 1), "$1$2$3")
		}
		return text, true
	case "regex_flags":
		return string(slices.Sorted(slices.Values([]byte(n.string())))), true
	case "return": // it returns nothing that begins on another line; the grammar does not know that
		return "return ;", n.next().ok() && strings.Contains(n.slice(n.end(), n.next().start()), "\n")
	case "jsx_text":
		return strings.Join(strings.Fields(n.string()), " "), true
	case "jsx_expression": // {" "} is a space at the end of a line, and a={"b"} the same as a="b"
		if !n.part(0).is("string") || n.part(1).ok() {
			break
		}
		inner := unquote(n.part(0))
		if n.parent().is("jsx_attribute") {
			return `"` + inner + `"`, !strings.ContainsAny(inner, `"'\&`)
		}
		return " ", inner != "" && strings.Trim(inner, " ") == ""
	}
	return "", false
}

// unquote returns the text between two quotes.
func unquote(n node) string { return n.slice(n.start()+1, n.end()-1) }

// isSpaced reports whether only spaces of a line stand between a node and the one before it.
func isSpaced(n node) bool {
	between := n.slice(n.previous().end(), n.start())
	return between != "" && strings.TrimLeft(between, " \t") == ""
}

// jsxSpaces returns the spaces at both ends of a text of JSX that are shown: at an end of a line, none is.
func jsxSpaces(n node) (before, after string) {
	text := n.string()
	start, end := len(text)-len(strings.TrimLeftFunc(text, unicode.IsSpace)), len(strings.TrimRightFunc(text, unicode.IsSpace))
	head, tail := text[:start], text[max(start, end):]
	isShown := func(space string, beside node) bool {
		return space != "" && (!strings.Contains(space, "\n") || beside.is("html_character_reference"))
	}
	if isShown(head, n.previous()) {
		before = " "
	}
	if isShown(tail, n.next()) {
		after = " "
	}
	return before, after
}

// spellPython writes the quotes of a text as double quotes, its prefix and a number in lower case.
func spellPython(n node) (string, bool) {
	switch n.kind() {
	case "string_start":
		letters := strings.TrimRight(n.string(), `'"`)
		quotes := strings.ReplaceAll(n.string()[len(letters):], "'", `"`)
		return strings.TrimPrefix(string(slices.Sorted(slices.Values([]byte(strings.ToLower(letters))))), "u") + quotes, true
	case "string_content":
		text := strings.ReplaceAll(n.string(), "\r\n", "\n")
		if strings.ContainsAny(n.parent().child("string_start").string(), "rR") {
			return text, true
		}
		return escapedQuotes.Replace(text), true
	case "string_end":
		return strings.ReplaceAll(n.string(), "'", `"`), true
	case "integer", "float":
		return strings.Replace(strings.ToLower(n.string()), "e+", "e", 1), true
	}
	return "", false
}
