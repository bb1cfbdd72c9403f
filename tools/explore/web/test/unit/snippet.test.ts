import assert from "node:assert/strict";
import { test } from "node:test";
import { plainTitle, tidy, type Piece } from "../../src/snippet.ts";

/** cut makes pieces of a text with hits between angle brackets. */
const cut = (text: string): Piece[] => text.split(/[‹›]/).map((text, i) => ({ text, hit: i % 2 === 1 }));
const shown = (snippet: Piece[]): string => tidy(snippet).map((p) => (p.hit ? `<${p.text}>` : p.text)).join("");

const cases: [string, string, string][] = [
  ["hits are marked", "a ‹hold› leaves *paying*", "a <hold> leaves paying"],
  ["a hit at either end is", "‹hold› and ‹seat›", "<hold> and <seat>"],
  ["what the text has in bold is no hit", "**Hide** the ribbon", "Hide the ribbon"],
  ["a hit in bold is", "a **‹hold›** of **a ‹seat›**", "a <hold> of a <seat>"],
  ["half a bold stays", "a ** b ‹hold› 2**3", "a ** b <hold> 2**3"],
  ["a wikilink is its name", "see [[systems/‹Seat› Ledger#Capacity]]", "see <Seat> Ledger"],
  ["or its alias", "of [[‹Seat› Ledger\\|the ledger]] now", "of the ledger now"],
  ["a hit may end within a link", "‹see [[Seat› Ledger]] now", "<see Seat> Ledger now"],
  ["and is none where it ends in what is not shown", "‹see [[Seat› Ledger\\|it]] now ‹seat›", "see it now <seat>"],
  ["signs of markdown are left out", "…# Title\n\n- one\n- [two](two.md) `three` ^block-1", "…# Title one two three"],
  ["a block's name is, marked or not", "held ^‹block›-1 on", "held on"],
  ["a table is a row of words", "| System | Owner |\n|---|---|\n| API | Ada |", "· System · Owner · API · Ada ·"],
  ["emphasis is its words", "*open*, _‹paying›_ and ==sold== count, *‹a hold›*", "open, <paying> and sold count, <a hold>"],
  ["what is no emphasis stays", "*.md and *.txt, (*a, *b), snake_case_name, a==b==c, __init__", "*.md and *.txt, (*a, *b), snake_case_name, a==b==c, __init__"],
  ["a field is its name and value", "it ends. causes:: [[Tie ‹holds›]] by std::move", "it ends. causes: Tie <holds> by std::move"],
  ["a link that was cut is its words", "…of the ‹hold›]] is [[Tie ‹holds› to…", "…of the <hold> is Tie <holds> to…"],
  ["brackets that are no link stay", "a[b[0]] of c[[0]…", "a[b[0]] of c[[0]…"],
  ["a picture is its name", "![[attachments/‹hold›-timeline.svg|400]] ![a ‹hold›](hold.svg)", "<hold>-timeline.svg a <hold>"],
  ["a task is its words", "- [x] write ‹holds› up\n- [ ] read", "write <holds> up read"],
  ["markup stays text", "<img src=x onerror=alert(1)> ‹hit›", "<img src=x onerror=alert(1)> <hit>"],
  ["marks in the text are no marks", "\u0002no hit\u0003 and ‹a \u0003hit›", "no hit and <a hit>"],
  ["nothing is nothing", "", ""],
];

for (const [name, snippet, want] of cases) test(name, () => assert.equal(shown(cut(snippet)), want));

const titles: [string, string][] = [
  ["See [[Booking API]] and [[systems/Seat Ledger#Capacity|the ledger]].", "See Booking API and the ledger."],
  ["By [the page](notes/page.md), **never** `late`", "By the page, never late"],
  ["It was cut within [[Boo…", "It was cut within Boo…"],
  ["def __init__(*args, **kwargs)", "def __init__(*args, **kwargs)"],
  ["C# | a*b*c [1]", "C# | a*b*c [1]"],
  ["[[]]", "[[]]"],
];

for (const [title, want] of titles) test(`the title ${title}`, () => assert.equal(plainTitle(title), want));
