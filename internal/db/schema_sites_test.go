package db_test

import (
	"fmt"
	"testing"
)

func site(note, edge string, line int) string {
	return fmt.Sprintf(`
insert into sites (note, edge, kind, origin, target, target_key, line, start_byte, end_byte, resolved_by)
select m.key, e.key, 'links-to', 'wikilink', 'T', 't', %d, 0, 1, iif(e.key is null, '', 'path')
from memories m
left join edges e on e.id = '%s'
where m.id = '%s';
`, line, edge, note)
}

func TestAnEdgeLivesAsLongAsASiteOrADeclaration(t *testing.T) {
	for _, c := range []struct{ name, declared, script, left string }{
		{"OneSiteGone", "site", `delete from sites where line = 1`, "1"},
		{"AllSitesGone", "site", `delete from sites`, "0"},
		{"AllSitesGoneButDeclared", "explicit", `delete from sites`, "1"},
		{"SitesLeadElsewhere", "site", `update sites set edge = null`, "0"},
		{"SitesLeadElsewhereButDeclared", "explicit", `update sites set edge = null`, "1"},
		{"OneSiteLeadsElsewhere", "site", `update sites set edge = null where line = 2`, "1"},
		{"SiteEditedInPlace", "site", `update sites set line = line + 10, context = 'x'`, "1"},
		{"UndeclaredWithSites", "explicit", `update edges set declared = 'site'`, "1"},
		{"UndeclaredWithoutSites", "explicit", `delete from sites; update edges set declared = 'site'`, "0"},
		{"NotePurged", "site", `delete from memories where id = 'n'`, "0"},
		{"TargetPurged", "site", `delete from memories where id = 'm'`, "0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newShell(t)
			s.do(t, memories("n", "m")+edge("n", "links-to", "m")+`update edges set declared = 'explicit';`+
				site("n", "n-links-to-m", 1)+site("n", "n-links-to-m", 2)+`update edges set declared = '`+c.declared+`';`)
			s.want(t, `select count(*) from edges`, "1")
			s.do(t, c.script)
			s.want(t, `select count(*) from edges`, c.left)
			s.want(t, `select count(*) from sites where edge is not null and edge not in (select key from edges)`, "0")
		})
	}
}

// What an edit by hand leaves of a note's sites is what they said before it.
func TestTheTextAroundASite(t *testing.T) {
	s := newShell(t)
	s.do(t, memories("n", "m")+`update memories set content = 'The ägean ferry, at noon.' where id = 'n';`+edge("n", "links-to", "m")+
		site("n", "n-links-to-m", 1)+site("n", "", 2)+site("n", "", 3)+`
update sites set context_start = 4, context_end = 16 where line = 1;
update sites set context = 'in a property' where line = 2;`)
	want := []string{"1|ägean ferry", "2|in a property", "3|"}
	s.want(t, `select s.line, c.context from sites s join site_contexts c on c.site = s.key order by s.line`, want...)
	s.do(t, `update memories set content = 'gone' where id = 'n'`)
	s.want(t, `select s.line, c.context from sites s join site_contexts c on c.site = s.key order by s.line`, want...)
	s.do(t, `update memories set content = '' where id = 'n'; update sites set context = null`)
	s.want(t, `select count(*) from site_contexts where context is null`, "0")
}

func TestDanglingLinks(t *testing.T) {
	s := newShell(t)
	s.do(t, memories("n", "m")+`update memories set uri = 'obsidian-fs://v/n.md' where id = 'n';`+edge("n", "links-to", "m")+
		site("n", "", 1)+site("n", "n-links-to-m", 2)+site("n", "", 3)+site("n", "", 4)+`
update sites set anchor = '#Part', rel = 'parent' where line = 3;
update sites set refused = 'cycle', resolved_by = 'path' where line = 4;`)
	s.want(t, `select * from dangling_links`, "Title n|obsidian-fs://v/n.md|T|links-to|1", "Title n|obsidian-fs://v/n.md|T#Part|parent|3")
	s.do(t, `delete from memories where id = 'm'`)
	s.want(t, `select line from dangling_links`, "1", "2", "3")
}
