# Fuzzing; included by the Makefile. What may be set: CLANG (with libFuzzer), FUZZ_SECONDS (for each target),
# FUZZ_TEST_SECONDS (for each, in `make test`), FUZZ (the targets), FUZZ_JOBS (how many at once).
#
# Every fuzz_<name>.c is a target, linked with a library of its own: by clang, with its sanitizers, in $(BUILD)/fuzz.
CLANG        ?= clang
FUZZ_JOBS    ?= 2
FUZZ_SECONDS ?= 60
FUZZ_TEST_SECONDS ?= 20
FUZZ         ?= $(patsubst tests/fuzz/fuzz_%.c,%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
FUZZ_TESTS   := $(if $(SAN),,$(FUZZ:%=$(BUILD)/tests/fuzz/%)) # these have sanitizers of their own
FUZZ_RUN     := BUILD=$(BUILD) FUZZ_SECONDS=$(FUZZ_SECONDS) CLANG=$(CLANG)

# In the make below this one, where BUILD is that folder.
FUZZ_PROGRAMS := $(FUZZ:%=$(BUILD)/fuzz_%)
$(BUILD)/obj/tests/fuzz/%.o: JIG_CPPFLAGS += -Itools/jig
$(FUZZ_PROGRAMS): $(BUILD)/fuzz_%: $(BUILD)/obj/tests/fuzz/fuzz_%.o $(BUILD)/libtool.a \
                  $(BUILD)/libjig-internal.a
	$(Q)$(CC) -fsanitize=fuzzer,address,undefined $(LDFLAGS) -o $@ $^ $(LIBS) -lm
fuzz-programs: $(FUZZ_PROGRAMS)

# Nothing, where there is no such clang: then each target says that it is skipped. Whoever has built them has one.
fuzzers: | deps
	@[ -e $(BUILD)/fuzz/libjig-internal.a ] || CLANG=$(CLANG) tools/deps.sh fuzz
	$(Q)if [ -e $(BUILD)/fuzz/libjig-internal.a ] || CLANG=$(CLANG) tests/fuzz/has_libfuzzer.sh; then \
	  $(MAKE) --no-print-directory BUILD=$(BUILD)/fuzz CC=$(CLANG) SAN=fuzzer-no-link,address,undefined WERROR= \
	    CFLAGS='-O1 -g -fno-sanitize-recover=all' fuzz-programs; fi

# What `make test` runs, so many seconds each.
$(FUZZ_TESTS): $(BUILD)/tests/fuzz/%: always
	$(call if_changed,echo '#!/bin/sh'; echo 'exec env $(FUZZ_RUN) FUZZ_SECONDS=$(FUZZ_TEST_SECONDS) tests/fuzz/run.sh $*')
	@chmod +x $@

## fuzz: libFuzzer over what reads what others wrote, FUZZ_SECONDS=60 each; see tests/README.md
fuzz: fuzzers all
	$(Q)$(FUZZ_RUN) tests/fuzz/seeds.sh
	$(Q)echo $(FUZZ) | $(FUZZ_RUN) xargs -P $(FUZZ_JOBS) -n 1 tests/fuzz/run.sh

.PHONY: fuzz fuzzers fuzz-programs
