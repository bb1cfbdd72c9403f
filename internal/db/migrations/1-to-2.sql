-- From version 1 to 2: the checks of the edges' and the journal's lists say the
-- same in other words, the full-text index gathers more before it writes, and
-- the list of the journal names edges that are gone.
--
-- A check that allows what it allowed before leaves every row as it is, so its
-- text is changed where SQLite keeps it (https://sqlite.org/lang_altertable.html,
-- the second procedure). A process that has read the old text goes on with it.
pragma writable_schema = on;

update sqlite_schema
set sql = replace(replace(replace(sql,
'kind       text not null check (kind in (
               ''supersedes'',   -- new → old
               ''causes'',       -- cause → effect
               ''depends-on'',   -- dependent → what it rests on
               ''contradicts'',  -- a — b
               ''supports'',     -- evidence → claim
               ''derived-from'', -- summary → source
               ''part-of'',      -- part → whole
               ''follows'',      -- later → earlier
               ''relates-to'',   -- a — b
               ''links-to'',     -- note → note, from the body
               ''embeds'',       -- note → note or file
               ''refers-to'',    -- note → note, rel says by what word
               ''mentions''      -- note → note, found in plain text
             )),',
'kind       text not null check (
               kind = ''supersedes''      -- new → old
               or kind = ''causes''       -- cause → effect
               or kind = ''depends-on''   -- dependent → what it rests on
               or kind = ''contradicts''  -- a — b
               or kind = ''supports''     -- evidence → claim
               or kind = ''derived-from'' -- summary → source
               or kind = ''part-of''      -- part → whole
               or kind = ''follows''      -- later → earlier
               or kind = ''relates-to''   -- a — b
               or kind = ''links-to''     -- note → note, from the body
               or kind = ''embeds''       -- note → note or file
               or kind = ''refers-to''    -- note → note, rel says by what word
               or kind = ''mentions''     -- note → note, found in plain text
             ),'),
'origin     text not null default ''person'' check (origin in (
               ''agent'', ''person'', ''import'',
               ''frontmatter'', ''wikilink'', ''markdown'', ''embed'', ''inline-field'', ''relation'', ''mention''
             )),',
'origin     text not null default ''person'' check (
               origin = ''agent'' or origin = ''person'' or origin = ''import''
               or origin = ''frontmatter'' or origin = ''wikilink'' or origin = ''markdown'' or origin = ''embed''
               or origin = ''inline-field'' or origin = ''relation'' or origin = ''mention''
             ),'),
'declared   integer not null default 1 check (declared in (0, 1, 2)),',
'declared   integer not null default 1 check (declared between 0 and 2),')
where type = 'table'
  and name = 'edges';

update sqlite_schema
set sql = replace(sql,
'action    text not null check (action in (
              ''store'', ''update'', ''supersede'', ''reinstate'', ''forget'', ''restore'', ''verify'', ''purge'',
              ''link'', ''relink'', ''unlink''
            )),',
'action    text not null check (
              action = ''store'' or action = ''update'' or action = ''supersede'' or action = ''reinstate''
              or action = ''forget'' or action = ''restore'' or action = ''verify'' or action = ''purge''
              or action = ''link'' or action = ''relink'' or action = ''unlink''
            ),')
where type = 'table'
  and name = 'journal';

pragma writable_schema = reset;

insert into section_search (section_search, rank) values ('hashsize', 8388608);

drop view journal_list;

create view journal_list (at, actor, action, id, title, what) as
select
  j.at,
  j.actor,
  j.action,
  j.id,
  case j.thing
    when 'memory' then m.title
    else f.title
  end,
  case j.thing
    when 'memory' then coalesce((select group_concat(k.key, ', ') from json_each(j.before) k), '')
    else coalesce(e.kind, u.before ->> '$.kind', '') || ' → ' || coalesce(t.title, '')
  end
from journal j
left join memories m on j.thing = 'memory' and m.id = j.id
left join edges e on j.thing = 'edge' and e.id = j.id
left join journal u on u.seq = case
  when j.thing = 'edge' and e.key is null
    then (select min(k.seq) from journal k where k.id = j.id and k.seq >= j.seq and k.action = 'unlink')
end
left join memories f on j.thing = 'edge' and f.key = coalesce(e.from_key, (select key from memories where id = u.before ->> '$.from'))
left join memories t on j.thing = 'edge' and t.key = coalesce(e.to_key, (select key from memories where id = u.before ->> '$.to'));

pragma user_version = 2;
