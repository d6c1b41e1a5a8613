# Models in a folder of their own, by make: put .gguf files there and type
#
#   make -f path/to/ssnail-kit/tools/models.mk foo.chat
#
#   foo.ssnail                an image of foo.gguf (WTYPE, CONTEXT_WINDOW, ATTICRAM ...)
#   foo.8mb.ssnail .64mb .72mb  the same for a memory size
#   foo.all                   every size that foo fits
#   foo.run  foo.64mb.run     let it write: PROMPT="Once upon a time" TOKENS=60
#   foo.chat foo.72mb.chat    talk with it
#   foo.info foo.72mb.info    header and memory map
#   foo.tokcheck TEXT=FILE    compare its tokenizer with the GGUF's (TEXT: a file or a line)
#   findmodels QUERY="tiny stories" MEM=8   look for models
#   fetch URL=...             download one
#
# Reports of conversions go to standard error, so that foo.run > story.txt keeps
# the story alone. An image is made again when its model or the tool is newer.
# Values may hold spaces and quotes: they reach the tool through the environment.

CONTEXT_WINDOW ?=
WTYPE    ?= auto
FALLBACK ?= q8_0
ATTICRAM ?= 8
TYPE     ?= General
PROMPT   ?= Once upon a time
TOKENS   ?= 120
TEMP     ?=
HW       ?=
QUERY    ?=
MEM      ?= $(ATTICRAM)
TEXT     ?=
URL      ?=
export CONTEXT_WINDOW WTYPE FALLBACK ATTICRAM TYPE PROMPT TOKENS TEMP QUERY MEM TEXT URL

# The tool: beside this file if it was built there, else the one in PATH.
MODELS_MK  := $(lastword $(MAKEFILE_LIST))
SSNAIL_KIT ?= $(or $(wildcard $(dir $(MODELS_MK))../bin/ssnail-kit),$(shell command -v ssnail-kit))
ifeq ($(SSNAIL_KIT),)
$(error ssnail-kit is neither in $(dir $(MODELS_MK))../bin nor in PATH: type 'make build' in the kit's folder, or give SSNAIL_KIT=path)
endif
TOOL := $(wildcard $(SSNAIL_KIT))

CONVERT = "$(SSNAIL_KIT)" convert "$<" -o "$@" --wtype "$$WTYPE" --fallback "$$FALLBACK" --type "$$TYPE" \
	$${CONTEXT_WINDOW:+--ctx "$$CONTEXT_WINDOW"}
NUMERICS = $(if $(filter-out 0 no,$(HW)),--numerics hw)

.PHONY: help findmodels fetch
.PRECIOUS: %.ssnail %.8mb.ssnail %.64mb.ssnail %.72mb.ssnail
.DELETE_ON_ERROR:

help:
	@sed -n '/^#/!q;s/^# \{0,1\}//p' "$(MODELS_MK)"

%.8mb.ssnail: %.gguf $(TOOL)
	$(CONVERT) --mem-mb 8 >&2

%.64mb.ssnail: %.gguf $(TOOL)
	$(CONVERT) --mem-mb 64 >&2

%.72mb.ssnail: %.gguf $(TOOL)
	$(CONVERT) --mem-mb 72 >&2

%.ssnail: %.gguf $(TOOL)
	$(CONVERT) --mem-mb "$$ATTICRAM" >&2

%.all: %.gguf $(TOOL)
	"$(SSNAIL_KIT)" convert "$<" --all -o "$*.ssnail" --wtype "$$WTYPE" --fallback "$$FALLBACK" --type "$$TYPE" \
		$${CONTEXT_WINDOW:+--ctx "$$CONTEXT_WINDOW"}

%.run: %.ssnail
	@"$(SSNAIL_KIT)" run "$<" --prompt "$$PROMPT" -n "$$TOKENS" $${TEMP:+--temp "$$TEMP"} $(NUMERICS)

%.chat: %.ssnail
	@"$(SSNAIL_KIT)" chat "$<" -n "$$TOKENS" $${TEMP:+--temp "$$TEMP"} $(NUMERICS)

%.info: %.ssnail
	@"$(SSNAIL_KIT)" info "$<"

# The model of foo.72mb.ssnail is foo.gguf.
model = $(patsubst %.8mb,%,$(patsubst %.64mb,%,$(patsubst %.72mb,%,$(1)))).gguf

%.tokcheck: %.ssnail
	@if [ -z "$$TEXT" ]; then "$(SSNAIL_KIT)" tokcheck "$<" "$(call model,$*)"; \
	elif [ -f "$$TEXT" ]; then "$(SSNAIL_KIT)" tokcheck "$<" "$(call model,$*)" --text "$$TEXT"; \
	else t=$$(mktemp) && printf '%s\n' "$$TEXT" >"$$t" && \
		{ "$(SSNAIL_KIT)" tokcheck "$<" "$(call model,$*)" --text "$$t"; s=$$?; rm -f "$$t"; exit $$s; }; fi

findmodels:
	@"$(SSNAIL_KIT)" models --search "$$QUERY" --mem "$$MEM"

fetch:
	@[ -n "$$URL" ] || { echo "fetch: give URL=https://... or URL=REPO/FILE" >&2; exit 2; }
	"$(SSNAIL_KIT)" fetch "$$URL"
