-- The database of Hence: memories, the typed edges between them, and the rules that hold for every writer, the
-- sqlite3 shell included. It is whole with the view stale_because, which schema.go makes of stale_because.sql.
-- Everything here works in a stock sqlite3 3.40.
--
-- Times are text: RFC 3339 in UTC with milliseconds (2026-11-20T08:15:00.000Z), so that they compare as text.
-- Keys are for joins; other programs see ids.

pragma application_id = 0x48656e63; -- "Henc"

------------------------------------------------------------------ memories --

create table memories (
  key           integer primary key,
  -- What is shown within a line has no control characters: U+0000 to U+001F (a tab, a line end) and U+007F to U+009F.
  -- UUIDv7 when Hence makes it; any text of up to 200 bytes when imported
  id            text not null unique default (
                  lower(
                    substr(printf('%012x', cast((julianday('now') - 2440587.5) * 86400000 as integer)), 1, 8)
                    || '-' || substr(printf('%012x', cast((julianday('now') - 2440587.5) * 86400000 as integer)), 9, 4)
                    || '-7' || substr(hex(randomblob(2)), 2)
                    || '-' || substr('89ab', 1 + abs(random() % 4), 1) || substr(hex(randomblob(2)), 2)
                    || '-' || hex(randomblob(6))
                  )
                ) check (length(cast(id as blob)) between 1 and 200),
  namespace     text not null default 'default' check (length(namespace) between 1 and 100),
  kind          text not null default 'fact' check (length(kind) between 1 and 64) -- fact, decision, note, file …
                constraint kind_has_no_control_characters check (kind not glob '*[' || char(1) || '-' || char(31) || char(127) || '-' || char(159) || ']*' and instr(kind, char(0)) = 0),
  title         text not null check (trim(title) <> '')
                constraint title_has_no_control_characters check (title not glob '*[' || char(1) || '-' || char(31) || char(127) || '-' || char(159) || ']*' and instr(title, char(0)) = 0),
  content       text not null default '' check (instr(content, char(0)) = 0), -- a note's text without its frontmatter
  -- The next three are JSON that Go reads: other names of a note, sorted tags without '#', a note's frontmatter. See
  -- the view readable. SQLite stops at a NUL byte, and Go does not.
  aliases       text not null default '[]' check (
                  instr(aliases, char(0)) = 0 and json_valid(aliases) and json_type(aliases) = 'array'
                ),
  tags          text not null default '[]' check (
                  instr(tags, char(0)) = 0 and json_valid(tags) and json_type(tags) = 'array'
                  and json_array_length(tags) <= 200 and length(tags) <= 250000
                ),
  properties    text not null default '{}' check (
                  instr(properties, char(0)) = 0 and json_valid(properties) and json_type(properties) = 'object'
                ),
  status        text not null default 'current' check (status = 'current' or status = 'superseded' or status = 'forgotten'),
  -- Real numbers have at most 12 digits, which every version of SQLite writes and reads the same as text.
  importance    real not null default 0.5 check (importance between 0 and 1)
                constraint importance_has_at_most_12_digits check (importance = 0.5 or cast(printf('%.12g', importance) as real) = importance),
  pinned        integer not null default 0 check (pinned in (0, 1)),
  everywhere    integer not null default 0 check (everywhere in (0, 1)), -- a person marked it: it concerns every project
  confidence    real check (confidence between 0 and 1)
                constraint confidence_has_at_most_12_digits check (cast(printf('%.12g', confidence) as real) = confidence),
  origin        text not null default 'person' check (
                  origin = 'vault' or origin = 'agent' or origin = 'person' or origin = 'import' or origin = 'code'
                ),
  actor         text not null default '' -- who wrote it first
                constraint actor_has_no_control_characters check (actor not glob '*[' || char(1) || '-' || char(31) || char(127) || '-' || char(159) || ']*' and instr(actor, char(0)) = 0),
  -- where the text came from; null: as origin says, see said_by
  source        text check (
                  source is null or source = 'person' or source = 'agent' or source = 'note' or source = 'code'
                  or source = 'tool' or source = 'web' or source = 'import'
                ),
  source_url    text check (source_url <> '' and length(source_url) <= 2000), -- the address there
  confirmed     text, -- what a person confirmed: content_hash, a space, title; void if these are others now
  uri           text unique,              -- obsidian-fs://<vault>/<path> for what a vault holds, code://<repository>/… for code
  content_hash  text not null default ('unhashed-' || lower(hex(randomblob(16)))), -- SHA-256 of content in hex; for a file without text, its file_hash; for a symbol, of its tokens
  sectioned     integer not null default 0 check (sectioned in (0, 1)), -- 1: the writer inserts the sections itself
  revision      integer not null default 1 check (revision > 0),        -- one more with every edit
  created_at    text not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) check (created_at glob '????-??-??T*Z' and strftime('%Y-%m-%dT%H:%M', created_at, '+0 days') is substr(created_at, 1, 16)),
  updated_at    text not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) check (updated_at glob '????-??-??T*Z' and strftime('%Y-%m-%dT%H:%M', updated_at, '+0 days') is substr(updated_at, 1, 16)),
  valid_from    text check (valid_from glob '????-??-??T*Z' and strftime('%Y-%m-%dT%H:%M', valid_from, '+0 days') is substr(valid_from, 1, 16)), -- true in the world from here …
  valid_to      text check (valid_to glob '????-??-??T*Z' and strftime('%Y-%m-%dT%H:%M', valid_to, '+0 days') is substr(valid_to, 1, 16)),   -- … until just before here
  verified_at   text check (verified_at glob '????-??-??T*Z' and strftime('%Y-%m-%dT%H:%M', verified_at, '+0 days') is substr(verified_at, 1, 16)), -- when it was last verified
  verify_note   text,                                          -- what the verification found
  forgotten_at  text check (forgotten_at glob '????-??-??T*Z' and strftime('%Y-%m-%dT%H:%M', forgotten_at, '+0 days') is substr(forgotten_at, 1, 16)),
  forget_reason text,
  -- The rest is computed. How far the text is trusted for its own source: below 4, an agent's own, it is a
  -- stranger's. A person who confirms a text answers for it; what others report that a person said is 5, as a
  -- person's files are. Whoever changes a memory needs its rank: see ref.Caller.MaxRank.
  said_by       text as (coalesce(source, iif(origin = 'vault', 'note', origin))),
  own_rank      integer as (
                  case
                    when confirmed = content_hash || ' ' || title then 6
                    else case said_by
                      when 'person' then iif(origin = 'person', 6, 5)
                      when 'note' then 5
                      when 'agent' then 4
                      when 'code' then 4
                      when 'import' then 3
                      when 'tool' then 2
                      else 1
                    end
                  end
                ),
  -- What a briefing has. A vault calls a note a decision by its folder, its type or its status, but for those not
  -- in force, and those about a folder of decisions, such as its index.
  is_rule       integer as (
                  (pinned = 1 or kind in ('preference', 'rule', 'instruction')) and kind not in ('file', 'canvas', 'turn')
                ),
  is_decision   integer as (
                  case
                    when kind <> 'note' then kind = 'decision'
                    when json_valid(properties) then (
                      lower(uri) glob '*/decisions/*'
                      or lower(uri) glob '*/adr/*'
                      or lower(properties ->> '$.type') in ('decision', 'adr')
                      or lower(properties ->> '$.status') = 'accepted'
                    )
                    and lower(coalesce(properties ->> '$.status', '')) not in (
                      'abandoned', 'deprecated', 'draft', 'obsolete', 'proposed', 'rejected', 'superseded', 'withdrawn'
                    )
                    and lower(uri) not glob '*/readme.md'
                    and lower(uri) not glob '*/index.md'
                    and lower(uri) not glob '*template*.md'
                  end
                ),
  check (valid_from is null or valid_to is null or valid_from < valid_to),
  check ((status = 'forgotten') = (forgotten_at is not null))
) strict;

-- With namespace and status, so that near titles are found in the index alone.
create index memories_by_title on memories (title collate nocase, namespace, status);

-- The short ids that results show: the last 8 characters, which in a UUIDv7 are random.
create index memories_by_short_id on memories (substr(id, -8));
create index memories_by_update on memories (namespace, status, updated_at desc, id);

create index memories_gone on memories (key) where status <> 'current';

-- Symbols of source code by their bare name: the part of the uri after # and the last dot, such as Nearness
-- of code://hence/internal/ref#Caller.Nearness.
create index symbols_by_name on memories (
  substr(substr(uri, instr(uri, '#') + 1), 1 + length(rtrim(substr(uri, instr(uri, '#') + 1), replace(substr(uri, instr(uri, '#') + 1), '.', ''))))
) where origin = 'code' and instr(uri, '#') > 0;
create index memories_by_hash on memories (content_hash);
create index memories_recent on memories (updated_at desc, namespace, kind) where status = 'current';

-- The entries of a briefing, in its order, and those of them that a person said or confirmed, but for what
-- they go back to: see the view trusts.
create index rules_first on memories (importance desc, updated_at desc, id, namespace) where status = 'current' and is_rule = 1;
create index decisions_first on memories (importance desc, updated_at desc, id, namespace) where status = 'current' and is_decision = 1;
create index rules_said on memories (importance desc, updated_at desc, id, namespace) where status = 'current' and is_rule = 1 and own_rank >= 5;
create index decisions_said on memories (importance desc, updated_at desc, id, namespace) where status = 'current' and is_decision = 1 and own_rank >= 5;

-- The texts of strangers, the least trusted first.
create index strangers on memories (own_rank) where own_rank < 4;
create index sessions_last on memories (created_at desc, id desc, namespace)
where status = 'current'
  and kind = 'session'
  and origin <> 'import';

