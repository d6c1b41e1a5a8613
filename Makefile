# ssnail-kit: make build, make demo, make test. `make help` lists the rest.

GO      ?= go
VERSION := $(shell git describe --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -s -w -X main.version=$(VERSION)
MODEL   ?=

.PHONY: build demo test sizes screens softcore-bench softcore-test xemu-test train fuzz bench dist deps help vet clean

build: ## build bin/ssnail-kit
	@mkdir -p bin
	$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/ssnail-kit ./tools/ssnail-kit

demo: build ## chat with the kit's own model in the emulated MEGA65 (MODEL=file for another)
	@bin/ssnail-kit demo $(MODEL)

test: ## run all tests (what needs acme, ca65 or cc1541 is skipped without them: make deps)
	@for t in acme ca65 cc1541; do command -v $$t >/dev/null 2>&1 || \
	  echo "note: $$t is not installed, its tests are skipped; 'make deps' installs it"; done
	$(GO) vet ./...
	$(GO) test ./...

dist: ## make what people without Go get: disk, programs for six systems, checksums (dist/)
	$(GO) run ./tools/dist -o dist -go '$(GO)' -version '$(VERSION)'

deps: ## install the outside judges of the tests: acme, cc65, cc1541 (apt or brew)
	@sh .ci/deps.sh

sizes: build ## bytes of the MEGA65 program by source file
	@bin/ssnail-kit asm --sizes

SCREENS = firmware/screens
screens: build ## take the pictures in firmware/screens again
	@mkdir -p build
	bin/ssnail-kit disk --quiet --type Story --wtype q8_0 host/builtin/ssnail-story.gguf -o build/story.d81
	bin/ssnail-kit disk --quiet --type Encoder --wtype q8_0 host/builtin/ssnail-encoder.gguf -o build/encoder.d81
	bin/ssnail-kit disk --quiet --type Story --wtype q8_0 host/builtin/ssnail-story.gguf host/builtin/ssnail-story-gpt2.gguf host/builtin/ssnail-encoder.gguf -o build/three.d81
	cd $(SCREENS) && ../../bin/ssnail-kit emu --quiet ../../build/story.d81 --keys-file chat.keys --png chat.png >/dev/null
	cd $(SCREENS) && ../../bin/ssnail-kit emu --quiet ../../build/story.d81 --keys '/help\r' --png help.png >/dev/null
	cd $(SCREENS) && ../../bin/ssnail-kit emu --quiet ../../build/story.d81 --keys-file loading.keys >/dev/null
	cd $(SCREENS) && ../../bin/ssnail-kit emu --quiet ../../build/three.d81 --keys-file list.keys >/dev/null
	cd $(SCREENS) && ../../bin/ssnail-kit emu --quiet ../../build/encoder.d81 --keys-file encoder.keys --png encoder.png >/dev/null
	cd $(SCREENS) && ../../bin/ssnail-kit emu --quiet ../../build/story.d81 --no-ssnail --run-for 9s --png no-ssnail.png >/dev/null

softcore-bench: ## how long the software core takes for a token, by the cycle table
	SOFTCORE_BENCH=1 $(GO) test -v -count=1 -run TestBench ./firmware/softcore

softcore-test: ## the software core against emu/core over 40 positions of every kind of model (minutes)
	SOFTCORE_FULL=1 $(GO) test -count=1 -timeout 60m ./firmware/softcore

xemu-test: ## compare with your xmega65: make xemu-test XMEGA65=/path/to/xmega65
	@test -n "$(XMEGA65)" || echo "skipped: no xmega65 named; make xemu-test XMEGA65=/path/to/xmega65"
	XMEGA65="$(XMEGA65)" $(GO) test -count=1 -v ./emu/xemu

train: ## train the kit's own models again into build/models (about an hour on 2 cores)
	@mkdir -p build/models
	for r in story gpt2 encoder; do $(GO) run ./tools/train -recipe $$r -o build/models || exit 1; done

FUZZTIME ?= 60s
fuzz: ## run every fuzz target for FUZZTIME (60s)
	@for p in $$($(GO) list ./...); do \
	  for f in $$($(GO) test -list '^Fuzz' $$p 2>/dev/null | grep '^Fuzz'); do \
	    echo "$$p $$f"; $(GO) test -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 5x $$p || exit 1; \
	  done; done

bench: ## all Go benchmarks
	$(GO) test -run '^$$' -bench . ./...

vet: ## gofmt, go vet and staticcheck
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); exit 1; }
	$(GO) vet ./...
	$(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...

clean: ## remove what was built
	rm -rf bin dist

help: ## list the targets
	@awk -F':.*## ' '/^[a-z0-9-]+:.*## /{printf "  make %-16s %s\n", $$1, $$2}' Makefile
