import assert from "node:assert/strict";
import { test } from "node:test";
import { eventsOf, parse } from "../../src/api.ts";

test("a number that JavaScript would round is the text that it is written as", () => {
  assert.deepEqual(parse('{"a": 1234567890123456789, "b": [-9007199254740993], "c": 9007199254740991, "d": 1.5, "e": "1234567890123456789"}'), {
    a: "1234567890123456789",
    b: ["-9007199254740993"],
    c: 9007199254740991,
    d: 1.5,
    e: "1234567890123456789",
  });
});

test("what is no JSON is refused", () => {
  assert.throws(() => parse("<p>1234567890123456789</p>"));
});

test("events are taken off a stream as they are whole", () => {
  assert.deepEqual(eventsOf('event: open\ndata: {"resumed":false}\n\n:\n\nevent: changed\nid: 7\ndata: {}\n\nevent: cha'), {
    events: [{ event: "open", id: "", data: '{"resumed":false}' }, { event: "changed", id: "7", data: "{}" }],
    rest: "event: cha",
  });
  assert.deepEqual(eventsOf(""), { events: [], rest: "" });
});