-- The few memories that are over, or will be, with what memory_counts tells apart.
create index memories_ending on memories (valid_to, namespace, status, kind, origin) where valid_to is not null;

--------------------------------------------------------------------- edges --

-- How one memory relates to another. Read a row as: from, kind, to. A test holds the list of kinds equal to
-- edges.Kinds() in Go. It is not `kind in (…)`, because SQLite builds that list again for every row, in more
-- than a third of the time of an insert.
create table edges (
  key        integer primary key,
  id         text not null unique default (lower(hex(randomblob(16)))) check (length(cast(id as blob)) between 1 and 200),
  from_key   integer not null references memories (key),
  to_key     integer not null references memories (key),
  kind       text not null check (
               kind = 'supersedes'      -- new → old
               or kind = 'causes'       -- cause → effect
               or kind = 'depends-on'   -- dependent → what it depends on
               or kind = 'contradicts'  -- a — b
               or kind = 'supports'     -- evidence → claim
               or kind = 'derived-from' -- summary → source
               or kind = 'part-of'      -- part → whole
               or kind = 'follows'      -- later → earlier
               or kind = 'relates-to'   -- a — b
               or kind = 'links-to'     -- note → note, from the body
               or kind = 'embeds'       -- note → note or file
               or kind = 'refers-to'    -- note → note; rel is the property's name
               or kind = 'calls'        -- caller → callee
               or kind = 'imports'      -- package or file → package or file
               or kind = 'implements'   -- type → interface
               or kind = 'mentions'     -- note → note, found in plain text
             ),
  rel        text not null default ''  -- the author's word for it; '' if it is the kind
             constraint rel_has_no_control_characters check (rel not glob '*[' || char(1) || '-' || char(31) || char(127) || '-' || char(159) || ']*' and instr(rel, char(0)) = 0),
  weight     real not null default 1 check (weight > 0 and weight <= 1)
             constraint weight_has_at_most_12_digits check (weight = 1 or cast(printf('%.12g', weight) as real) = weight),
  origin     text not null default 'person' check (
               origin = 'agent' or origin = 'person' or origin = 'import'
               or origin = 'frontmatter' or origin = 'wikilink' or origin = 'markdown' or origin = 'embed'
               or origin = 'inline-field' or origin = 'relation' or origin = 'mention' or origin = 'code'
             ),
  actor      text not null default ''
             constraint actor_has_no_control_characters check (actor not glob '*[' || char(1) || '-' || char(31) || char(127) || '-' || char(159) || ']*' and instr(actor, char(0)) = 0),
  note       text not null default '',  -- the reason, in the author's words
  -- explicit: by a person or agent; site: only by its sites, with which it goes;
  -- held: a site edge within a transaction that replaces its sites
  declared   text not null default 'explicit' check (declared = 'explicit' or declared = 'site' or declared = 'held'),
  basis      text,                      -- content_hash of to_key when the edge was created or verified: see the view stale
  valid_from text check (valid_from glob '????-??-??T*Z' and strftime('%Y-%m-%dT%H:%M', valid_from, '+0 days') is substr(valid_from, 1, 16)),
  valid_to   text check (valid_to glob '????-??-??T*Z' and strftime('%Y-%m-%dT%H:%M', valid_to, '+0 days') is substr(valid_to, 1, 16)),
  created_at text not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) check (created_at glob '????-??-??T*Z' and strftime('%Y-%m-%dT%H:%M', created_at, '+0 days') is substr(created_at, 1, 16)),
  check (from_key <> to_key),
  check (valid_from is null or valid_to is null or valid_from < valid_to),
  unique (from_key, to_key, kind, rel)
) strict;
create index edges_to on edges (to_key, kind, from_key);
create index edges_of_grounds on edges (from_key, to_key) where kind in ('depends-on', 'derived-from');
create index edges_of_contradiction on edges (created_at desc, id, from_key, to_key) where kind = 'contradicts';

-- What memories go back to: see the view trusts. Parts of source code are many, and no less trusted than an
-- agent.
create index edges_of_lineage on edges (from_key, to_key)
where (kind = 'derived-from' or kind = 'part-of') and origin <> 'code';
create index edges_held on edges (key) where declared = 'held';

-- The few edges that are over, or will be.
create index edges_ending on edges (key, valid_to) where valid_to is not null;
create unique index one_successor on edges (to_key) where kind = 'supersedes';
create unique index one_symmetric_edge on edges (min(from_key, to_key), max(from_key, to_key), kind, rel)
where kind in ('contradicts', 'relates-to');

---------------------------------------------------------- views for people --

create view help (view, what) as
values
  ('memory_list', 'every memory, without its text'),
  ('edge_list', 'every edge, with the titles of its ends'),
  ('lineage', 'which memory replaced which, and why'),
  ('stale', 'memories that rest on something that was superseded, forgotten, contradicted or changed'),
  ('orphans', 'memories without typed edges'),
  ('dangling_links', 'links of notes that lead nowhere'),
  ('journal_list', 'who changed what, with current titles'),
  ('trusts', 'how far each memory is trusted'),
  ('help', 'this list');

create view memory_list (id, namespace, kind, title, status, tags, origin, uri, created_at, updated_at) as
select
  id,
  namespace,
  kind,
  title,
  status,
  tags,
  origin,
  uri,
  created_at,
  updated_at
from memories;

create view edge_list (
  from_id, from_title, kind, rel, to_id, to_title, weight, origin, actor, valid_from, valid_to, created_at
) as
select
  f.id,
  f.title,
  e.kind,
  e.rel,
  t.id,
  t.title,
  e.weight,
  e.origin,
  e.actor,
  e.valid_from,
  e.valid_to,
  e.created_at
from edges e
join memories f on f.key = e.from_key
join memories t on t.key = e.to_key;

create view lineage (old_id, old_title, new_id, new_title, reason, at) as
select
  o.id,
  o.title,
  n.id,
  n.title,
  e.note,
  e.created_at
from edges e
join memories o on o.key = e.to_key
join memories n on n.key = e.from_key
where e.kind = 'supersedes';

create view stale (id, title, because_id, because_title, reason) as
select distinct
  m.id,
  m.title,
  b.id,
  b.title,
  s.reason
from stale_because s
join memories m on m.key = s.memory
join memories b on b.key = s.because
where m.status = 'current';

create view dangling_links (from_title, uri, target, rel, line) as
select
  m.title,
  m.uri,
  s.target || s.anchor,
  coalesce(nullif(s.rel, ''), s.kind),
  s.line
from sites s
join memories m on m.key = s.note
where s.edge is null
  and s.resolved_by = ''
  and s.refused = '';

create view journal_list (at, actor, action, id, title, what) as
select
  at,
  actor,
  action,
  id,
  title,
  what
from change_list;

---------------------------------------------------------------- who writes --

-- The build of Hence that created this schema. A file with a known version and another hash was created by an
-- unreleased Hence and is refused. Without a row, the schema was created by hand.
create table store (
  only_row    integer primary key check (only_row = 1),
  written_by  text not null,                                  -- a version: 1.2.3, or devel (6f93c01…)
  schema_hash text not null check (length(schema_hash) = 64), -- SHA-256, in hex: see internal/db/migrate.go
  tag         text not null default '',                       -- ends the stamps of this store, see stamps
  own         text not null default '',                       -- a random text that leaves the file only with a copy of it: see internal/permit
  keep_days   integer not null default 180 check (keep_days > 0) -- how long it is remembered what was unlinked or purged
) strict;

create trigger store_kept before delete on store
begin
  select raise(abort, 'the row of the table store cannot be deleted: it names the Hence that created the file');
end;

-- Who writes. The first statement of a transaction names the writer and the last one clears the name; a write
-- from the sqlite3 shell finds it empty.
create table writer (
  only_row integer primary key check (only_row = 1),
  actor    text not null default '', -- the agent or person of the transaction, '' between transactions
  at       text not null default '', -- the time of the transaction, '' between transactions
  batch    integer not null default 0, -- how many transactions there have been: see journal.batch
  last_at  text not null default '', -- the time of the last transaction: none is earlier than the one before it
  kept     integer not null default 0 -- the last row of the journal that Hence has done the upkeep of: see internal/db/upkeep.go
) strict;

insert into writer (only_row) values (1);

-- The cluster that the store belongs to, if any. Each of its nodes carries out the same statements on a file
-- of its own, and must compute the same rows. So nothing there takes its time, an id or a hash from the node:
-- whoever writes is named (table writer), and brings these along.
create table home (
  only_row integer primary key check (only_row = 1),
  cluster  text not null check (cluster <> '') -- an id, made with the cluster's store
) strict;

create trigger home_kept before delete on home
begin
  select raise(abort, 'the row of the table home cannot be deleted: it says that the file is that of a cluster')
  where (select at from writer) = '';
end;

-- In the store of a cluster: the last batches that were carried out, by the ids of the requests that brought
-- them. A request that comes twice is refused the second time.
create table landed (
  batch   integer primary key,    -- see writer.batch
  id      text not null unique,
  changed text                    -- the journal's last row before it, how many rows each statement changed, the journal's last row; null: the request was made void
) strict;

-- The writer as the journal records it. In the sqlite3 shell, where nobody has set it, batch and actor are
-- null and the time is now; in the store of a cluster the time is '', which the journal refuses.
create view writing (batch, at, actor) as
select
  iif(at = '', null, batch),
  case
    when at <> '' then at
    when exists (select 1 from home) then ''
    else strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
  end,
  nullif(actor, '')
from writer;

