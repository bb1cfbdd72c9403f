#!/usr/bin/env bash
# The tests of the page, in a folder where npm has installed what package.json
# lists. HENCE names the program, VAULT the example's notes, DIST the built page
# that is checked in. Run by make test-web.
set -euo pipefail
cd "$(dirname "$0")/.."
PATH=$PWD/node_modules/.bin:$PATH

echo "== types"
tsc --noEmit

echo "== what can be tested without a browser"
node --test --test-reporter=dot test/unit/*.test.ts

echo "== the page that is checked in is the one that is built"
vite build --logLevel=warn
diff -r dist "$DIST" || { echo "the built page differs from its source: make web, and check in tools/explore/dist"; exit 1; }

echo "== in a browser"
node --test --test-concurrency=3 --test-reporter=spec --test-timeout=300000 --test-force-exit test/browser/*.test.ts
