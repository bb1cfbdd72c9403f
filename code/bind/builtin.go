package bind

import (
	"slices"
	"strings"
)

// The lists and maps that languages have by themselves, by the name of the type. "[]" is a
// tuple, or a list that is written out.
var (
	ecmaLists   = strings.Fields("[] Array ReadonlyArray Set ReadonlySet Iterable IterableIterator Iterator AsyncIterable AsyncIterableIterator Generator AsyncGenerator ArrayLike NodeListOf ArrayIterator SetIterator MapIterator")
	rustLists   = strings.Fields("Vec VecDeque HashSet BTreeSet BinaryHeap LinkedList Iter IntoIterator")
	javaLists   = strings.Fields("List ArrayList LinkedList Collection Set HashSet LinkedHashSet TreeSet SortedSet Iterable Iterator Queue Deque ArrayDeque Stream ImmutableList ImmutableSet")
	pythonLists = strings.Fields("list List set Set frozenset FrozenSet Sequence MutableSequence Collection Iterable Iterator Generator AsyncIterator AsyncIterable AsyncGenerator Deque deque AbstractSet MutableSet")
	allLists    = slices.Concat(ecmaLists, rustLists, javaLists, pythonLists)

	ecmaMaps   = strings.Fields("Map ReadonlyMap WeakMap")
	javaMaps   = strings.Fields("Map HashMap LinkedHashMap TreeMap ConcurrentHashMap ConcurrentMap SortedMap ImmutableMap")
	pythonMaps = strings.Fields("dict Dict Mapping MutableMapping OrderedDict defaultdict DefaultDict")

	promises = strings.Fields("Promise PromiseLike Awaitable Coroutine Future Task")
	managers = strings.Fields("Iterator Generator Iterable AsyncIterator AsyncGenerator ContextManager AbstractContextManager AsyncContextManager")
	options  = []string{"Option", "Result"}
	cells    = []string{"Mutex", "RwLock", "RefCell", "Cell"}
)

// method says what methods of built-in types give: the value itself, an element of it, the
// value of one type argument (gives ""), or a value of another built-in type with one of the
// type arguments, or with pairs of two.
type method struct {
	types     []string
	names     []string
	gives     string
	arguments []int
}

const itself, anElement = "itself", "an element"

var methods = []method{
	{ecmaLists, strings.Fields("filter slice concat reverse sort toSorted toReversed values flat splice copy union difference"), itself, nil},
	{ecmaLists, strings.Fields("find findLast at pop shift"), anElement, nil},
	{ecmaMaps, strings.Fields("get"), "", []int{1}},
	{ecmaMaps, strings.Fields("values"), "Array", []int{1}},
	{ecmaMaps, strings.Fields("keys"), "Array", []int{0}},
	{ecmaMaps, strings.Fields("entries"), "Array", []int{0, 1}},
	{[]string{"Promise"}, strings.Fields("catch finally"), itself, nil},

	{options, strings.Fields("unwrap expect unwrap_or unwrap_or_else unwrap_or_default"), "", []int{0}},
	{options, strings.Fields("as_ref as_mut clone take ok ok_or ok_or_else cloned as_deref as_deref_mut map_err or_else context with_context"), itself, nil},
	{rustLists, strings.Fields("iter iter_mut into_iter clone drain rev skip take filter by_ref"), itself, nil},
	{rustLists, strings.Fields("first last get get_mut pop last_mut first_mut next find pop_front pop_back"), "Option", []int{0}},
	{cells, strings.Fields("lock read write"), "Result", []int{0}},
	{cells, strings.Fields("borrow borrow_mut get_mut"), "", []int{0}},

	{[]string{"Optional"}, strings.Fields("get orElse orElseThrow orElseGet"), "", []int{0}},
	{[]string{"Supplier"}, strings.Fields("get"), "", []int{0}},
	{javaLists, strings.Fields("get getFirst getLast remove next peek poll pop first last removeFirst removeLast"), "", []int{0}},
	{javaLists, strings.Fields("iterator stream filter subList"), itself, nil},
	{javaMaps, strings.Fields("get remove put getOrDefault computeIfAbsent putIfAbsent"), "", []int{1}},
	{javaMaps, strings.Fields("values"), "List", []int{1}},
	{javaMaps, strings.Fields("keySet"), "List", []int{0}},

	{pythonLists, strings.Fields("pop popleft __next__"), "", []int{0}},
	{pythonLists, strings.Fields("copy"), itself, nil},
	{pythonMaps, strings.Fields("get pop setdefault"), "", []int{1}},
	{pythonMaps, strings.Fields("values"), "list", []int{1}},
	{pythonMaps, strings.Fields("keys"), "list", []int{0}},
	{pythonMaps, strings.Fields("items"), "list", []int{0, 1}},
}

// builtin returns the result of a method of a built-in type; args are the results of a
// callback.
func (b *binder) builtin(of value, name string, args []value) value {
	switch {
	case slices.Contains(ecmaLists, of.name) && name == "map" && len(args) == 1:
		return value{kind: isMade, name: "Array", args: args}
	case of.name == "Promise" && name == "then" && len(args) == 1:
		return value{kind: isMade, name: "Promise", args: args}
	}
	for _, m := range methods {
		if slices.Contains(m.types, of.name) && slices.Contains(m.names, name) {
			if result := b.given(of, m); result.kind != isUnknown {
				return result
			}
		}
	}
	return value{}
}

func (b *binder) given(of value, m method) value {
	switch {
	case m.gives == itself:
		return of
	case m.gives == anElement:
		return b.element(of, "")
	case len(of.args) <= slices.Max(m.arguments):
		return value{}
	case m.gives == "":
		return b.content(of.args[m.arguments[0]])
	case len(m.arguments) > 1:
		return value{kind: isMade, name: m.gives, args: []value{{kind: isMade, name: "[]", args: of.args}}}
	}
	return value{kind: isMade, name: m.gives, args: of.args[m.arguments[0]:][:1]}
}

// element returns the value that a loop over a container gives. With how "each" it is the
// value that a callback of the container receives, or that an index selects: for a map the
// value without its key.
func (b *binder) element(of value, how string) value {
	isMap := slices.Contains(ecmaMaps, of.name)
	switch {
	case of.kind != isMade || len(of.args) == 0:
	case of.name == "[]":
		return b.oneOf(slices.Clone(of.args))
	case slices.Contains(allLists, of.name), len(of.args) < 3 && (of.name == "Tuple" || of.name == "tuple"):
		return of.args[0]
	case len(of.args) != 2 || !isMap && !slices.Contains(pythonMaps, of.name):
	case how == "each":
		return of.args[1]
	case isMap:
		return value{kind: isMade, name: "[]", args: of.args}
	default:
		return of.args[0]
	}
	return value{}
}

// eachMethods are methods of lists that call a function with each element.
var eachMethods = strings.Fields("map forEach filter find findIndex findLast findLastIndex some every flatMap")

// handedBuiltin returns the value of a function's parameter at place, when the function is
// the first argument of the method name of a built-in value.
func (b *binder) handedBuiltin(of value, name string, place int) value {
	switch {
	case slices.Contains(eachMethods, name) && place == 0, (name == "sort" || name == "toSorted") && place < 2, name == "reduce" && place == 1:
		return b.element(of, "each")
	case len(of.args) == 0 || place > 0:
	case of.name == "Promise" && name == "then", slices.Contains(options, of.name) && slices.Contains([]string{"map", "and_then", "is_some_and", "filter", "inspect"}, name):
		return b.content(of.args[0])
	}
	return value{}
}
