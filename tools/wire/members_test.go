package wire

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hence/internal/fault"
	_ "hence/internal/repeattest"
	"hence/tools"
)

// object returns an object with n members, as JSON.
func object(n int) string {
	members := make([]string, n)
	for i := range members {
		members[i] = fmt.Sprintf(`"k%d":1`, i)
	}
	return "{" + strings.Join(members, ",") + "}"
}

func TestObjectsOfTooManyMembersAreRefused(t *testing.T) {
	for _, c := range []struct {
		name, message, want string
	}{
		{"AtTheLimit", object(maxMembers), ""},
		{"OneMore", object(maxMembers + 1), "an object of the message has more than 1000 members; send fewer"},
		{"Arguments", `{"params":{"arguments":` + object(500_000) + `}}`, "params.arguments has more than 1000 members; send fewer"},
		{"InAnArray", `{"params":{"arguments":{"links":[{},` + object(2000) + `]}}}`, "params.arguments.links has more than 1000 members; send fewer"},
		{"InABatch", `[` + object(2000) + `]`, "an object of the message has more than 1000 members; send fewer"},
		{"Properties", `{"params":{"arguments":{"content":"x","properties":` + object(2000) + `}}}`, ""},
		{"WithinProperties", `{"params":{"arguments":{"set":{"a":[` + object(2000) + `]}}}}`, ""},
		{"PropertiesOfACallInProcess", `{"content":"x","properties":` + object(2000) + `}`, ""},
		{"PropertiesLargerThanAnyIsKept", `{"params":{"arguments":{"properties":` + object(maxFreeMembers+1) + `}}}`, "params.arguments.properties has more than 50000 members; send fewer"},
		{"PropertiesElsewhere", `{"params":{"arguments":{"links":[{"properties":` + object(2000) + `}]}}}`, "params.arguments.links.properties has more than 1000 members; send fewer"},
		{"SameNameAgainAndAgain", "{" + strings.Repeat(`"k":1,`, 2000) + `"k":1}`, "an object of the message has more than 1000 members; send fewer"},
		{"ManySmallOnes", "[" + strings.Repeat(`{"a":{"b":1},"c":2},`, 5000) + "{}]", ""},
		{"NotJSON", strings.Repeat("{", 100_000), ""},
		{"Deep", strings.Repeat(`{"a":[`, 100_000) + strings.Repeat("]}", 100_000), ""},
		{"LongText", `{"params":{"arguments":{"content":"` + strings.Repeat(`{\"a\":`, 5000) + `"}}}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := CheckMembers([]byte(c.message))
			if c.want == "" && err == nil {
				return
			}
			if fault.CodeOf(err) != fault.InvalidArgument || err.Error() != c.want {
				t.Errorf("CheckMembers: %v, want %q", err, c.want)
			}
		})
	}
}

// largest returns the number of members of the largest object in a message that encoding/json
// has decoded. It is the naive reference.
func largest(value any) (n int) {
	switch v := value.(type) {
	case map[string]any:
		n = len(v)
		for _, member := range v {
			n = max(n, largest(member))
		}
	case []any:
		for _, element := range v {
			n = max(n, largest(element))
		}
	}
	return n
}

func TestRapidMembersAreCountedAsDecoded(t *testing.T) {
	var value func(t *rapid.T, depth int) any
	value = func(t *rapid.T, depth int) any {
		switch kind := rapid.IntRange(0, 5).Draw(t, "kind"); {
		case depth == 0 || kind < 2:
			return rapid.SampledFrom([]any{nil, true, 1.5, "x", `{"a":`, ""}).Draw(t, "leaf")
		case kind == 2:
			list := []any{}
			for range rapid.IntRange(0, 4).Draw(t, "elements") {
				list = append(list, value(t, depth-1))
			}
			return list
		}
		members := map[string]any{}
		for i := range rapid.SampledFrom([]int{0, 1, 2, 3, maxMembers - 1, maxMembers, maxMembers + 1}).Draw(t, "members") {
			members[fmt.Sprint("k", i)] = nil
		}
		for _, name := range slices.Sorted(maps.Keys(members)) {
			if len(members) > 5 && name != "k7" {
				continue
			}
			members[name] = value(t, depth-1)
		}
		return members
	}
	rapid.Check(t, func(t *rapid.T) {
		message := value(t, 4)
		raw, err := json.Marshal(message)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := CheckMembers(raw) != nil, largest(message) > maxMembers; got != want {
			t.Errorf("refused = %v, want %v: the largest object has %d members", got, want, largest(message))
		}
	})
}

func TestFreeArgumentsAreThoseOfTheSchemas(t *testing.T) {
	free := map[string]bool{}
	for _, tool := range tools.All() {
		var schema struct {
			Properties map[string]struct {
				Type       any
				Properties map[string]any
			}
		}
		if err := json.Unmarshal(tool.Input, &schema); err != nil {
			t.Fatal(err)
		}
		for name, p := range schema.Properties {
			if p.Type == "object" && len(p.Properties) == 0 {
				free[name] = true
			}
		}
	}
	if got := slices.Sorted(maps.Keys(free)); !slices.Equal(got, freeArguments) {
		t.Errorf("the schemas have %v, freeArguments is %v", got, freeArguments)
	}
}

func FuzzMembers(f *testing.F) {
	f.Add([]byte(object(1001)))
	f.Add([]byte(`{"params":{"arguments":{"properties":` + object(1001) + `}}}`))
	f.Add([]byte(strings.Repeat("[", 6000)))
	f.Add([]byte(`{"a":` + strings.Repeat(" ", 6000) + `}]`))
	f.Fuzz(func(t *testing.T, message []byte) {
		if err := CheckMembers(message); err != nil && fault.CodeOf(err) != fault.InvalidArgument {
			t.Errorf("CheckMembers: %v", err)
		}
	})
}
