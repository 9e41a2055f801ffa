# jig: JIT GPU algorithms for C. `make help` lists the targets.

# What may be set: CC, CFLAGS, CPPFLAGS, LDFLAGS, PREFIX, DESTDIR, BUILD, CUDA_HOME, CCCL, V, and
# SAN=address|undefined|thread (its own build folder), STATIC_DEPS=1 (Jansson, libmd and Check as archives,
# for programs that are to run where these are not installed; no shared library then), WERROR=1 (a warning is
# an error: for compilers that are known to have none).
PREFIX    ?= /usr/local
CUDA_HOME ?= /usr/local/cuda
BUILD     ?= build$(if $(SAN),/$(SAN))
CFLAGS    ?= -O2 -g
Q         := $(if $(V),,@)
.DELETE_ON_ERROR:
.DEFAULT_GOAL := all

# As many jobs at once as there are processors, unless make is told how many.
ifeq ($(MAKELEVEL)$(filter -j% --jobs%,$(MAKEFLAGS)),0)
MAKEFLAGS += -j$(shell nproc)
endif

version_part = $(shell sed -n 's/^.define JIG_VERSION_$(1) //p' include/jig/version.h)
MAJOR   := $(call version_part,MAJOR)
MINOR   := $(call version_part,MINOR)
VERSION := $(MAJOR).$(MINOR).$(call version_part,PATCH)
# Before 1.0 every minor version may break programs that are compiled: docs/abi.md.
SONAME  := libjig.so.$(MAJOR)$(if $(filter 0,$(MAJOR)),.$(MINOR))

WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wundef -Wstrict-prototypes \
            -Wmissing-prototypes -Wvla -Wwrite-strings -Wformat=2 -Wno-missing-field-initializers $(if $(WERROR),-Werror)
