import assert from "node:assert/strict";
import { test } from "node:test";
import { partOf } from "../../src/text/part.ts";

const text = `Before.

# First
One
two ^pair
after

## Deeper
- a
    - b ^inner
      more of b
        - c
    - d
- e ^outer

| x |
|---|
| 1 |

^table

# Second
~~~
# a comment
~~~

The end. ^last

# Second
Again.`;

const cases: [string, string, string][] = [
  ["no anchor is all", "", text],
  ["a heading goes to the next of its level", "h-deeper", text.slice(text.indexOf("## Deeper"), text.indexOf("# Second"))],
  ["a comment in a code block is not a heading", "h-second", text.slice(text.indexOf("# Second"), text.lastIndexOf("# Second"))],
  ["a number names a heading that is there again", "h-second-2", "# Second\nAgain."],
  ["a heading that is not there is all", "h-nowhere", text],
  ["a paragraph", "b-pair", "One\ntwo ^pair\nafter"],
  ["an item with what is below it", "b-inner", "- b ^inner\n  more of b\n    - c"],
  ["an item without the next", "b-outer", "- e ^outer"],
  ["an id that stands alone is of the block before", "b-table", "| x |\n|---|\n| 1 |"],
  ["the last block", "b-last", "The end. ^last"],
  ["a block that is not there is nothing", "b-nowhere", ""],
];

for (const [name, anchor, want] of cases) test(name, () => assert.equal(partOf(text, anchor).trimEnd(), want.trimEnd()));
