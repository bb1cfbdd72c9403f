-- A few rows in every table of a store. The triggers write the
-- journal, the sections and the full-text index.

update writer set actor = 'importer', at = '2026-11-21T08:00:00.000Z', batch = batch + 1;

insert into memories (key, id, namespace, kind, title, content, aliases, tags, properties, importance, pinned, confidence,
  origin, actor, content_hash, created_at, updated_at, valid_from, valid_to)
values
  (1, 'm-old', 'default', 'decision', 'Drain the queue nightly', 'At 02:00, by cron.', '[]', '["ops"]', '{}', 0.5, 0, null,
    'agent', 'ada', 'hash-old', '2026-11-01T08:00:00.000Z', '2026-11-01T08:00:00.000Z', null, null),
  (2, 'm-new', 'default', 'decision', 'Drain the queue hourly', 'Nächtlich war zu selten: 日本語 👩‍👩‍👧', '["hourly drain"]', '["a/b","ops"]',
    '{"owner":["Ada",{"since":2024}],"n":1e3}', 0.9, 1, 0.75,
    'agent', 'ada', 'hash-new', '2026-11-02T08:00:00.000Z', '2026-11-02T08:00:00.000Z', '2026-01-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'),
  (3, 'm-top', 'default', 'fact', 'The workers are sized for it', '', '[]', '[]', '{}', 0.5, 0, null,
    'person', 'bo', 'hash-top', '2026-11-03T08:00:00.000Z', '2026-11-03T08:00:00.000Z', null, null),
  (4, 'm-team', 'team', 'fact', 'Of another group', 'text', '[]', '[]', '{}', 0, 0, 0,
    'import', '', 'hash-team', '2026-11-03T08:00:00.000Z', '2026-11-03T08:00:00.000Z', null, null),
  (5, 'm-gone', 'default', 'fact', 'Put away', 'text', '[]', '[]', '{}', 0.5, 0, null,
    'person', '', 'hash-gone', '2026-11-03T08:00:00.000Z', '2026-11-03T08:00:00.000Z', null, null);

insert into memories (key, id, kind, title, content, tags, properties, origin, actor, uri, content_hash, sectioned, created_at, updated_at)
values
  (6, 'n-queue', 'note', 'Queue', 'Intro
# Sizes
[[Workers]] and [[Nowhere]]
', '["ops"]', '{"tags":["ops"]}', 'vault', 'importer', 'obsidian-fs://notes/Queue.md', 'hash-queue', 1,
    '2026-11-04T08:00:00.000Z', '2026-11-04T08:00:00.000Z'),
  (7, 'n-workers', 'note', 'Workers', 'text', '[]', '{}', 'vault', 'importer', 'obsidian-fs://notes/Workers.md', 'hash-workers', 0,
    '2026-11-04T08:00:00.000Z', '2026-11-04T08:00:00.000Z');

insert into sections (key, memory, ordinal, heading, level, start_line, end_line, body, body_start, body_end)
values
  (100, 6, 0, '', 0, 1, 1, 'Intro', 0, 0),
  (101, 6, 1, 'Sizes', 1, 2, 3, null, 14, 42);

update writer set at = '2026-11-21T09:00:00.000Z', batch = batch + 1;

insert into edges (key, id, from_key, to_key, kind, rel, weight, origin, actor, note, declared, basis, valid_from, valid_to, created_at)
values
  (1, 'e-supersedes', 2, 1, 'supersedes', '', 1, 'agent', 'ada', 'nightly was too seldom', 'explicit', null, null, null, '2026-11-02T08:00:00.000Z'),
  (2, 'e-rests', 3, 1, 'depends-on', 'sized by', 0.5, 'person', 'bo', '', 'explicit', 'hash-old', '2026-01-01T00:00:00.000Z', null, '2026-11-03T08:00:00.000Z'),
  (3, 'e-link', 6, 7, 'links-to', '', 1, 'wikilink', 'importer', '', 'site', null, null, null, '2026-11-04T08:00:00.000Z'),
  (4, 'e-undone', 2, 3, 'relates-to', '', 1, 'agent', 'ada', '', 'explicit', null, null, null, '2026-11-04T08:00:00.000Z'),
  (5, 'e-changed', 3, 2, 'derived-from', '', 1, 'agent', 'ada', '', 'explicit', 'hash-before', null, null, '2026-11-04T08:00:00.000Z');

insert into sites (key, note, edge, kind, origin, target, target_key, anchor, display, line, start_byte, end_byte, context, context_start, context_end, resolved_by, candidates)
values
  (1, 6, 3, 'links-to', 'wikilink', 'Workers', 'workers', '', '', 3, 15, 26, '[[Workers]] and [[Nowhere]]', 0, 0, 'name', '["m/Workers.md"]'),
  (2, 6, null, 'links-to', 'wikilink', 'Nowhere', 'nowhere', '', '', 3, 31, 42, null, 14, 41, '', '[]');

