import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "../../src/api.ts";

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
