import assert from "node:assert/strict";
import { test } from "node:test";
import { linesOf, tokens } from "../../src/text/colour.ts";

const looks = (code: string, language: string): string => tokens(code, language).filter((t) => t.look !== "").map((t) => `${t.look} ${t.text}`).join("|");

for (const [name, code, language, want] of [
  ["a comment ends with its line", "x // if \"y\"\nif x", "go", 'remark // if "y"|word if'],
  ["a comment may have many lines", "/* a\nb */ return 1", "ts", "remark /* a\nb */|word return|number 1"],
  ["signs of a comment in a string are the string's", 'a := "http://x" // y', "go", 'quote "http://x"|remark // y'],
  ["an escaped quote ends no string", String.raw`"a\"b" c`, "js", String.raw`quote "a\"b"`],
  ["a hash begins a comment where the language has it", "x = 1 # for", "py", "number 1|remark # for"],
  ["and is a sign elsewhere", "a #b // c", "rs", "remark // c"],
  ["two dashes in SQL", "select 1 -- 'x", "sql", "word select|number 1|remark -- 'x"],
  ["a word within a name is no keyword", "format iffy return_1", "go", ""],
  ["a comment that does not end goes on to the end", "/* a", "c", "remark /* a"],
] as const) {
  test(name, () => assert.equal(looks(code, language), want));
}

test("nothing of a text is lost, and its lines stay", () => {
  for (const code of ["", "\n", "a\n\n\"b\nc", "`x\ny` // z\n", "é // ü\n\t'q'"]) {
    assert.equal(tokens(code, "go").map((t) => t.text).join(""), code);
    assert.equal(linesOf(tokens(code, "go")).map((l) => l.map((t) => t.text).join("")).join("\n"), code);
  }
});