-- The conditions of a transaction; no row stays here. `insert into expectation (holds) values (0)` fails, and
-- the transaction with it. `or replace` deletes the row in its way without firing a trigger. So triggers run
-- `insert or ignore into expectation (replaced) values (1)` before each write that could meet another row. A
-- statement of a trigger takes the `or` clause of the statement that fired it
-- (https://sqlite.org/lang_createtrigger.html): under `or replace` the check fails.
create table expectation (
  holds    integer not null default 1 constraint expectation_holds check (holds = 1),
  replaced integer constraint rows_are_updated_not_replaced check (replaced is null)
) strict;

create trigger expectation_kept after insert on expectation
begin
  delete from expectation;
end;

create trigger writer_stays before delete on writer
begin
  select raise(abort, 'the row of the table writer cannot be deleted: the journal is written from it');
end;

create trigger writer_coming before insert on writer
begin
  insert or ignore into expectation (replaced) values (1);
end;

create trigger writer_counts_on before update of batch on writer
when new.batch < old.batch
begin
  select raise(abort, 'the number of transactions cannot decrease: the journal tells batches apart by it');
end;

---------------------------------------------------- what follows from rows --

-- How many memories there are of each sort, as triggers count them: reading a million takes seconds. A row
-- may have the number 0.
create table memory_counts (
  namespace text not null,
  status    text not null,
  kind      text not null,
  origin    text not null,
  number    integer not null,
  primary key (namespace, status, kind, origin)
) strict, without rowid;

-- How many edges there are of each kind, as triggers count them.
create table edge_counts (
  namespace text not null,
  kind      text not null,
  number    integer not null,
  primary key (namespace, kind)
) strict, without rowid;

-- The edges that rest on a text that has changed since, as triggers keep them.
create table changed_grounds (
  edge integer primary key references edges (key)
) strict;

-- The namespaces in the order in which they first got a memory: see section_ranges.
create table namespaces (
  key  integer primary key,
  name text not null unique
) strict;

-- Titles beyond ASCII as they are compared, regardless of case, accents and the way their characters are
-- written: see internal/script.Key. Hence folds them; null: not yet. ASCII titles are found by
-- memories_by_title, titles of more than 1,000 characters only as they stand.
create table folded_titles (
  memory integer primary key references memories (key),
  folded text
) strict;
create index folded_titles_by_text on folded_titles (folded);

------------------------------------------------------------------ sections --

-- The text of a memory in the pieces that search finds: one for each heading of a note, a single one for a
-- memory without headings.
create table sections (
  key        integer primary key,       -- within a range of its namespace: see section_ranges
  memory     integer not null references memories (key),
  ordinal    integer not null,          -- 0 is the text before the first heading
  heading    text not null default '',
  level      integer not null default 0 check (level between 0 and 6),
  start_line integer,                   -- in the file, from 1
  end_line   integer,
  body       text,                      -- its text, if the memory's content does not have it
  body_start integer not null default 0, -- else its text in the content, in bytes from 0; both 0: all of the content
  body_end   integer not null default 0,
  words      text,                      -- further words that it is found by, each once, at low weight: of a symbol's body, which stays on disk
  cut        text,                      -- JSON: the fields whose indexed text differs, and further words: see section_index
  uncut      integer not null default 0 check (uncut in (0, 1)), -- 1: not yet cut by a process of Hence, and not ASCII, or with words as in getUserByID, a $ or properties
  unique (memory, ordinal),
  check (cut is null or uncut = 0 and json_valid(cut))
) strict;

-- The full-text index is sorted by the keys of sections. So the sections of a namespace have a range of keys,
-- and those of its source code another one, below -2^40: a search that may see one namespace, or does not ask
-- for code, reads none of the others' entries. They cannot change its answer either: within a range, keys
-- tell only how sections were added. next is the next key, in ascending order.
create view section_ranges (namespace, is_code, first, last, next) as
select
  namespace,
  is_code,
  first,
  first + 4294967294,
  coalesce((select max(key) from sections where key between first and first + 4294967294), first - 1) + 1
from (
  select name as namespace, 0 as is_code, (key << 32) + 1 as first
  from namespaces
  union all
  select name, 1, (key << 32) + 1 - 4611686018427387904
  from namespaces
);

create index uncut_sections on sections (key) where uncut = 1;

create view section_text (key, memory, title, heading, aliases, tags, body) as
select
  s.key,
  s.memory,
  m.title,
  s.heading,
  m.aliases,
  m.tags,
  coalesce(
    s.body,
    iif(s.body_end > 0, cast(substr(cast(m.content as blob), s.body_start + 1, s.body_end - s.body_start) as text), m.content),
    ''
  )
from sections s
join memories m on m.key = s.memory;

-- The indexed text. Hence cuts text in scripts without spaces between words into pairs of characters
-- (memory/cut.go), and leaves out accents that unicode61 does not fold: the sqlite3 shell would lack a
-- tokenizer of our own. What the shell writes is indexed as it is, and cut before the next search. The words
-- of identifiers and of properties are beside the text, in words.
create view section_index (key, memory, title, heading, aliases, tags, body, words) as
select
  t.key,
  t.memory,
  coalesce(s.cut ->> 'title', t.title),
  coalesce(s.cut ->> 'heading', t.heading),
  coalesce(s.cut ->> 'aliases', t.aliases),
  coalesce(s.cut ->> 'tags', t.tags),
  coalesce(s.cut ->> 'body', t.body),
  coalesce(s.words, '') || coalesce(' ' || (s.cut ->> 'words'), '')
from sections s
join section_text t on t.key = s.key;

-- The full-text index. It stores no text; it reads section_index. Marks belong to words, because the vowels
-- of Thai, Khmer and Hindi are marks.
create virtual table section_search using fts5 (
  title,
  heading,
  aliases,
  tags,
  body,
  words,
  content = 'section_index',
  content_rowid = 'key',
  tokenize = "porter unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"
);

-- The words of the index as the tokenizer left them, without their endings: a misspelt word of a question is
-- corrected from them.
create virtual table section_words using fts5vocab (section_search, row);

-- The sections that have each of them.
create virtual table section_places using fts5vocab (section_search, instance);

-- Bytes of new terms that are written as one segment: fewer segments mean less merging.
insert into section_search (section_search, rank) values ('hashsize', 8388608);

create trigger section_inserted after insert on sections
begin
  insert into section_search (rowid, title, heading, aliases, tags, body, words)
  select key, title, heading, aliases, tags, body, words
  from section_index
  where key = new.key;
  insert into vectors_waiting (section, embedder)
  select new.key, key
  from embedders
  where new.key >= -1099511627776;
  -- Without a key of the writer's, as from the sqlite3 shell, it may be in any range.
  update sections
  set key = (
    select r.next
    from section_ranges r
    where (r.namespace, r.is_code) = (select namespace, origin = 'code' from memories where key = new.memory)
  )
  where key = new.key
    and exists (
      select 1
      from section_ranges r
      where (r.namespace, r.is_code) = (select namespace, origin = 'code' from memories where key = new.memory)
        and new.key not between r.first and r.last
    );
end;

-- An after-trigger, because an `update or ignore` that a constraint refuses still runs before-triggers.
create trigger section_updated
after update of key, memory, heading, body, body_start, body_end, words, cut on sections
when (new.key, new.memory, new.heading, new.body, new.body_start, new.body_end, new.words)
    is not (old.key, old.memory, old.heading, old.body, old.body_start, old.body_end, old.words)
  or new.uncut = 0 and new.cut is not old.cut -- memory_text_changed takes cut away, and indexes the text itself
begin
  select raise(abort, 'a section keeps its memory')
  where new.memory is not old.memory;
  update vectors set section = new.key where section = old.key and new.key <> old.key;
  update vectors_waiting set section = new.key where section = old.key and new.key <> old.key;
  delete from vectors
  where section = new.key
    and (new.heading, new.body, new.body_start, new.body_end) is not (old.heading, old.body, old.body_start, old.body_end);
  insert into vectors_waiting (section, embedder)
  select new.key, key
  from embedders
  where new.key >= -1099511627776
    and (old.key < -1099511627776
      or (new.heading, new.body, new.body_start, new.body_end) is not (old.heading, old.body, old.body_start, old.body_end))
    and not exists (select 1 from vectors_waiting where section = new.key and embedder = embedders.key);
  insert into section_search (section_search, rowid, title, heading, aliases, tags, body, words)
  select
    'delete',
    old.key,
    coalesce(old.cut ->> 'title', m.title),
    coalesce(old.cut ->> 'heading', old.heading),
    coalesce(old.cut ->> 'aliases', m.aliases),
    coalesce(old.cut ->> 'tags', m.tags),
    coalesce(
      old.cut ->> 'body',
      old.body,
      iif(old.body_end > 0, cast(substr(cast(m.content as blob), old.body_start + 1, old.body_end - old.body_start) as text), m.content)
    ),
    coalesce(old.words, '') || coalesce(' ' || (old.cut ->> 'words'), '')
  from memories m
  where m.key = old.memory;
  update sections
  set
    cut = null,
    uncut = uncut or cut is not null or (
      select length(t.body) <> length(cast(t.body as blob)) or length(t.heading) <> length(cast(t.heading as blob))
        or new.key >= -1099511627776 and (t.texts glob '*[a-z][A-Z]*' or t.texts glob '*[A-Z][A-Z][a-z]*' or t.texts glob '*[0-9][A-Z][a-z]*' or instr(t.texts, '$') > 0)
      from (select heading, body, heading || body as texts from section_text where key = new.key) t
    )
  where key = new.key
    and (new.heading, new.body, new.body_start, new.body_end, new.words)
      is not (old.heading, old.body, old.body_start, old.body_end, old.words);
  insert into section_search (rowid, title, heading, aliases, tags, body, words)
  select key, title, heading, aliases, tags, body, words
  from section_index
  where key = new.key;
end;

create trigger section_deleting before delete on sections
begin
  delete from vectors where section = old.key;
  delete from vectors_waiting where section = old.key;
  insert into section_search (section_search, rowid, title, heading, aliases, tags, body, words)
  select 'delete', key, title, heading, aliases, tags, body, words
  from section_index
  where key = old.key;
end;

------------------------------------------------------------------- vectors --

-- The models that turn texts into vectors: the one in force, and the one that replaces it as soon as it has
-- read every section. No row: nobody wants vectors.
create table embedders (
  key        integer primary key,
  name       text not null check (name <> ''),   -- builtin:en-1, ollama:<model> …
  state      text not null unique check (state in ('in force', 'building')),
  dimensions integer not null default 0 check (dimensions >= 0), -- 0: no vector yet
  busy_with  text not null default '',  -- the process that makes its vectors
  busy_until text not null default ''   -- others may take over from then on
) strict;

-- The vectors of sections: a byte for each number, from -127 to 127, of any length. A text of which a model
-- says nothing has none.
create table vectors (
  section integer primary key references sections (key),
  vector  blob,                         -- by the model in force
  next    blob,                         -- by the one that replaces it
  check (vector is not null or next is not null)
) strict;

-- The sections that a model has not read since they were written. Source code does not wait: it has no
-- vectors.
create table vectors_waiting (
  section  integer not null references sections (key),
  embedder integer not null references embedders (key),
  primary key (section, embedder)
) strict, without rowid;

create trigger embedder_inserted after insert on embedders
begin
  insert into vectors_waiting (section, embedder)
  select key, new.key
  from sections
  where key >= -1099511627776;
end;

create trigger embedder_in_force after update of state on embedders when new.state = 'in force'
begin
  update vectors
  set
    vector = next,
    next = null
  where next is not null;
end;

create trigger embedder_deleting before delete on embedders
begin
  delete from vectors_waiting where embedder = old.key;
  delete from vectors where iif(old.state = 'building', vector, next) is null;
  update vectors
  set
    vector = iif(old.state = 'building', vector, null),
    next = iif(old.state = 'building', null, next)
  where iif(old.state = 'building', next, vector) is not null;
end;

-- A new store has the table of meanings that is in the program (memory/embed).
insert into embedders (key, name, state, dimensions) values (1, 'builtin:en-1', 'in force', 256);

--------------------------------------------------------------------- sites --

-- Sites: the places in notes that declare an edge, or would if the target existed.
create table sites (
  key         integer primary key,
  note        integer not null references memories (key), -- the note that holds it
  edge        integer references edges (key),            -- null: dangling, or without an edge
  kind        text not null,                -- of the declared edge
  rel         text not null default '',
  backward    integer not null default 0 check (backward in (0, 1)), -- 1: the target is the edge's from_key
  origin      text not null,
  target      text not null,                -- the path as written; '' is the note itself
  target_key  text not null,                -- the name that resolves a dangling link: see vault/resolve.Key
  anchor      text not null default '',     -- #Heading or #^block
  display     text not null default '',
  line        integer not null,             -- in the file, from 1
  start_byte  integer not null,             -- in the file, from 0
  end_byte    integer not null,
  context     text,                         -- the text around it, if the note's content does not have it
  context_start integer not null default 0, -- else where that is in the content, in bytes from 0
  context_end integer not null default 0,
  lenient     text not null default '',     -- why Obsidian does not see a link here: unquoted, partial, bare; '' if it does
  resolved_by text not null default '',     -- how the target was found; '' while dangling; 'nobody' for a bare name that no note has
  candidates  text not null default '[]' check (json_type(candidates) = 'array'), -- other notes that it may mean
  refused     text not null default ''      -- why there is no edge to the target: cycle, successor, undecided
) strict;
create index sites_by_note on sites (note);
create index sites_by_edge on sites (edge);
create index sites_by_target on sites (target_key);
create index sites_refused on sites (note) where refused <> '';

create view site_contexts (site, context) as
select
  s.key,
  coalesce(
    s.context,
    cast(substr(cast(m.content as blob), s.context_start + 1, s.context_end - s.context_start) as text),
    '' -- an empty blob has no part
  )
from sites s
join memories m on m.key = s.note;

-- An edit of a note keeps what its sites say until an import reads them again.
create trigger site_text_changed before update of content on memories
when new.content is not old.content
begin
  update sites
  set
    context = (select context from site_contexts where site = sites.key),
    context_end = 0
  where note = old.key
    and context_end > 0;
end;

------------------------------------------------------------------- mirrors --

-- A folder outside whose files are memories here: a vault of notes, a repository of source code, or a folder with
-- the memory files of an agent.
create table mirrors (
  key         integer primary key,
  name        text not null unique check (name <> '' and instr(name, '/') = 0),
  form        text not null default 'vault' check (form in ('vault', 'code', 'agents')),
  root        text not null,            -- the folder's absolute path at the last import; what tools may do there: see internal/permit
  namespace   text not null default 'default',
  extraction  integer not null,         -- version of the code that read its notes
  imported_at text not null
) strict;

-- The state of a vault's file at the last import. An import skips unchanged files.
create table files (
  memory     integer primary key references memories (key),
  mirror     integer not null references mirrors (key),
  path       text not null,             -- from the vault's root, with slashes
  size       integer not null,          -- bytes
  modified   integer not null,          -- nanoseconds since 1970
  file_hash  text not null,             -- SHA-256 of the bytes in hex; for large files 'unread-' with size and time
  warnings   text not null default '[]' check (json_type(warnings) = 'array'), -- [{line, text}]
  superseded integer not null default 0 check (superseded in (0, 1)), -- the note itself says so
  words      text not null default '[]' check (json_type(words) = 'array'), -- names of notes that its text contains as words
  unique (mirror, path)
) strict;

-- What an import knows of a symbol of source code, a package, a repository or a group of an agent's tasks besides its
-- memory. The journal has nothing of it, because lines move with every edit above them.
create table symbols (
  memory     integer primary key references memories (key),
  mirror     integer not null references mirrors (key),
  file       integer references memories (key), -- the file that declares it; null: a package or repository, which has no one file
  sort       text not null,             -- func, method, type, interface, class, const, var, package, repository, group
  exported   integer not null default 0 check (exported in (0, 1)),
  start_line integer not null default 0, -- in the file, from 1, the comment above not included; 0 without a file
  end_line   integer not null default 0, -- inclusive
  start_byte integer not null default 0, -- in the file, from 0
  end_byte   integer not null default 0,
  text_hash  text not null default '',  -- the first 32 hex digits of the SHA-256 of these bytes
  tokens     integer not null default 0, -- number of tokens; their hash is the memory's content_hash
  sketch     blob                       -- see code/symbol.Similarity; null if there are too few tokens to compare
) strict;
create index symbols_by_file on symbols (file);
create index symbols_of_mirror on symbols (mirror, file);

------------------------------------------------------- journal, tidying, undo --

-- One row for every change, in order. `before` holds what undo needs: the old values of the changed columns,
-- or all columns of a deleted edge.
create table journal (
  seq       integer primary key,
  batch     integer,                    -- what undo takes back together: a transaction's number, or below zero a row of batches; null: by hand
  at        text not null constraint a_cluster_is_written_only_through_hence check (at <> ''),
  actor     text not null,              -- 'sqlite3' without a writer's name
  action    text not null check (
              action = 'store' or action = 'update' or action = 'supersede' or action = 'reinstate'
              or action = 'forget' or action = 'restore' or action = 'verify' or action = 'purge'
              or action = 'link' or action = 'relink' or action = 'unlink'
            ),
  thing     text not null check (thing in ('memory', 'edge')),
  id        text not null,              -- of the memory or edge
  before    text check (json_type(before) = 'object'),
  undone_by integer                     -- the first row of the undo that undid it
) strict;
create index journal_by_id on journal (id);

-- The rows from which a purge removes the text of edges.
create index journal_of_edges_kept on journal (seq) where thing = 'edge' and before is not null;
create index journal_undone on journal (undone_by) where undone_by is not null;

-- The confirmations of memory_verify: `memory` is still true although `because` was superseded, forgotten,
-- contradicted or changed, as the evidence tells. Other evidence makes it stale again: see the view
-- stale_because.
create table verifications (
  memory   integer not null references memories (key),
  because  integer not null references memories (key),
  reason   text not null check (reason in ('superseded', 'forgotten', 'contradicted', 'changed')),
  evidence text not null, -- id of the edge from the successor, or 'declared'; forgotten_at; id of the contradicting edge; content_hash
  at       text not null,
  primary key (memory, because, reason, evidence)
) strict, without rowid;
create index verifications_because on verifications (because);

-- When a memory was last opened by memory_get, to the day. The journal has nothing of it.
create table opened (
  memory integer primary key references memories (key),
  at     text not null check (at glob '????-??-??T*Z' and strftime('%Y-%m-%dT%H:%M', at, '+0 days') is substr(at, 1, 16))
) strict;

-- The proposals of memory_tidy that were rejected: a row for each memory of a proposal. The mark is a SHA-256
-- of what was proposed and of the texts, in hex.
create table rejections (
  memory   integer not null references memories (key),
  mark     text not null check (length(mark) = 64),
  what     text not null, -- kind of proposal
  actor    text not null,
  by_agent integer not null default 0 check (by_agent in (0, 1)), -- a person sees it, and may take it back
  at       text not null,
  primary key (memory, mark)
) strict, without rowid;
create index rejections_by_mark on rejections (mark);

-- What agents asked for and no person has agreed to yet: changes of memories that are trusted more than their
-- word, and calls that wait because a person wants to see them first. memory_tidy lists both.
create table asked (
  id        text primary key, -- of a waiting call also that of the memory that it will store
  memory    integer references memories (key), -- null: the call waits as a whole
  action    text not null,    -- update, forget, purge; the tool of a waiting call
  change    text not null check (json_type(change) = 'object'), -- the arguments of the call
  actor     text not null,
  at        text not null,
  namespace text,             -- of what a waiting call is about
  caller    text check (json_type(caller) = 'object'), -- its session, project and whatever else decides what it means
  check (memory is null and caller is not null and namespace is not null and action glob 'memory_*' or memory is not null and (action = 'update' or action = 'forget' or action = 'purge'))
) strict, without rowid;
create index asked_of_memory on asked (memory);

-- A batch is what undo takes back at once. Most are one transaction and have no row here. A command that
-- takes several, or writes files too, has one: an import, a write of notes, and what takes one of these back.
-- Its rows of the journal carry its number, which is below zero; a later batch has a lower number.
create table batches (
  batch     integer primary key check (batch < 0),
  at        text not null,
  actor     text not null,
  operation text not null check (operation <> ''), -- import, create_note, move_note, forget, undo …
  mirror    text not null default '',   -- the vault's name, or ''
  namespace text not null default '',   -- '' if there may be several
  what      text not null default '',   -- the note, folder or file
  first     integer not null default 0 check (first in (0, 1)), -- 1: it created the vault
  done      integer not null default 0 check (done in (0, 1)),  -- 0: running or interrupted
  since     integer not null,           -- the last row of the journal before it
  upto      integer not null,           -- its last row of the journal; the value of since while it has none
  changes   integer not null default 0, -- number of its rows of the journal
  kept      integer check (kept >= 0),  -- bytes in kept_files; null if it has nothing there
  undoes    integer,                    -- the batch that it undid
  undone_by integer                     -- the batch that undid it
) strict;
create index batches_of_mirror on batches (mirror, batch);
create index batches_under_way on batches (mirror) where done = 0;

-- A file of a vault as it was before a batch, so that the batch can be undone. The text of a file that only
-- moved is not kept.
create table kept_files (
  key         integer primary key,
  batch       integer not null references batches (batch),
  memory      integer references memories (key), -- null until the file is imported
  path_before text,                     -- from the vault's root; null: the batch created it
  path_after  text,                     -- null: the batch removed it
  folders     integer not null default 0, -- how many folders above path_after it created
  hash_before text not null default '', -- SHA-256 of the bytes in hex; '' without a file, or if its bytes are not compared
  hash_after  text not null default '',
  bytes       blob,                     -- before the batch; null: no file, or the same bytes
  check (coalesce(path_before, path_after) is not null)
) strict;
create index kept_files_of_batch on kept_files (batch);
create index kept_files_of_memory on kept_files (memory);

-- Every version of a file that stood at an import of a folder of agents, which change their files without asking.
-- Its rows of kept_files have no bytes. It stays until the memory is purged.
create table versions (
  key    integer primary key,
  memory integer not null references memories (key),
  hash   text not null,                 -- SHA-256 of the file's bytes in hex
  bytes  blob not null,
  mode   integer not null default 420,  -- who may read and write the file, as Unix has it
  masked integer not null default 0 check (masked in (0, 1)), -- 1: without what looked like a secret, so that it cannot be put back
  unique (memory, hash)
) strict;

--------------------------------------------------------------- access --

-- Who may connect over HTTP. The secret is shown once and not stored.
create table tokens (
  key        integer primary key,
  name       text not null unique check (trim(name) <> ''),
  hash       text not null unique check (length(hash) = 64), -- SHA-256 of the secret, in hex
  namespace  text check (length(namespace) between 1 and 100), -- the only one that it gives access to; null: those of the server
  read_only  integer not null default 0 check (read_only in (0, 1)),
  code       integer not null default 0 check (code in (0, 1)), -- 1: may change and run source code, where a person allowed that
  rate       real check (rate > 0),     -- requests a second; null: as the server has it
  max_body   integer check (max_body > 0), -- bytes of a request; null: as the server has it
  created_at text not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) check (created_at glob '????-??-??T*Z' and strftime('%Y-%m-%dT%H:%M', created_at, '+0 days') is substr(created_at, 1, 16))
) strict;

