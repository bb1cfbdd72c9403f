#!/usr/bin/env bash
# Real clients against the program that HENCE names. Run by make test-clients,
# in a folder where npm has installed what package.json lists.
set -euo pipefail
cd "$(dirname "$0")"
PATH=$PWD/node_modules/.bin:$PATH
export HENCE

echo "== the TypeScript SDK's client"
node --test --test-reporter=spec --test-timeout=60000 sdk.test.mjs

echo "== the same client with tokens of an identity provider"
node --test --test-reporter=spec --test-timeout=60000 oauth.test.mjs

scratch=$(mktemp -d)
export HENCE_DB=$scratch/hence.db
trap 'kill "${server:-}" 2>/dev/null || true; rm -rf "$scratch"' EXIT

echo "== MCP Inspector, tools/list --strict"
mkdir "$scratch/notes"
echo "[[Note]]" >"$scratch/notes/Note.md"
"$HENCE" import "$scratch/notes" >/dev/null
mcp-inspector --cli -e HENCE_DB="$HENCE_DB" "$HENCE" serve --vault-write --method tools/list --strict >"$scratch/tools.json"
node -e 'const { tools } = JSON.parse(require("fs").readFileSync(process.argv[1])); if (tools.length < 25) throw new Error(`${tools.length} tools`); console.log(`${tools.length} tools`)' "$scratch/tools.json"

echo "== the conformance suite"
: >"$scratch/log"
"$HENCE" serve --http 127.0.0.1:0 2>"$scratch/log" &
server=$!
for _ in $(seq 100); do
  url=$(sed -n 's/^listening on //p' "$scratch/log")
  [ -n "$url" ] && break
  sleep 0.1
done
conformance server --url "$url" --expected-failures conformance.yml --output-dir "$scratch/results" >"$scratch/said" 2>&1 || { cat "$scratch/said"; exit 1; }
sed -n '/=== SUMMARY/,$p' "$scratch/said"
