-- The file in which Hence keeps, on this machine, what agents were shown: see the package comment.

create table keeping (
  only_row integer primary key check (only_row = 1),
  days     integer not null check (days >= 0), -- for which receipts are kept; 0: none are made
  swept    integer not null default 0          -- when old rows were last deleted, in seconds
) strict;
insert into keeping (only_row, days) values (1, 90);

-- A conversation of a client, or a helper in it.
create table sessions (
  key   integer primary key,
  id    text not null,    -- as its client, or its server, calls it
  agent text not null,    -- the helper's id; '': the session's own agent
  began integer not null, -- in milliseconds
  last  integer not null, -- its last event
  unique (id, agent)
) strict;
create index sessions_by_age on sessions (last);

-- What hooks know of a session: which memories it was shown, which files it edited, which call may say a thing.
create table marks (
  session integer not null references sessions (key),
  word    text not null,    -- seen, acted, doubted, touched, edited, claim, briefed, compacted
  value   text not null,
  event   text not null,    -- of an edit: the event that told of it; of a claim: whose it is
  at      integer not null, -- in nanoseconds
  primary key (session, word, value, event)
) strict, without rowid;

create table stores (
  key    integer primary key,
  tag    text not null unique,      -- see db.Tag
  erased integer not null default 0 -- when texts of it were last erased, in milliseconds
) strict;

-- An answer that an agent was given.
create table receipts (
  key       integer primary key,
  session   integer not null references sessions (key),
  store     integer not null references stores (key),
  namespace text not null,    -- that the caller is confined to; '': none
  actor     text not null,
  at        integer not null, -- in milliseconds
  tool      text not null,    -- hook:<event>, prompt:brief or resource for what is not a tool
  outcome   text not null,    -- '': ok; else the code of the error
  micros    integer not null,
  bytes_in  integer not null,
  bytes_out integer not null,
  arguments text not null,    -- as given, without secrets, at most 1,000 bytes
  seen      integer not null, -- the last row of the store's journal then
  hash      blob not null,    -- the first 16 bytes of the SHA-256 of the structured answer
  left_out  integer not null, -- how many rows the budget left out; -1: some
  shown     blob not null     -- see pack
) strict;
-- How memories were used in a conversation that was taken in, as room memory/use judged it.
create table uses (
  store        integer not null references stores (key),
  conversation text not null,    -- as its client calls it
  session      text not null,    -- in which the memory was shown, as its receipts have it
  memory       integer not null, -- its key
  of           integer not null, -- see checkOf
  how          text not null,    -- the ways, divided by blanks; '': it was not used
  corrected    text not null,    -- '': it was not
  at           integer not null, -- when it was first shown
  primary key (store, session, memory)
) strict, without rowid;

create index receipts_of_session on receipts (session);
create index receipts_by_age on receipts (at);

pragma user_version = 1;