create trigger token_inserting before insert on tokens
begin
  select raise(abort, 'the store of a cluster is written only through hence')
  where (select at from writer) = ''
    and exists (select 1 from home);
end;

-- What tokens of the owner's identity provider give access to: those with this value of this claim. A token
-- without a row gives access to nothing.
create table token_map (
  key        integer primary key,       -- the order in which the rows were added
  claim      text not null check (trim(claim) <> ''), -- scope, groups, sub, email …
  value      text not null check (trim(value) <> ''),
  namespace  text check (length(namespace) between 1 and 100), -- the only one; null: those of the server
  read_only  integer not null default 0 check (read_only in (0, 1)),
  rate       real check (rate > 0),     -- requests a second; null: as the server has it
  max_body   integer check (max_body > 0), -- bytes of a request; null: as the server has it
  created_at text not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) check (created_at glob '????-??-??T*Z' and strftime('%Y-%m-%dT%H:%M', created_at, '+0 days') is substr(created_at, 1, 16)),
  unique (claim, value)
) strict;

create trigger token_map_inserting before insert on token_map
begin
  select raise(abort, 'the store of a cluster is written only through hence')
  where (select at from writer) = ''
    and exists (select 1 from home);
end;

------------------------------------------------- rules for writing memories --

create trigger memory_inserting before insert on memories
begin
  insert or ignore into expectation (replaced) values (1);
  insert into namespaces (key, name)
  select (select coalesce(max(key), -1) + 1 from namespaces), new.namespace
  where not exists (select 1 from namespaces where name = new.namespace);
