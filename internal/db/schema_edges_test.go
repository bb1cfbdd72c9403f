package db_test

import "testing"

func TestSupersedingFlipsTheStatus(t *testing.T) {
	const statuses = `select id, status from memories order by id`
	for _, c := range []struct {
		name, script string
		want         []string
	}{
		{"Superseded", "", []string{"a|superseded", "b|superseded", "c|current"}},
		{"EdgeDeleted", `delete from edges where id = 'b-supersedes-a'`, []string{"a|current", "b|superseded", "c|current"}},
		{"SuccessorPurged", `delete from memories where id = 'c'`, []string{"a|superseded", "b|current"}},
		{"MiddlePurged", `delete from memories where id = 'b'`, []string{"a|current", "c|current"}},
		{"ForgottenStaysForgotten", `
update memories set status = 'forgotten', forgotten_at = '2026-01-01T00:00:00.000Z' where id = 'a';
delete from edges where id = 'b-supersedes-a'`, []string{"a|forgotten", "b|superseded", "c|current"}},
		{"ForgottenIsNotSuperseded", memories("f") + `
update memories set status = 'forgotten', forgotten_at = '2026-01-01T00:00:00.000Z' where id = 'f';` + edge("c", "supersedes", "f"),
			[]string{"a|superseded", "b|superseded", "c|current", "f|forgotten"}},
		{"OtherKindsFlipNothing", edge("a", "contradicts", "c") + edge("c", "depends-on", "a") + `delete from edges where kind = 'contradicts'`,
			[]string{"a|superseded", "b|superseded", "c|current"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newShell(t)
			s.do(t, memories("a", "b", "c")+edge("b", "supersedes", "a")+edge("c", "supersedes", "b")+c.script)
			s.want(t, statuses, c.want...)
		})
	}
}
