# The benchmark; included by the Makefile, whose variables it uses. What may be set besides: NVCC (empty:
# build without CUB), ARCH (the SM that CUB is compiled for), CCCL (a checkout whose CUB is measured instead
# of the toolkit's), BENCH_FLAGS (more options for `make bench`).
#
# Every bench_<name>.c is a family of cases and every cub_<name>.cu the same in CUB; a new one is found here
# and goes into a table, $(BUILD)/gen/bench_families.c.
ARCH ?= 90
NVCC ?= $(firstword $(wildcard $(CUDA_HOME)/bin/nvcc) $(shell command -v nvcc 2>/dev/null))

BENCH_FAMILIES := $(patsubst tools/bench/%.c,%,$(sort $(wildcard tools/bench/bench_*.c)))
CUB_FAMILIES   := $(if $(NVCC),$(patsubst tools/bench/%.cu,%,$(sort $(wildcard tools/bench/cub_*.cu))))
# They take as long as all the rest of the build: `make test` has a sixth of them, another one with every seed.
ifeq ($(MAKECMDGOALS),test)
CUB_FAMILIES   := $(shell printf '%s\n' $(CUB_FAMILIES) | \
                    awk -v "seed=$${JIG_TEST_SEED:-$$(($$(date +%s) / 86400))}" '(NR + seed) % 6 == 0')
endif
BENCH_OBJECTS  := $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard tools/bench/*.c)) \
                  $(BUILD)/obj/gen/bench_families.o
CUB_OBJECTS    := $(CUB_FAMILIES:%=$(BUILD)/obj/tools/bench/%.o)
NVCC_FLAGS     := -O3 -std=c++17 -gencode arch=compute_$(ARCH),code=sm_$(ARCH) -Iinclude \
                  $(if $(CCCL),-I$(CCCL)/cub -I$(CCCL)/thrust -I$(CCCL)/libcudacxx/include)
# CUB's objects want the CUDA runtime and the C++ library; both are linked in, so that the program runs
# where they are not.
BENCH_LINK     := $(if $(CUB_OBJECTS),$(CXX) -static-libstdc++ -static-libgcc,$(CC))
BENCH_LIBS     := $(if $(CUB_OBJECTS),-L$(CUDA_HOME)/lib64 -lcudart_static -lrt)

$(BUILD)/gen/bench_families.c: always
	$(call if_changed,echo '/* Written by bench.mk. */'; echo '#include "cases.h"'; \
	  for f in $(BENCH_FAMILIES); do echo "extern const bench_family $$f;"; done; \
	  for f in $(CUB_FAMILIES); do echo "extern const cub_family $$f;"; done; \
	  echo 'const bench_family *const bench_families[] = {$(BENCH_FAMILIES:%=&%,) NULL};'; \
	  echo 'const char *const bench_family_names[] = {$(BENCH_FAMILIES:bench_%="%",) NULL};'; \
	  echo 'const cub_family *const cub_families[] = {$(CUB_FAMILIES:%=&%,) NULL};')
$(BUILD)/obj/gen/bench_families.o: JIG_CPPFLAGS += -Itools/bench

$(BUILD)/gen/bench_cub.flags: always
	$(call if_changed,echo '$(NVCC) $(NVCC_FLAGS)')

$(CUB_OBJECTS): $(BUILD)/obj/tools/bench/%.o: tools/bench/%.cu $(BUILD)/gen/bench_cub.flags | deps
	@mkdir -p $(@D)
	$(Q)$(NVCC) $(NVCC_FLAGS) -MMD -MP -MF $(@:.o=.d) -c -o $@ $<

$(BUILD)/bench/bench-run: $(BENCH_OBJECTS) $(CUB_OBJECTS) $(BUILD)/libjig-internal.a
	@mkdir -p $(@D)
	$(Q)$(BENCH_LINK) $(SANITIZE) $(LDFLAGS) -o $@ $^ $(BENCH_LIBS) $(LIBS) -lm

# For first calls where there is no GPU: a driver with nothing behind it, which the tests have, too.
$(BUILD)/bench/no-gpu.so: tests/cli/fake_cuda.c | deps
	@mkdir -p $(@D)
	$(Q)$(CC) -O1 -shared -fPIC -I$(CUDA_HOME)/include -o $@ $<

bench-build: $(BUILD)/bench/bench-run $(BUILD)/bench/no-gpu.so

## bench: times jig against CUB, to build/bench/; where there is no GPU, cold builds and cache hits only
bench: bench-build
	$(Q)tools/bench/run.sh quick $(BUILD)/bench $(BUILD)/bench $(BENCH_FLAGS)

.PHONY: bench bench-build