end;

create trigger memory_inserted after insert on memories
begin
  insert into sections (key, memory, ordinal, uncut)
  select
    (select next from section_ranges where namespace = new.namespace and is_code = (new.origin = 'code')),
    new.key,
    0,
    length(t.texts) <> length(cast(t.texts as blob))
      or new.origin <> 'code' and (new.properties <> '{}' or t.texts glob '*[a-z][A-Z]*' or t.texts glob '*[A-Z][A-Z][a-z]*' or t.texts glob '*[0-9][A-Z][a-z]*' or instr(t.texts, '$') > 0)
  from (select new.title || new.aliases || new.tags || new.content as texts) t
  where new.sectioned = 0;
  insert into change_list (action, thing, id) values ('store', 'memory', new.id);
  insert into readable (tags, aliases, properties)
  select new.tags, new.aliases, new.properties
  where (new.tags, new.aliases, new.properties) is not ('[]', '[]', '{}');
  insert into stamps (id, field, at)
  select id, 'purged', at || '~'
  from purged
  where id = new.id
  on conflict do update set at = max(at, excluded.at);
  delete from purged where id = new.id;
  insert into folded_titles (memory)
  select new.key
  where new.title glob '*[^ -~]*'
    and length(new.title) <= 1000;
  insert into memory_counts (namespace, status, kind, origin, number)
  values (new.namespace, new.status, new.kind, new.origin, 1)
  on conflict do update set number = number + 1;
end;

-- One row that Go cannot read makes every list of memories fail. An insert into this view checks the three
-- columns and stores nothing. Nesting is at most 500 deep, because SQLite reads 1000 or 2000 levels,
-- depending on its version. Properties too short for a large number or such nesting are not examined.
create view readable (tags, aliases, properties) as
select
  tags,
  aliases,
  properties
from memories;

create trigger readable_checked instead of insert on readable
begin
  select raise(abort, 'tags and aliases are lists of texts, and a tag has at most 200 characters')
  where exists (select 1 from json_each(new.tags) where type <> 'text' or length(value) > 200)
    or exists (select 1 from json_each(new.aliases) where type <> 'text');
  select raise(abort, 'a tag has no control characters, such as a tab or a line end')
  where instr(new.tags, '\u0000') > 0
    or exists (select 1 from json_each(new.tags) where value glob '*[' || char(1) || '-' || char(31) || char(127) || '-' || char(159) || ']*');
  select raise(abort, 'a number of the properties is too large to be read')
  where (length(new.properties) > 308 or new.properties glob '*[0-9][eE]*')
    and exists (
      select 1
      from json_tree(new.properties)
      where type in ('integer', 'real')
        and value not between -1.7976931348623157e308 and 1.7976931348623157e308
    );
  select raise(abort, 'properties are nested at most 500 deep')
  where length(new.properties) > 1000
    and length(new.properties) - length(replace(replace(new.properties, '[', ''), '{', '')) > 500
    and exists (
      select 1
      from json_tree(new.properties)
      where type in ('array', 'object')
        and length(fullkey) - length(replace(replace(fullkey, '.', ''), '[', '')) >= 500 -- one for each value around it
    );
end;

create trigger memory_changing before update of key, id, namespace, status, uri on memories
begin
  insert or ignore into expectation (replaced) select 1 where new.uri is not old.uri;
  select raise(abort, 'a memory keeps its id')
  where (new.key, new.id) is not (old.key, old.id);
  select raise(abort, 'a memory with edges keeps its namespace: remove its edges first')
  where new.namespace is not old.namespace
    and exists (select 1 from edges where from_key = old.key or to_key = old.key);
  select raise(abort, 'a memory with a successor is superseded: remove the supersedes edge first')
  where new.status = 'current'
    and old.status <> 'current'
    and exists (select 1 from edges where to_key = old.key and kind = 'supersedes');
  insert into namespaces (key, name)
  select (select coalesce(max(key), -1) + 1 from namespaces), new.namespace
  where not exists (select 1 from namespaces where name = new.namespace);
end;

create trigger memory_in_another_namespace after update of namespace on memories
when new.namespace is not old.namespace
begin
  update sections
  set key = placed.key
  from (
    select
      key as place,
      (select next from section_ranges where namespace = new.namespace and is_code = (new.origin = 'code'))
      + row_number() over (order by key) - 1 as key
    from sections
    where memory = new.key
  ) placed
  where sections.key = placed.place;
end;