insert into mirrors (key, name, root, namespace, extraction, imported_at)
values (1, 'notes', '/home/bo/notes', 'default', 7, '2026-11-04T08:00:00.000Z');

insert into files (memory, mirror, path, size, modified, file_hash, warnings)
values
  (6, 1, 'Queue.md', 43, 1793865600000000000, 'file-queue', '[{"line":2,"text":"a word"}]'),
  (7, 1, 'Workers.md', 4, 1793865600000000001, 'file-workers', '[]');

insert into symbols (memory, mirror, file, sort, exported, start_line, end_line, start_byte, end_byte, text_hash, tokens, sketch)
values (7, 1, 6, 'func', 1, 1, 2, 0, 20, 'hash-text', 12, x'01020304');


insert into verifications (memory, because, reason, evidence, at)
values (3, 1, 'superseded', 'e-supersedes', '2026-11-05T08:00:00.000Z');

update memories
set status = 'forgotten', forgotten_at = '2026-11-21T09:00:00.000Z', forget_reason = 'moot', revision = revision + 1
where id = 'm-gone';

update memories
set verified_at = '2026-11-05T08:00:00.000Z', verify_note = 'still so', revision = revision + 1
where id = 'm-top';

update edges set weight = 0.25 where id = 'e-rests';

delete from edges where id = 'e-undone';

update journal set undone_by = 999 where action = 'relink';

update writer set actor = '', at = '';

-- By hand, without a writer.
update memories set content = 'edited' where id = 'm-team';

delete from embedders;
insert into embedders (key, name, state, dimensions)
values (1, 'ollama:m', 'in force', 4), (2, 'openai:http://localhost,m', 'building', 2);

insert into vectors (section, vector, next)
values (100, x'7f000000', null), (101, x'00008100', x'7f81');

insert into tokens (key, name, hash, namespace, read_only, created_at)
values
  (1, 'laptop', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', null, 0, '2026-11-05T08:00:00.000Z'),
  (2, 'ci', 'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb', 'team', 1, '2026-11-05T08:00:00.000Z');

insert into token_map (key, claim, value, namespace, read_only, rate, max_body, created_at)
values
  (1, 'scope', 'hence:write', null, 0, null, null, '2026-11-05T08:00:00.000Z'),
  (2, 'groups', 'team', 'team', 1, 5.0, 10000, '2026-11-05T08:00:00.000Z');

insert into opened (memory, at)
values (1, '2026-11-05T00:00:00.000Z');

insert into asked (id, memory, action, change, actor, at)
values ('wish-1', 1, 'update', '{"content":"Otherwise."}', 'claude', '2026-11-05T08:00:00.000Z');

insert into rejections (memory, mark, what, actor, at)
values (1, 'cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc', 'fading', 'ada', '2026-11-05T08:00:00.000Z');

insert into memories (key, id, title, created_at, updated_at)
values (90, 'beyond-ascii', 'Færgeplan', '2026-11-05T08:00:00.000Z', '2026-11-05T08:00:00.000Z');

insert into batches (batch, at, actor, operation, mirror, namespace, what, first, done, since, upto, changes, kept, undoes, undone_by)
values
  (-1, '2026-11-05T08:00:00.000Z', 'ada', 'import', 'work', 'default', '/vaults/work', 1, 1, 0, 2, 2, null, null, null),
  (-2, '2026-11-05T08:00:00.000Z', 'ada', 'update_note', 'work', 'default', 'Queue.md', 0, 1, 2, 3, 1, 4, null, -3),
  (-3, '2026-11-05T08:00:00.000Z', 'ada', 'undo', 'work', 'default', 'Queue.md', 0, 0, 3, 3, 0, 4, -2, null);

insert into kept_files (key, batch, memory, path_before, path_after, folders, hash_before, hash_after, bytes)
values
  (1, -2, 6, 'Queue.md', 'Queue.md', 0, 'hash-a', 'hash-b', x'61626364'),
  (2, -3, null, null, 'Queue.md', 1, '', 'hash-a', null);

insert into versions (key, memory, hash, bytes, mode, masked) values (1, 6, 'hash-a', x'61626364', 384, 0);

insert into purged (id, namespace, at) values ('gone', 'default', '2026-03-04T05:06:07.000Z');
insert into unsettled (id, namespace, from_id, to_id, why, line)
values ('edge-out', 'default', 'gone', 'gone-too', 'missing', '{"type":"edge","id":"edge-out"}');
insert into before_merges (batch, id, what) values (-1, 'gone', '{}');
insert into erasures (id, at, actor, plan, receipt) values ('01890000-0000-7000-8000-0000000000e1', '2026-01-01T00:00:00.000Z', 'ada', '{"things":[]}', '{"found":[]}');
