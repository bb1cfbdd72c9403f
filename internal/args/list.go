package args

import "encoding/json"

// ListOf names the list that a call with these arguments pages through, so that the cursor of
// one list is rejected for another. The arguments for how much is shown may change from page to
// page, and are no part of the name.
func ListOf(operation string, arguments any) string {
	members := map[string]any{}
	text, err := json.Marshal(arguments)
	if err == nil {
		err = json.Unmarshal(text, &members)
	}
	if err != nil {
		panic(err) // cannot be: the arguments were decoded from JSON or flags
	}
	for _, name := range []string{"limit", "detail", "token_budget", "cursor"} {
		delete(members, name)
	}
	if text, err = json.Marshal(members); err != nil {
		panic(err) // cannot be: they were decoded from JSON
	}
	return operation + " " + string(text)
}