-- The index replaces the old text by the new one. Sections that are parts of the content go with it: an
-- import deletes and inserts them. So do all if it changes without its hash, as by hand; the hash of code is
-- not that of its content.
create trigger memory_text_changed after update of title, aliases, tags, content, properties on memories
begin
  insert into readable (tags, aliases, properties)
  select new.tags, new.aliases, new.properties
  where (new.tags, new.aliases, new.properties) is not (old.tags, old.aliases, old.properties);
  delete from vectors
  where section in (select key from sections where memory = new.key)
    and (new.title, new.content) is not (old.title, old.content);
  insert into vectors_waiting (section, embedder)
  select s.key, e.key
  from sections s
  cross join embedders e
  where s.memory = new.key
    and s.key >= -1099511627776
    and (new.title, new.content) is not (old.title, old.content)
    and not exists (select 1 from vectors_waiting where section = s.key and embedder = e.key);
  insert into section_search (section_search, rowid, title, heading, aliases, tags, body, words)
  select
    'delete',
    s.key,
    coalesce(s.cut ->> 'title', old.title),
    coalesce(s.cut ->> 'heading', s.heading),
    coalesce(s.cut ->> 'aliases', old.aliases),
    coalesce(s.cut ->> 'tags', old.tags),
    coalesce(
      s.cut ->> 'body',
      s.body,
      iif(s.body_end > 0, cast(substr(cast(old.content as blob), s.body_start + 1, s.body_end - s.body_start) as text), old.content)
    ),
    coalesce(s.words, '') || coalesce(' ' || (s.cut ->> 'words'), '')
  from sections s
  where s.memory = old.key;
  update sections
  set
    cut = null,
    uncut = uncut or cut is not null or (
      select length(t.texts) <> length(cast(t.texts as blob))
        or new.origin <> 'code' and (new.properties <> old.properties or t.texts glob '*[a-z][A-Z]*' or t.texts glob '*[A-Z][A-Z][a-z]*' or t.texts glob '*[0-9][A-Z][a-z]*' or instr(t.texts, '$') > 0)
      from (select new.title || new.aliases || new.tags || new.content as texts) t
    )
  where memory = new.key;
  insert into section_search (rowid, title, heading, aliases, tags, body, words)
  select key, title, heading, aliases, tags, body, words
  from section_index
  where memory = new.key;
  delete from sections
  where memory = new.key
    and new.content is not old.content
    and (body is not null or body_end > 0 or new.content_hash is old.content_hash)
    and new.origin <> 'code';
  insert into sections (key, memory, ordinal, uncut)
  select (select next from section_ranges where namespace = new.namespace and is_code = (new.origin = 'code')), new.key, 0, 1
  where not exists (select 1 from sections where memory = new.key)
    and (new.sectioned = 0 or new.content is not old.content and new.content_hash is old.content_hash);
  delete from folded_titles
  where memory = new.key
    and new.title is not old.title;
  insert into folded_titles (memory)
  select new.key
  where new.title is not old.title
    and new.title glob '*[^ -~]*'
    and length(new.title) <= 1000;
end;

-- Raises the revision for every edit, forget and restore, unless the statement sets it. For an edit by hand
-- (without a writer) a value must change, and content that changes without its hash makes the hash unknown,
-- so that dependents become stale.
create trigger memory_edited
after update of kind, title, content, aliases, tags, properties, importance, pinned, everywhere, confidence, valid_from, valid_to,
  forgotten_at on memories
when new.revision = old.revision
  and (
    (select at from writer) <> ''
    or (
      new.kind, new.title, new.content, new.aliases, new.tags, new.properties, new.importance,
      new.pinned, new.everywhere, new.confidence, new.valid_from, new.valid_to, new.forgotten_at
    ) is not (
      old.kind, old.title, old.content, old.aliases, old.tags, old.properties, old.importance,
      old.pinned, old.everywhere, old.confidence, old.valid_from, old.valid_to, old.forgotten_at
    )
  )
begin
  update memories
  set
    revision = revision + 1,
    updated_at = (select at from writing),
    sectioned = iif(new.content is old.content or new.origin = 'code', sectioned, 0),
    content_hash = case
      when new.content is old.content or new.content_hash is not old.content_hash or new.origin = 'code' then content_hash
      when exists (select 1 from home) then raise(abort, 'in the store of a cluster a text is changed together with its hash')
      else 'unhashed-' || lower(hex(randomblob(16)))
    end
  where key = new.key;
end;

-- Records the old values of the changed columns. A column that the journal records has one line here, and has
-- the word journaled in memory/record: a test compares.
create trigger memory_updated after update on memories
begin
  insert into change_list (action, thing, id, before)
  select
    case
      when new.status is old.status and new.verified_at is not old.verified_at then 'verify'
      when new.status is old.status then 'update'
      when new.status = 'superseded' and old.status = 'current' then 'supersede'
      when new.status = 'forgotten' then 'forget'
      when old.status = 'forgotten' then 'restore'
      else 'reinstate'
    end,
    'memory',
    new.id,
    c.before
  from (
    select
      json_group_object(name, iif(is_json, json(value), value)) as before,
      count(*) as number
    from (
      select 'namespace' as name, 0 as is_json, old.namespace as value where new.namespace is not old.namespace
      union all select 'kind', 0, old.kind where new.kind is not old.kind
      union all select 'title', 0, old.title where new.title is not old.title
      union all select 'content', 0, old.content where new.content is not old.content
      union all select 'content_hash', 0, old.content_hash where new.content is not old.content
      union all select 'aliases', 1, old.aliases where new.aliases is not old.aliases
      union all select 'tags', 1, old.tags where new.tags is not old.tags
      union all select 'properties', 1, old.properties where new.properties is not old.properties
      union all select 'status', 0, old.status where new.status is not old.status
      union all select 'importance', 0, old.importance where new.importance is not old.importance
      union all select 'pinned', 0, old.pinned where new.pinned is not old.pinned
      union all select 'everywhere', 0, old.everywhere where new.everywhere is not old.everywhere
      union all select 'confidence', 0, old.confidence where new.confidence is not old.confidence
      union all select 'source', 0, old.source where new.source is not old.source
      union all select 'source_url', 0, old.source_url where new.source_url is not old.source_url
      union all select 'confirmed', 0, old.confirmed where new.confirmed is not old.confirmed and (old.content_hash not glob 'unhashed-*' or new.content is not old.content or new.content_hash is old.content_hash)
      union all select 'uri', 0, old.uri where new.uri is not old.uri
      union all select 'valid_from', 0, old.valid_from where new.valid_from is not old.valid_from
      union all select 'valid_to', 0, old.valid_to where new.valid_to is not old.valid_to
      union all select 'verified_at', 0, old.verified_at where new.verified_at is not old.verified_at
      union all select 'forgotten_at', 0, old.forgotten_at where new.forgotten_at is not old.forgotten_at
      union all select 'forget_reason', 0, old.forget_reason where new.forget_reason is not old.forget_reason
      union all
      select 'verifications', 1, v.gone
      from (
        select
          json_group_array(json_object('memory', m.id, 'reason', v.reason, 'evidence', v.evidence, 'at', v.at)) as gone,
          count(*) as number
        from verifications v
        join memories m on m.key = v.memory
        where (old.status <> new.status or old.forgotten_at is not new.forgotten_at)
          and v.because = new.key
          and (
            v.reason = 'forgotten' and v.evidence is not new.forgotten_at
            or old.status = 'superseded' and new.status = 'current' and v.evidence = 'declared'
          )
      ) v
      where v.number > 0
    )
  ) c
  where c.number > 0;
  -- A memory that is forgotten or superseded again makes its dependents stale again.
  delete from verifications
  where (old.status <> new.status or old.forgotten_at is not new.forgotten_at)
    and because = new.key
    and (
      reason = 'forgotten' and evidence is not new.forgotten_at
      or old.status = 'superseded' and new.status = 'current' and evidence = 'declared'
    );
  update memory_counts
  set number = number - 1
  where (new.namespace, new.status, new.kind, new.origin) is not (old.namespace, old.status, old.kind, old.origin)
    and (namespace, status, kind, origin) = (old.namespace, old.status, old.kind, old.origin);
  insert into memory_counts (namespace, status, kind, origin, number)
  select new.namespace, new.status, new.kind, new.origin, 1
  where (new.namespace, new.status, new.kind, new.origin) is not (old.namespace, old.status, old.kind, old.origin)
  on conflict do update set number = number + 1;
end;