SANITIZE := $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer$(if $(filter undefined,$(SAN)), -fno-sanitize-recover=all))
JIG_CPPFLAGS := -D_GNU_SOURCE -Iinclude -Isrc -I$(BUILD)/gen -isystem $(CUDA_HOME)/include
# Structs are copied by memcpy(): what gcc has in its place on x86, `rep movs`, takes longer to begin than the
# whole copy. Other compilers do not know the option; that is found out when something is compiled.
COPIES_FLAG := -mstringop-strategy=libcall
COPIES = $(eval COPIES := $(shell $(CC) $(COPIES_FLAG) -E -x c /dev/null >/dev/null 2>&1 && echo $(COPIES_FLAG)))$(COPIES)
JIG_CFLAGS   = -std=c11 -fPIC -fvisibility=hidden $(COPIES) $(WARNINGS) $(SANITIZE)
COMPILE = $(CC) $(JIG_CPPFLAGS) $(CPPFLAGS) $(JIG_CFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<
JANSSON := $(if $(STATIC_DEPS),-l:libjansson.a,-ljansson)
CHECK   := $(if $(STATIC_DEPS),-l:libcheck_pic.a -l:libsubunit.a,-lcheck -lsubunit) -lm -lrt
LIBMD   := $(if $(STATIC_DEPS),-l:libmd.a,-lmd)
LIBS    := $(JANSSON) $(LIBMD) -ldl -lpthread

## all: the library, the command-line tool
all: $(if $(STATIC_DEPS),,$(BUILD)/libjig.so) $(BUILD)/libjig.a $(BUILD)/jig

## ---- library -------------------------------------------------------------------------------------
LIB_SOURCES := $(wildcard src/*/*.c)
LIB_OBJECTS := $(LIB_SOURCES:%.c=$(BUILD)/obj/%.o) $(BUILD)/obj/gen/templates.o
TEMPLATES   := $(shell find templates/jig -name '*.cuh' | LC_ALL=C sort)

# $(call if_changed,<commands that print a file>): writes $@ only if its text changes, so that nothing else
# is rebuilt otherwise.
if_changed = @mkdir -p $(@D) && { $(1); } > $@.new && \
             if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

$(BUILD)/gen/system_cache.h: always
	$(call if_changed,echo '#define JIG_SYSTEM_CACHE "$(PREFIX)/share/jig/cache"'; \
	  echo '#define JIG_SYSTEM_WISDOM "$(PREFIX)/share/jig/wisdom"')
$(BUILD)/gen/libdir.h: always
	$(call if_changed,echo '#define JIG_LIBDIR "$(LIBDIR)"')
always:

# Whatever runs a compiler waits for deps, which may have to install what is compiled against.
$(BUILD)/obj/%.o: %.c | deps $(BUILD)/gen/system_cache.h $(BUILD)/gen/libdir.h
	@mkdir -p $(@D)
	$(Q)$(COMPILE)

$(BUILD)/obj/gen/%.o: $(BUILD)/gen/%.c | deps
	@mkdir -p $(@D)
	$(Q)$(COMPILE)

$(BUILD)/embed: tools/embed/embed.c $(addprefix src/,util/digest.c util/digest.h util/text_file.c util/text_file.h \
                jit/template_text.c jit/template_text.h) | deps
	@mkdir -p $(@D)
	$(Q)$(CC) -std=c11 -D_GNU_SOURCE -Isrc $(WARNINGS) -O1 -o $@ $(filter %.c,$^) $(LIBMD)

$(BUILD)/gen/templates.c: $(BUILD)/embed $(TEMPLATES)
	@mkdir -p $(@D)
	$(Q)$(BUILD)/embed templates $(TEMPLATES:templates/%=%) > $@

# It stays loaded after dlclose(): it may have a thread, and what the driver and compilers were given.
$(BUILD)/libjig.so.$(VERSION): $(LIB_OBJECTS)
	$(Q)$(CC) -shared -Wl,-soname,$(SONAME) -Wl,--no-undefined -Wl,-z,nodelete -Wl,-z,noseparate-code $(SANITIZE) $(LDFLAGS) -o $@ $^ $(LIBS)

$(BUILD)/libjig.so: $(BUILD)/libjig.so.$(VERSION)
	$(Q)ln -sf libjig.so.$(VERSION) $(BUILD)/$(SONAME) && ln -sf $(SONAME) $@

# One object in which only what is public is still visible, so that a static link meets no other name.
$(BUILD)/libjig.a: $(LIB_OBJECTS)
	$(Q)$(LD) -r -o $(BUILD)/obj/jig.o $^ && objcopy --localize-hidden $(BUILD)/obj/jig.o
	$(Q)rm -f $@ && $(AR) rcs $@ $(BUILD)/obj/jig.o

# Every internal name, for the tests and tools of this tree.
$(BUILD)/libjig-internal.a: $(LIB_OBJECTS)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

## ---- tools ---------------------------------------------------------------------------------------
TOOL_OBJECTS := $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard tools/jig/*.c))
$(BUILD)/jig: $(TOOL_OBJECTS) $(BUILD)/libjig-internal.a
	$(Q)$(CC) $(SANITIZE) $(LDFLAGS) -o $@ $^ $(LIBS) -lm

# Without main(), for programs that have their own: tests, and libFuzzer's.
$(BUILD)/libtool.a: $(filter-out %/main.o,$(TOOL_OBJECTS))
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(BUILD)/demo: $(BUILD)/obj/tools/demo/demo.o $(BUILD)/libjig-internal.a
	$(Q)$(CC) $(SANITIZE) $(LDFLAGS) -o $@ $^ $(LIBS) -lm

include tools/bench/bench.mk
include tools/examples/examples.mk
include tests/softgpu/softgpu.mk
include tests/fuzz/fuzz.mk
include tools/man/man.mk

## demo: the main job on real input, on the GPU if there is one, else on the software GPU
demo: all $(BUILD)/demo $(SOFTGPU)
	$(Q)rm -rf $(BUILD)/demo-cache && BUILD=$(BUILD) tests/softgpu/with_gpu.sh \
	  $(BUILD)/demo tools/demo/ecg208.npy $(BUILD)/demo-cache

## ---- tests ---------------------------------------------------------------------------------------
# Every tests/<kind>/test_*.c is a program of its own, linked with the support files and Check.
TEST_SOURCES  := $(wildcard tests/unit/test_*.c tests/compile/test_*.c tests/device/test_*.c \
                   tests/fault/test_*.c tests/softgpu/test/test_*.c)
TEST_PROGRAMS := $(TEST_SOURCES:tests/%.c=$(BUILD)/tests/%)
TEST_SUPPORT  := $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard tests/support/*.c))
PTX_SUPPORT   := $(patsubst %.c,$(BUILD)/obj/%.o,$(filter-out $(TEST_SOURCES),$(wildcard tests/softgpu/test/*.c)))
JIG_CPPFLAGS  += -Itests/support
# Check's macros leave variadic arguments empty, which ISO C11 does not have.
$(BUILD)/obj/tests/%.o: JIG_CFLAGS += -Wno-pedantic

$(BUILD)/tests/%: $(BUILD)/obj/tests/%.o $(TEST_SUPPORT) $(BUILD)/libjig-internal.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(SANITIZE) $(LDFLAGS) -o $@ $^ $(LIBS) $(CHECK)

# What is tested of the command-line tool by itself.
TOOL_TESTS := read_ahead tune_search
$(TOOL_TESTS:%=$(BUILD)/obj/tests/unit/test_%.o): JIG_CPPFLAGS += -Itools/jig
$(TOOL_TESTS:%=$(BUILD)/tests/unit/test_%): $(BUILD)/tests/%: $(BUILD)/obj/tests/%.o $(TEST_SUPPORT) \
                                            $(BUILD)/libtool.a $(BUILD)/libjig-internal.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(SANITIZE) $(LDFLAGS) -o $@ $^ $(LIBS) $(CHECK)

$(BUILD)/softgpu/libsupport.a: $(PTX_SUPPORT)
	@mkdir -p $(@D)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(BUILD)/tests/softgpu/%: $(BUILD)/obj/tests/softgpu/%.o $(BUILD)/softgpu/libsupport.a $(TEST_SUPPORT) \
                          $(BUILD)/libjig-internal.a $(BUILD)/softgpu/libsoftgpu.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(SANITIZE) $(LDFLAGS) -o $@ $^ $(LIBS) $(CHECK)

# The compile matrix: every specs_<name>.c is a family of specs, and goes into a table.
SPECS := $(patsubst tests/compile/%.c,%,$(sort $(wildcard tests/compile/specs_*.c)))
$(BUILD)/gen/specs_families.c: always
	$(call if_changed,echo '/* Written by the Makefile. */'; echo '#include "specs.h"'; \
	  for f in $(SPECS); do echo "extern const specs_family $$f;"; done; \
	  echo 'const specs_family *const specs_families[] = {$(SPECS:%=&%,) NULL};')
$(BUILD)/obj/gen/specs_families.o: JIG_CPPFLAGS += -Itests/compile
$(BUILD)/tests/compile/test_matrix: $(SPECS:%=$(BUILD)/obj/tests/compile/%.o) $(BUILD)/obj/gen/specs_families.o

.PRECIOUS: $(BUILD)/obj/%.o
tests: all $(TEST_PROGRAMS) $(EXAMPLES)

# The code of README and docs is a test for each page.
CODE_PAGES   := $(patsubst %,tests/scripts/test_docs_code.sh:%,README \
                  $(patsubst docs/%.md,%,$(shell grep -lE '^```(c|cuda|sh|console)$$' docs/*.md)))
TEST_SCRIPTS := $(filter-out %/test_docs_code.sh,$(wildcard tests/scripts/test_*.sh tests/cli/test_*.sh)) $(CODE_PAGES)

# All that there is to build; the benchmark with CUB where there is nvcc.
everything: all tests softgpu examples bench-build $(BUILD)/demo $(if $(SAN),,fuzzers)

# The longest programs have two days of four each, as many as take turns within themselves; neighbours have others.
LONG_TESTS := operand_domain_sorts device_counts merge_sort_orders nth_element operand_domain_folds radix_sort_rows \
              operand_domain_runs radix_sort_pairs operand_domain_items operand_domain_orders binary_search gpu_to_gpu \
              segmented_reduce adjacent_difference_calls radix_sort_local radix_sort_cluster operator_forms \
              radix_sort_iterators segmented_top_k_keys segmented_scan_shapes run_length merge_sort_pairs \
              segmented_scan segmented_sort_iterators first_tier_calls set_operation segmented_top_k_calls \
              scan_operators select_types top_k_rows scan_types top_k_pairs histogram find segmented_sort_pairs \
              merge_sort_keys scan_by_key
LEFT_OUT = $(eval LEFT_OUT := $(if $(ALL),,$(addprefix $(BUILD)/tests/device/test_,$(shell \
             i=$$(($${JIG_TEST_SEED:-$$(($$(date +%s) / 86400))} / 2)); \
             for test in $(LONG_TESTS); do [ $$((i % 2)) -eq 0 ] || echo $$test; i=$$((i + 1)); done))))$(LEFT_OUT)
TODAYS = $(foreach program,$(TEST_PROGRAMS),$(if $(filter $(LEFT_OUT),$(program)),-)$(program))

## test: builds everything and runs all tests, some by turns (ALL=1: all); on the software GPU where there is no GPU
test: everything $(FUZZ_TESTS)
	$(Q)tools/deps.sh abi
	$(Q)$(if $(FUZZ_TESTS),BUILD=$(BUILD) tests/fuzz/seeds.sh)
	$(Q)BUILD=$(BUILD) SOFTGPU=$(SOFTGPU) tests/softgpu/with_gpu.sh tests/run.sh $(TEST_SCRIPTS) $(FUZZ_TESTS) $(TODAYS)

# Of each family of algorithms one program, or some tests of a long one; no more memory than what is quick to fill.
CHECK_SCRIPTS  := $(patsubst %,tests/scripts/test_%.sh,abi build docs headers library softgpu stress) \
                  $(patsubst %,tests/scripts/test_docs_code.sh:%,README cache getting-started iterators operators) \
                  $(filter-out %/test_run.sh %/test_tune.sh,$(wildcard tests/cli/test_*.sh))
CHECK_SOURCES  := $(filter-out %/test_segmented_top_k_calls.c %/test_first_calls.c %/test_spaces.c, \
                    $(wildcard tests/compile/test_*.c tests/unit/test_*.c \
                    tests/device/test_*_calls.c tests/fault/test_*.c)) \
                  $(patsubst %,tests/device/test_%.c,for_each merge reorder transform)
CHECK_PROGRAMS := $(CHECK_SOURCES:tests/%.c=$(BUILD)/tests/%)
CHECK_TESTS    := $(patsubst %,$(BUILD)/tests/device/test_%,segmented_scan:computed_offsets_and_items \
                    segmented_scan:wrong_arguments_are_named segmented_top_k_calls:computed segmented_top_k_calls:refused \
                    arg_reduce:nan_and_zeros arg_reduce:index_alone_of_a_computed_value min_max:by_an_order \
                    is_sorted:structs_and_iterators nth_element:few_items copy:bytes_at_every_alignment)

## check: the tests that one can run while thinking: five minutes on two processors
check: all softgpu $(CHECK_PROGRAMS) $(foreach test,$(CHECK_TESTS),$(firstword $(subst :, ,$(test))))
	$(Q)BUILD=$(BUILD) SOFTGPU=$(SOFTGPU) JIG_TEST_MATRIX=quick JIG_SOFTGPU_MEMORY=4G tests/softgpu/with_gpu.sh \
	  tests/run.sh $(CHECK_SCRIPTS) $(CHECK_PROGRAMS) $(CHECK_TESTS)

## ---- installing ----------------------------------------------------------------------------------
LIBDIR ?= $(PREFIX)/lib
DOCDIR ?= $(PREFIX)/share/doc/jig
# Where bash, zsh and fish look for what completes command lines, in this order.
COMPLETIONS := share/bash-completion/completions/jig share/zsh/site-functions/_jig \
               share/fish/vendor_completions.d/jig.fish

# Pages, what README links to, and the examples, in the folders that they have here.
PAGES := LICENSE README.md CHANGELOG.md CONTRIBUTING.md docs/figures.csv tests/softgpu/INTERNALS.md \
         $(filter-out %/tuning-log.md,$(wildcard docs/*.md docs/*.svg)) tools/bench/RESULTS.md \
         $(addsuffix /README.md,cache templates tests tests/softgpu tools/bench tools/demo) \
         $(wildcard tools/examples/*.[ch])

## install: library, headers, tool, completion, manual, docs and pkg-config file below $(DESTDIR)$(PREFIX)
install: all install-man
	$(Q)install -d $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(PREFIX)/include/jig $(DESTDIR)$(PREFIX)/bin
	$(Q)install -m 755 $(BUILD)/libjig.so.$(VERSION) $(DESTDIR)$(LIBDIR)
	$(Q)ln -sf libjig.so.$(VERSION) $(DESTDIR)$(LIBDIR)/$(SONAME)
	$(Q)ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/libjig.so
	$(Q)install -m 644 $(BUILD)/libjig.a $(DESTDIR)$(LIBDIR)
	$(Q)install -m 644 include/jig/*.h $(DESTDIR)$(PREFIX)/include/jig
	$(Q)install -m 755 $(BUILD)/jig $(DESTDIR)$(PREFIX)/bin
	$(Q)install -d $(dir $(addprefix $(DESTDIR)$(PREFIX)/,$(COMPLETIONS)))
	$(Q)$(BUILD)/jig completion bash > $(DESTDIR)$(PREFIX)/$(word 1,$(COMPLETIONS))
	$(Q)$(BUILD)/jig completion zsh > $(DESTDIR)$(PREFIX)/$(word 2,$(COMPLETIONS))
	$(Q)$(BUILD)/jig completion fish > $(DESTDIR)$(PREFIX)/$(word 3,$(COMPLETIONS))
	$(Q)sed -e 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR)|; s|@VERSION@|$(VERSION)|' jig.pc.in \
	  > $(DESTDIR)$(LIBDIR)/pkgconfig/jig.pc
	$(Q)for page in $(PAGES); do install -D -m 644 $$page $(DESTDIR)$(DOCDIR)/$$page || exit 1; done

## uninstall: what install put there
uninstall: uninstall-man
	$(Q)rm -f $(DESTDIR)$(LIBDIR)/libjig.* $(DESTDIR)$(LIBDIR)/pkgconfig/jig.pc $(DESTDIR)$(PREFIX)/bin/jig
	$(Q)rm -f $(addprefix $(DESTDIR)$(PREFIX)/,$(COMPLETIONS))
	$(Q)rm -rf $(DESTDIR)$(PREFIX)/include/jig $(DESTDIR)$(DOCDIR)

## figures: writes the figures, tables and drawings of docs/performance.md and tools/bench/RESULTS.md from the measurements
figures:
	$(Q)tools/bench/figures.sh csv > docs/figures.csv.new && mv docs/figures.csv.new docs/figures.csv
	$(Q)for page in docs/performance.md tools/bench/RESULTS.md; do \
	  tools/bench/figures.sh fill $$page > $$page.new && mv $$page.new $$page || exit 1; done
	$(Q)tools/bench/figures.sh draw docs

# What everybody needs, compiled ahead of time: cache/README.md.
ARCHS    ?= 80 86 89 90 100 120
BUNDLES  ?= $(BUILD)/cache
# Files of specs instead of those that are made; with one of programs there are no others.
MANIFEST  ?= $(BUILD)/cache/manifest
OPERATORS ?= $(if $(filter file,$(origin MANIFEST)),$(BUILD)/cache/operators,/dev/null)
$(BUILD)/cache/manifest $(BUILD)/cache/operators: $(BUILD)/cache/%: cache/%.sh
	@mkdir -p $(@D)
	$(Q)$< > $@

## prewarm: compiles what everybody needs, for each of ARCHS="80 86 89 90 100 120", and packs it for install-cache
prewarm: $(BUILD)/jig $(MANIFEST) $(OPERATORS)
	$(Q)cache/bundle.sh $(BUILD)/jig $(MANIFEST) $(OPERATORS) $(BUNDLES) $(ARCHS)

## install-cache: unpacks that into $(DESTDIR)$(PREFIX)/share/jig/cache, where jig looks
install-cache:
	$(Q)cache/install.sh $(BUNDLES) $(DESTDIR)$(PREFIX)/share/jig/cache $(if $(filter file,$(origin ARCHS)),,$(ARCHS))

## uninstall-cache: removes what install-cache put there
uninstall-cache:
	$(Q)rm -rf $(DESTDIR)$(PREFIX)/share/jig/cache

## abi: describes the library's interface anew, for the tests to compare it with, where it is meant to change
abi: $(BUILD)/libjig.so $(BUILD)/tests/unit/test_layouts
	$(Q)tools/deps.sh abi && tests/abi/describe.sh $(BUILD)/libjig.so > $(BUILD)/libjig.abi
	$(Q)mv $(BUILD)/libjig.abi tests/abi/libjig.abi
	$(Q)RENEW_ABI=1 $(BUILD)/tests/unit/test_layouts
	$(Q)tests/abi/enumerations.sh include > docs/abi-enumerations.md

## ---- everything else -----------------------------------------------------------------------------
## deps: installs what is missing from Debian's packages, or says how
deps:
	@NVCC='$(NVCC)' CC='$(CC)' CXX='$(CXX)' tools/deps.sh

## format: clang-format over the host code
format:
	$(Q)clang-format -i $(shell git ls-files '*.c' '*.h')

## lint: what clang-format would change, and what shellcheck finds
lint:
	$(Q)clang-format --dry-run -Werror $(shell git ls-files '*.c' '*.h')
	$(Q)shellcheck $(shell git ls-files '*.sh') .ci/run

clean:
	$(Q)rm -rf build

## help: this list
help:
	@sed -n 's/^## \([a-z-]*:\)/  make \1/p' $(MAKEFILE_LIST)

.PHONY: always all demo tests everything test check figures abi install uninstall prewarm install-cache uninstall-cache deps format lint clean help
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
