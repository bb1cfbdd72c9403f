#!/bin/sh
# A first look at Hence: ./demo.sh PATH/TO/hence [STORE]
# Everything happens in a throw-away folder, or in STORE, a file that is made anew and stays.
set -eu

[ $# -eq 1 ] || [ $# -eq 2 ] || { echo "usage: $0 PATH/TO/hence [STORE]" >&2; exit 2; }
bin=$(CDPATH='' cd -- "$(dirname -- "$1")" && pwd)/$(basename -- "$1")
vault=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)/vault
[ -x "$bin" ] || { echo "$0: $1 cannot be run" >&2; exit 2; }

room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
trap 'exit 1' HUP INT TERM
HENCE_DB=${2:-$room/demo.db}
rm -f "$HENCE_DB" "$HENCE_DB-wal" "$HENCE_DB-shm"
export HENCE_DB
unset HENCE_NAMESPACE

heading() { printf '\n# %s\n\n' "$1"; }

# quoted prints a word as a shell takes it.
quoted() {
	case $1 in
	'' | *[!A-Za-z0-9_./=,-]*) ;;
	*) printf '%s' "$1" && return ;;
	esac
	case $1 in
	*[\"\$\`\\]*) printf "'%s'" "$(printf '%s' "$1" | sed "s/'/'\\\\''/g")" ;;
	*) printf '"%s"' "$1" ;;
	esac
}

# hence shows a command as it would be typed, and runs it.
hence() {
	all=$*
	printf '$ hence'
	for word in "$@"; do
		case $word in
		"$vault") word=examples/vault ;;
		--*) [ ${#all} -le 100 ] || printf ' \\\n   ' ;;
		esac
		printf ' %s' "$(quoted "$word")"
	done
	printf '\n'
	"$bin" "$@"
}

heading 'A vault of notes becomes memories, and its links typed edges.'
hence import "$vault"

heading 'An agent, or you, stores what it learns, with its reasons.'
hence store 'Build 3.8 treats any hold older than ten minutes as released and ignores the state in the boarding list, so paid cars show red until 3.9 ships.' \
	--title 'Scanner build 3.8 computes hold state from its age' --tags area/terminals \
	--link 'derived-from=Terminal Scanners' --link 'causes=2026-05-30 Kråkø scanners refused paid cars'

heading 'Search finds it beside the notes, down to the section and its lines.'
hence search 'scanner hold state age' --limit 3

heading 'Where no note has the word, it finds what is near in meaning.'
hence search boats --limit 1 --why 2>&1

heading 'How did we get here? A path draws every arrow the way it is stored.'
hence path '2026-02-14 Double-sold car deck' 'Refund without a claim form'

heading 'What lies around it, across memories and notes?'
hence expand 'Scanner build 3.8 computes hold state from its age' --edge-types causes,depends-on,derived-from

heading 'Beliefs change: a new memory supersedes the old one, and says why.'
hence store "Build 3.9 reads the hold's state from the boarding list, so a paid car is green whatever its age." \
	--title "Build 3.9 reads the hold's state from the list" --tags area/terminals \
	--supersedes 'Scanner build 3.8 computes hold state from its age' --reason '3.9 shipped to every terminal'
echo
hence store 'Of the holds that reached minute 20 in May, fewer than one in a hundred still ended sold; the last five minutes only keep places empty on full Saturdays.' \
	--title 'Cap a hold at 20 minutes and show the guest the clock' --kind decision --tags area/booking \
	--link 'depends-on=Payment Gateway' \
	--supersedes 'Tie holds to the payment attempt' --reason 'the tail of long holds almost never pays'

heading 'The old one leaves search, but the line of decisions can be read.'
hence history 'Hold seats in the session cache'

heading 'What rested on the decision that was replaced is stale now, and says why.'
hence trace 'Tie holds to the payment attempt' --direction downstream

heading 'To give an agent a memory of its own, connect it over MCP. Claude Code:'
printf '  claude mcp add hence -- %s serve\n' "$(quoted "$bin")"
heading 'Any other client takes a block like this:'
cat <<JSON
  {
    "mcpServers": {
      "hence": { "command": "$(printf '%s' "$bin" | sed 's/[\\"]/\\&/g')", "args": ["serve"] }
    }
  }

JSON

if [ $# -eq 2 ]; then
	heading 'The store stays for you to try, until the next demo:'
	printf '  %s --db %s stats\n\n' "$(quoted "$bin")" "$(quoted "$HENCE_DB")"
fi