-- Deleting a memory purges it: its text leaves the index and the journal too. The sqlite3 shell has foreign
-- keys off, so that cascades would not run.
create trigger memory_purging before delete on memories
begin
  -- A memory derived from it keeps its trust, which it had by an edge.
  update memories
  set source = (select t.trust from trusts t where t.memory = old.key)
  where key in (
      select from_key
      from edges
      where to_key = old.key
        and (kind = 'derived-from' or kind = 'part-of')
        and origin <> 'code'
    )
    and exists (select 1 from said_behind s where s.memory = memories.key and s.behind = old.key)
    and (select t.rank from trusts t where t.memory = old.key) < 4
    and own_rank > (select t.rank from trusts t where t.memory = old.key);
  -- A text that gave way to it in a merge does not become current. Hence deletes it too.
  update memories
  set
    status = 'forgotten',
    forgotten_at = (select at from writing),
    forget_reason = 'a text of a memory that was purged'
  where key in (select to_key from edges where from_key = old.key and kind = 'supersedes')
    and status = 'superseded'
    and exists (select 1 from json_each(tags) where value = 'conflicting-edit');
  delete from sections where memory = old.key;
  delete from sites where note = old.key;
  delete from edges where from_key = old.key or to_key = old.key;
  delete from symbols where memory = old.key or file = old.key;
  delete from files where memory = old.key;
  delete from folded_titles where memory = old.key;
  delete from verifications where memory = old.key or because = old.key;
  delete from opened where memory = old.key;
  delete from rejections
  where mark in (select mark from rejections where memory = old.key);
  delete from asked where memory = old.key;
  delete from asked
  where memory is null
    and exists (
      select 1
      from json_tree(change)
      where type = 'text'
        and (atom = old.id or atom = old.content or length(old.content) >= 20 and instr(atom, old.content) > 0)
    );
  -- Its status may have changed with its last edge.
  update memory_counts
  set number = number - 1
  where (namespace, status, kind, origin) = (select namespace, status, kind, origin from memories where key = old.key);
  delete from unlinked where from_id = old.id;
  delete from unlinked where to_id = old.id;
  delete from unsettled where old.id in (from_id, to_id);
  delete from before_merges where old.id in (id, what ->> '$.from', what ->> '$.to');
  insert into purged (id, namespace, at)
  select
    old.id,
    old.namespace,
    coalesce(max(w.at, strftime('%Y-%m-%dT%H:%M:%fZ', substr(s.at, 1, 24), '+0.001 seconds')), w.at)
  from writing w
  left join stamps s on s.id = old.id and s.field = 'purged'
  where old.uri is null;
  delete from stamps where id = old.id;
  -- An import has its other files' rows for good. What Hence wrote is undone as a whole or not at all.
  update batches set kept = null, what = ''
  where operation <> 'import'
    and batch in (select batch from kept_files where memory = old.key);
  delete from kept_files
  where batch in (select k.batch from kept_files k join batches a on a.batch = k.batch where k.memory = old.key and a.kept is null);
  delete from kept_files where memory = old.key;
  delete from versions where memory = old.key;
  update journal set before = null where id = old.id;
  update journal set before = null
  where thing = 'edge'
    and before is not null
    and old.id in (before ->> '$.from', before ->> '$.to');
  insert into change_list (action, thing, id) values ('purge', 'memory', old.id);
end;

---------------------------------------------------- rules for writing edges --

-- supersedes and depends-on have no cycles.
create trigger edge_inserting before insert on edges
begin
  select raise(abort, 'the memory already has a successor, and has at most one: supersede that one, or delete its edge first')
  where new.kind = 'supersedes'
    and exists (
      select 1
      from edges
      where kind = 'supersedes'
        and to_key = new.to_key
        and from_key <> new.from_key
    );
  select raise(abort, 'this edge would close a cycle')
  where (new.kind = 'supersedes' or new.kind = 'depends-on')
    and exists (select 1 from edges where to_key = new.from_key and kind = new.kind) -- a new memory closes none
    and exists (
      with recursive reached (key) as (
        select new.to_key
        union
        select e.to_key
        from reached r
        join edges e on e.from_key = r.key and e.kind = new.kind
      )
      select 1 from reached where key = new.from_key
    );
  insert or ignore into expectation (replaced) values (1);
  select raise(abort, 'an edge joins two memories that exist, of one namespace')
  where coalesce(
    (select namespace from memories where key = new.from_key)
      <> (select namespace from memories where key = new.to_key),
    true
  );
end;

create trigger edge_changing before update of key, id, from_key, to_key, kind, rel on edges
begin
  insert or ignore into expectation (replaced) select 1 where new.rel is not old.rel;
  select raise(abort, 'an edge keeps its id, ends and kind: delete it and insert another')
  where (new.key, new.id, new.from_key, new.to_key, new.kind) is not (old.key, old.id, old.from_key, old.to_key, old.kind);
end;

create trigger edge_inserted after insert on edges
begin
  insert into change_list (actor, action, thing, id) values (nullif(new.actor, ''), 'link', 'edge', new.id);
  update memories
  set status = 'superseded'
  where new.kind = 'supersedes'
    and key = new.to_key
    and status <> 'forgotten';
  update edges -- and ground_set sees whether the text is another one by now
  set basis = coalesce(basis, (select content_hash from memories where key = new.to_key))
  where (new.kind = 'depends-on' or new.kind = 'derived-from')
    and key = new.key;
  insert into edge_counts (namespace, kind, number)
  select namespace, new.kind, 1
  from memories
  where key = new.from_key
  on conflict do update set number = number + 1;
end;

create trigger ground_set after update of basis on edges
when new.kind in ('depends-on', 'derived-from')
begin
  delete from changed_grounds where edge = new.key;
  insert into changed_grounds (edge)
  select new.key
  from memories
  where key = new.to_key
    and content_hash <> new.basis;
end;

create trigger ground_changed after update of content_hash on memories
when new.content_hash is not old.content_hash
begin
  update edges set basis = basis where to_key = new.key and kind in ('depends-on', 'derived-from'); -- see ground_set
end;

create trigger edge_updated after update of rel, weight, note, valid_from, valid_to on edges
when (new.rel, new.weight, new.note, new.valid_from, new.valid_to)
  is not (old.rel, old.weight, old.note, old.valid_from, old.valid_to)
begin
  insert into change_list (action, thing, id, before)
  values (
    'relink',
    'edge',
    new.id,
    json_object(
      'from', (select id from memories where key = old.from_key),
      'to', (select id from memories where key = old.to_key),
      'rel', old.rel,
      'weight', old.weight,
      'note', old.note,
      'valid_from', old.valid_from,
      'valid_to', old.valid_to,
      'declared', old.declared
    )
  );
end;

create trigger edge_deleted after delete on edges
begin
  insert into change_list (action, thing, id, before)
  values (
    'unlink',
    'edge',
    old.id,
    json_object(
      'from', (select id from memories where key = old.from_key),
      'to', (select id from memories where key = old.to_key),
      'kind', old.kind,
      'rel', old.rel,
      'weight', old.weight,
      'origin', old.origin,
      'actor', old.actor,
      'note', old.note,
      'declared', old.declared,
      'basis', old.basis,
      'valid_from', old.valid_from,
      'valid_to', old.valid_to,
      'created_at', old.created_at
    )
  );
  delete from changed_grounds where edge = old.key;
  update edge_counts
  set number = number - 1
  where namespace = (select namespace from memories where key = old.from_key)
    and kind = old.kind;
  update sites set edge = null, resolved_by = iif(lenient = 'bare', 'nobody', '') where edge = old.key;
  update memories
  set status = 'current'
  where key = old.to_key
    and old.kind = 'supersedes'
    and status = 'superseded'
    and not exists (select 1 from edges where to_key = old.to_key and kind = 'supersedes');
end;

-- An edge that only sites declare is deleted with the last of them.
create trigger site_deleted after delete on sites
when old.edge is not null
begin
  delete from edges
  where key = old.edge
    and declared = 'site'
    and not exists (select 1 from sites where edge = old.edge);
end;

create trigger site_left_edge after update of edge on sites
when old.edge is not null and new.edge is not old.edge
begin
  delete from edges
  where key = old.edge
    and declared = 'site'
    and not exists (select 1 from sites where edge = old.edge);
end;

-- One that nobody declares any more, but notes do, is removed as far as merges go.
create trigger edge_undeclared after update of declared on edges
when new.declared = 'site'
begin
  insert into unlinked (from_id, to_id, kind, rel, id, namespace, at)
  select
    f.id,
    t.id,
    old.kind,
    iif(old.kind = 'supersedes', '', old.rel),
    old.id,
    f.namespace,
    max(w.at, old.created_at, coalesce((select substr(max(at), 1, 24) from stamps where id = old.id), ''))
  from writing w
  cross join memories f on f.key = old.from_key
  cross join memories t on t.key = old.to_key
  where old.declared = 'explicit'
  on conflict do update
  set
    id = excluded.id,
    at = max(at, excluded.at);
  delete from stamps
  where id = old.id
    and old.declared = 'explicit';
  delete from edges
  where key = new.key
    and not exists (select 1 from sites where edge = new.key);
end;

------------------------------------------------------------------ merging --

-- When a field of a memory or edge was last changed, so that stores that went apart can be merged
-- (memory/exchange). A field without a row is as it was created. A stamp is a time and, after '~', the tag of
-- the store. A copy of a file has the tag of the file, so stamps of content, and of forgotten, which is
-- compared with it, end with the beginning of content_hash. Each stamp of one memory is later than the one
-- before, even if a clock was set back. Notes and code have none: their files tell. Hence stamps what the
-- journal tells, also of the sqlite3 shell: see internal/db/upkeep.go.
--
-- One id may be created in several stores, by an import. So the first of the earlier stamps of a title, text
-- or property tells what it was created as: after '=', the title, the content_hash, the property's type and
-- value, '' for none; or, from a merge, '#' and its checksum.
--
-- An edge that several stores made has the stamps of created: when each did, with the id that it gave instead of a tag.
-- The stamp of purged is when the memory was purged before it was stored again: of two stores, the one with the later
-- purge has the memory, whole and with its edges.
create table stamps (
  id    text not null,                  -- of the memory or edge
  field text not null,                  -- content, tag:<tag>, property:<key>, purged …; of an edge said, basis or created
  at    text not null,
  past  text not null default '[]' check (json_type(past) = 'array'), -- earlier stamps of texts and properties, at most 50
  primary key (id, field)
) strict, without rowid;

-- Edges that were unlinked: their ends and times, without a text. One that is there too was linked again after it.
create table unlinked (
  from_id   text not null,
  to_id     text not null,
  kind      text not null,
  rel       text not null,              -- '' for supersedes, of which there is one between two memories
  id        text not null,
  namespace text not null,
  at        text not null,
  primary key (from_id, to_id, kind, rel)
) strict, without rowid;
create index unlinked_to on unlinked (to_id);

create trigger unlinked_from_either_end after insert on unlinked
when new.kind in ('contradicts', 'relates-to')
begin
  delete from unlinked
  where (from_id, to_id, kind, rel) = (new.to_id, new.from_id, new.kind, new.rel)
    and at <= new.at;
