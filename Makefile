# stochopt: see README.md. `make` alone lists the targets.
.DEFAULT_GOAL := help
SHELL := /bin/bash

BIN     := build/stochopt
# In the order of the chapters: part I, then part II.
CONFIGS := $(wildcard configs/svm-*.yaml) $(filter-out configs/svm-%,$(wildcard configs/*.yaml))
OUT     ?= results
PROFILE ?= quick
JOBS    ?=
FUZZTIME ?= 300

# From v3 on the compiler fuses multiplications and additions, and records
# would differ in their last bits from those of other builds.
export GOAMD64 := v1

RUN     := $(BIN) run $(CONFIGS) --stand-in allow $(if $(JOBS),-j $(JOBS))

.PHONY: completion help build external external-test test precommit nightly fmt vet staticcheck race purego arm64 slurm-test cross-check smoke regression reference goldens reproduce-figures paper publish paper-check investigate docs bench bench-page fuzz attack schema readme install uninstall cross-compile dist clean

help: ## list the targets
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  %-20s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## build the binary, build/stochopt
	go build -buildvcs=auto -o $(BIN) ./harness

test: ## run all tests
	go test ./...

precommit: fmt vet ## formatting, vet, modules, the short tests of what has changed: before a commit
	go mod tidy -diff
	go test -short ./...

nightly: purego arm64 cross-compile ## what CI has no time for: no assembly, arm64, the action, all attacks, five minutes of fuzzing
	scripts/try-pull-request.sh
	$(MAKE) attack fuzz

fmt:
	@test -z "$$(gofmt -l .)" || { echo "gofmt would change:"; gofmt -l .; exit 1; }

vet:
	go vet ./...

staticcheck:
	go tool staticcheck ./...

# The packages that start goroutines or share memory between them.
CONCURRENT = $(sort $(dir $(shell grep -rlE --include='*.go' --exclude='*_test.go' 'sync\.(Cond|Map|Mutex|WaitGroup)|"sync/atomic"|x/sync/errgroup|^\s+go (func|[a-z])' algorithms datasets harness internal plots results)))

race:
	go test -race -short -timeout 20m $(CONCURRENT:%/=./%)

purego: ## the tests of the algorithms without assembly
	go test -tags purego ./algorithms/... ./internal/ordered

# Tests of svmtrain and record start themselves, which the emulator cannot.
EMULATED = $(filter-out %/svmtrain %/record,$(shell go list ./algorithms/... ./internal/... ./datasets))

arm64: ## short tests of algorithms and data on arm64, emulated (Debian: qemu-user-static)
	CGO_ENABLED=0 GOARCH=arm64 go test -short -timeout 20m -exec qemu-aarch64-static $(EMULATED)

# The folder of the test cluster is this target's own; the default is a developer's.
slurm-test: ## submit to a Slurm of two nodes on the loopback interface (Debian: slurmctld, slurmd, slurm-client, munge)
	@export STOCHOPT_SLURM=/tmp/stochopt-slurm-test-$$$$ STOCHOPT_SLURM_ARRAY=5; trap 'scripts/slurm-local.sh stop' EXIT; \
	env=$$(scripts/slurm-local.sh start) && eval "$$env" && go test -tags slurm -count 1 -parallel 6 -v -timeout 20m -run '^TestSlurm$(CASE)' ./harness

external: ## the example of a method in C, build/power, for configs/peers/c.yaml
	@mkdir -p build
	cc -std=c99 -O3 -march=native -ffast-math -o build/power external/c/power.c -lm

external-test: build external ## methods in Python, R and C, their helpers, peers (Debian: python3-sklearn, python3-mdp, r-base-core, r-cran-kernlab)
	EXTERNAL_PEERS=1 go test -v -count 1 -run 'Examples|Prints|CheckFinds|Peers' ./harness/internal/cli
	@rm -rf build/external
	@$(BIN) run configs/peers/*.yaml --external allow --stand-in allow --profile smoke --out build/external

cross-check: build ## solutions, sparse classifiers and selection against svm-train and scikit-learn (Debian: libsvm-tools, python3-sklearn)
	@scripts/svm-cross-check.py $(BIN)
	@scripts/sparse-cross-check.py $(BIN)

# Records of stand-ins are the same on any machine, whatever data it has; on other
# architectures than that of the reference the last bits may differ, which leaves curves
# of too few repeats for a verdict.
smoke: build ## every experiment at its smallest, on stand-ins, into build/smoke (under a minute)
	@rm -rf build/smoke
	@$(BIN) run $(CONFIGS) --stand-in only $(if $(JOBS),-j $(JOBS)) --profile smoke --out build/smoke >build/smoke.log || \
	{ code=$$?; cat build/smoke.log; exit $$code; }
	@echo "what the run says is in build/smoke.log"

regression: smoke ## the smoke profile compared with results/reference: same bits, no curve worse
	@$(BIN) compare results/reference build/smoke $(if $(filter amd64,$(shell go env GOARCH)),--strict) --experiment '!svm-sparse-bounds' --experiment '!*/*/libsvm' || \
	{ code=$$?; echo 'if this is meant: raise the Version of the algorithm, run `make reference`, and see results/reference/README.md' >&2; exit $$code; }

reference: smoke ## update results/reference where records differ, after a deliberate change (see its README)
	@scripts/reference.sh $(BIN) build/smoke results/reference

goldens: ## write the goldens: what is derived from the reference records, and the texts of errors; look at the difference
	@rm -rf harness/testdata/goldens
	@go test ./harness -run '^TestGolden' -update
	@go test ./harness/internal/spec -update
	@git status --short harness

reproduce-figures: build ## every figure, table and claim of the thesis, into results/ (minutes; PROFILE=paper for the thesis's own scale)
	@$(RUN) --profile $(PROFILE) --out $(OUT); code=$$?; $(BIN) report $(OUT) -o $(OUT)/report.html; exit $$code

PAPER ?= build/paper

paper: build ## the thesis's own scale, into PAPER (build/paper): many hours; the same command resumes
	@$(RUN) --profile paper --out $(PAPER)

publish: build ## copy the folders of PAPER, or those in NAMES, into results/paper, without their records
	@/usr/bin/python3 scripts/publish.py $(PAPER) results/paper $(NAMES)

paper-check: build ## judge results/paper again from its observations: the verdicts must be those of its claims.json
	@$(BIN) claims results/paper --no-fail >build/paper-check.txt && tail -1 build/paper-check.txt

# Readings of sentences that are not reproduced; docs/claims.md has the results.
INVESTIGATIONS := $(wildcard configs/investigations/*.yaml)

investigate: build ## sentences that are not reproduced, under other readings of the text, into results/investigations/
	@$(BIN) run $(INVESTIGATIONS) --stand-in allow $(if $(JOBS),-j $(JOBS)) --profile $(PROFILE) --out $(OUT)/investigations; \
	code=$$?; $(BIN) report $(OUT)/investigations -o $(OUT)/investigations/report.html; exit $$code

docs: ## write the generated pages of docs/: keys of specs, algorithms, commands
	@go run ./harness manual docs

completion: build ## shell completion for bash, zsh and fish, into build/completion
	@mkdir -p build/completion
	@$(BIN) completion bash >build/completion/stochopt
	@$(BIN) completion zsh >build/completion/_stochopt
	@$(BIN) completion fish >build/completion/stochopt.fish

PREFIX  ?= /usr/local
BINDIR  := $(DESTDIR)$(PREFIX)/bin
SHARE   := $(DESTDIR)$(PREFIX)/share
BASHDIR := $(SHARE)/bash-completion/completions
ZSHDIR  := $(SHARE)/zsh/site-functions
FISHDIR := $(SHARE)/fish/vendor_completions.d

install: build completion ## the binary and completion, into PREFIX (/usr/local)
	install -d "$(BINDIR)" "$(BASHDIR)" "$(ZSHDIR)" "$(FISHDIR)"
	install -m 755 $(BIN) "$(BINDIR)/stochopt"
	install -m 644 build/completion/stochopt "$(BASHDIR)/stochopt"
	install -m 644 build/completion/_stochopt "$(ZSHDIR)/_stochopt"
	install -m 644 build/completion/stochopt.fish "$(FISHDIR)/stochopt.fish"

uninstall: ## remove what install has put into PREFIX
	rm -f "$(BINDIR)/stochopt" "$(BASHDIR)/stochopt" "$(ZSHDIR)/_stochopt" "$(FISHDIR)/stochopt.fish"

cross-compile: # all packages for other systems
	@for p in linux/arm64 darwin/arm64 windows/amd64; do GOOS=$${p%/*} GOARCH=$${p#*/} go build ./... || exit; done

dist: ## the binary for Linux, macOS and Windows, into build/dist
	@for p in linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64; do \
	export CGO_ENABLED=0 GOOS=$${p%/*} GOARCH=$${p#*/}; \
	go build -trimpath -ldflags='-s -w' -o build/dist/stochopt-$$GOOS-$$GOARCH$$(go env GOEXE) ./harness || exit; done

bench: ## benchmarks of the algorithms and the engine
	go test -run '^$$' -bench . -benchmem ./algorithms/... ./datasets/... ./harness/... ./results/...

bench-page: ## the time Chromium needs for the report in PAGE=FILE, or of the reference results
	PAGE=$(abspath $(PAGE)) go test ./harness/internal/page -run '^$$' -bench '^BenchmarkLoad$$' -benchtime 20x

fuzz: ## every fuzz target, FUZZTIME seconds in all (five minutes)
	@scripts/fuzz.sh $(FUZZTIME)

attack: build ## hostile input, damaged folders, crashes: how many attacks were tried and survived (under ten minutes)
	@scripts/attack.py --binary $(BIN)

schema: ## write configs/schema.json again from the Go types and their comments
	go generate ./harness/internal/spec

readme: build ## run the commands of README.md in a copy of the checkout
	@scripts/readme-commands.sh

clean: ## remove what is built; results stay
	rm -rf build