end;

-- Memories that were purged.
create table purged (
  id        text primary key,
  namespace text not null,
  at        text not null
) strict, without rowid;

-- What was erased, without its text: see memory/erase. An erasure without a receipt was begun: its rows are gone,
-- and whoever opens the store next to write goes on with the file, the backups and the team's folders.
create table erasures (
  id      text primary key,
  at      text not null,
  actor   text not null,
  plan    text not null check (json_type(plan) = 'object'), -- ids, what was done to each, the hash of its text
  receipt text check (json_type(receipt) = 'object')        -- counts, what was searched, what is out of reach
) strict, without rowid;
create index erasures_begun on erasures (id) where receipt is null;

-- Edges that a merge brought and the graph did not take. The next merge tries again.
create table unsettled (
  id        text primary key,
  namespace text not null,
  from_id   text not null,
  to_id     text not null,
  why       text not null check (why in ('cycle', 'missing')), -- missing: an end is not in the store
  line      text not null check (json_type(line) = 'object')   -- the edge as in an export
) strict, without rowid;

-- What undo of a merge needs besides the journal: the tables above, verifications and bases as they were.
create table before_merges (
  batch integer not null,
  id    text not null,                  -- of the memory or edge
  what  text not null check (json_type(what) = 'object'),
  primary key (batch, id)
) strict, without rowid;

-- The texts that gave way in merges to one that stands, until somebody forgets them or takes their tag away.
create index other_edits_kept on memories (key)
where status = 'superseded'
  and instr(tags, '"conflicting-edit"') > 0;

create view other_edits (memory, text) as
with recursive above (text, key) as (
  select m.key, e.from_key
  from memories m
  cross join edges e on e.to_key = m.key and e.kind = 'supersedes'
  where m.status = 'superseded'
    and instr(m.tags, '"conflicting-edit"') > 0
  union
  select a.text, e.from_key
  from above a
  cross join memories m on m.key = a.key
  cross join edges e on e.to_key = m.key and e.kind = 'supersedes'
  where m.status <> 'current'
    and instr(m.tags, '"conflicting-edit"') > 0
)
select
  a.key,
  a.text
from above a
cross join memories m on m.key = a.key
where m.status = 'current';

-- The removals of edges that exist again.
create view removals (edge, from_id, to_id, kind, rel, at) as
select
  e.key,
  u.from_id,
  u.to_id,
  u.kind,
  u.rel,
  u.at
from edges e
join memories f on f.key = e.from_key
join memories t on t.key = e.to_key
join unlinked u on u.kind = e.kind
  and u.rel = iif(e.kind = 'supersedes', '', e.rel)
  and (
    u.from_id = f.id and u.to_id = t.id
    or e.kind in ('contradicts', 'relates-to') and u.from_id = t.id and u.to_id = f.id
  );

-- The journal does not tell when an edge of notes is declared, or is made to rest on another text, which a new
-- hash of the same text is not.
create trigger edge_restated after update of declared, basis on edges
when new.declared = 'explicit'
  and (
    old.declared <> 'explicit'
    or old.basis is not null and new.basis is not old.basis
      and (old.basis not glob 'unhashed-*' or old.basis is not (select content_hash from memories where key = new.to_key))
  )
begin
  insert into stamps (id, field, at)
  select
    new.id,
    iif(old.declared = 'explicit', 'basis', 'said'),
    coalesce(iif(w.at || '~' > l.at, w.at, strftime('%Y-%m-%dT%H:%M:%fZ', substr(l.at, 1, 24), '+0.001 seconds')), w.at)
    || '~' || coalesce((select tag from store), '')
  from writing w
  cross join (
    select max(
      new.created_at,
      coalesce((select max(at) from stamps where id = new.id), ''),
      coalesce((select max(at) || '~' from removals where edge = new.key), '')
    ) as at
  ) l
  where true
  on conflict (id, field) do update set at = excluded.at;
end;

--------------------------------------------------------- views for queries --

-- The time by which edges are valid: that of the transaction, if one writes, so that the nodes of a cluster
-- see the same edges in it.
create view present (at) as
select coalesce((select nullif(at, '') from writer), strftime('%Y-%m-%dT%H:%M:%fZ', 'now'));

-- Grounds: the valid edges by which one memory rests on another.
create view grounds (memory, rests_on, basis) as
select
  from_key,
  to_key,
  basis
from edges
where kind in ('depends-on', 'derived-from')
  and (valid_from is null or valid_from <= (select at from present))
  and (valid_to is null or valid_to > (select at from present));

-- What a memory's text is derived from or part of. A person's words do not become a stranger's by what others
-- declare of them later.
create view said_behind (memory, behind) as
select
  e.from_key,
  e.to_key
from memories m
cross join edges e on e.from_key = m.key
  and (e.kind = 'derived-from' or e.kind = 'part-of')
  and e.origin <> 'code'
where coalesce(m.source, m.origin) not in ('person', 'note', 'vault')
  or e.origin <> 'agent' and (e.origin <> 'import' or m.origin = 'import')
  or e.created_at = m.created_at;

-- How far memories are trusted: the least of their own source and of the strangers whose texts they go back
-- to, directly or through others. One that a person confirmed goes back to nothing. A walk ends where nothing
-- less trusted can come. This is the only definition; internal/ref/trust.go walks once for many.
create view trusts (memory, rank, trust, mark) as
select
  r.memory,
  r.rank,
  case r.rank
    when 6 then 'person'
    when 5 then r.said_by
    when 4 then 'agent'
    when 3 then 'import'
    when 2 then 'tool'
    else 'web'
  end,
  coalesce('["web","tool","import"]' ->> (r.rank - 1), '') -- of strangers only
from (
  select
    m.key as memory,
    m.said_by,
    iif(
      m.own_rank <= (select coalesce(min(own_rank), 6) from memories where own_rank < 4),
      m.own_rank,
      min(m.own_rank, coalesce(
        (
          with recursive goes_back (memory) as (
            select m.key
            union
            select s.behind
            from goes_back g
            cross join memories a on a.key = g.memory
              and a.own_rank > (select min(own_rank) from memories where own_rank < 4)
              and a.confirmed is not a.content_hash || ' ' || a.title
            cross join said_behind s on s.memory = g.memory
          )
          select min(a.own_rank)
          from goes_back g
          cross join memories a on a.key = g.memory and a.own_rank < 4
        ),
        6
      ))
    ) as rank
  from memories m
) r;

-- Memories without typed edges to memories that are not forgotten. Plain links and mentions do not count;
-- links is the number of plain ones, and graph_overview calls a memory an orphan if it is 0. SQLite would
-- read every edge for every memory with `m.key in (e.from_key, e.to_key)`.
create view orphans (id, namespace, kind, title, uri, links) as
select
  m.id,
  m.namespace,
  m.kind,
  m.title,
  m.uri,
  (
    select count(*)
    from (
      select 1
      from edges e
      join memories t on t.key = e.to_key and t.status <> 'forgotten'
      where e.from_key = m.key and e.kind in ('links-to', 'embeds')
      union all
      select 1
      from edges e
      join memories f on f.key = e.from_key and f.status <> 'forgotten'
      where e.to_key = m.key and e.kind in ('links-to', 'embeds')
    )
  )
from memories m
where m.status = 'current'
  and not exists (
    select 1
    from edges e
    join memories t on t.key = e.to_key and t.status <> 'forgotten'
    where e.from_key = m.key and e.kind not in ('links-to', 'embeds', 'mentions')
    union all
    select 1
    from edges e
    join memories f on f.key = e.from_key and f.status <> 'forgotten'
    where e.to_key = m.key and e.kind not in ('links-to', 'embeds', 'mentions')
  );

-- Who changed what, with current titles. A deleted edge is described by its last unlink row (u), which is
-- empty if an end was purged.
create view change_list (
  seq, batch, at, actor, action, thing, id, there, namespace, title, what, from_id, to_id, before, undone_by
) as
select
  j.seq,
  j.batch,
  j.at,
  j.actor,
  j.action,
  j.thing,
  j.id,
  coalesce(m.key, e.key) is not null, -- whether it exists
  coalesce(m.namespace, f.namespace),
  coalesce(m.title, f.title),
  case j.thing
    when 'memory'
      then coalesce((select group_concat(k.key, ', ') from json_each(j.before) k where k.key not in ('content_hash', 'forgotten_at', 'verifications')), '')
    else coalesce(e.kind, u.before ->> '$.kind', '')
      || coalesce(' (' || nullif(coalesce(e.rel, u.before ->> '$.rel'), '') || ')', '')
      || ' → ' || coalesce(t.title, '')
  end,
  f.id,
  t.id,
  j.before,
  j.undone_by
from journal j
left join memories m on j.thing = 'memory' and m.id = j.id
left join edges e on j.thing = 'edge' and e.id = j.id
left join journal u on u.seq = case
  when j.thing = 'edge' and e.key is null
    then (select min(k.seq) from journal k where k.id = j.id and k.seq >= j.seq and k.action = 'unlink')
end
left join memories f on j.thing = 'edge' and f.key = coalesce(e.from_key, (select key from memories where id = u.before ->> '$.from'))
left join memories t on j.thing = 'edge' and t.key = coalesce(e.to_key, (select key from memories where id = u.before ->> '$.to'));

-- Triggers record a change here: who makes it and when, the writer tells.
create trigger change_recorded instead of insert on change_list
begin
  insert into journal (batch, at, actor, action, thing, id, before)
  select
    batch,
    at,
    coalesce(actor, new.actor, 'sqlite3'),
    new.action,
    new.thing,
    new.id,
    new.before
  from writing;
end;

pragma user_version = 1;
