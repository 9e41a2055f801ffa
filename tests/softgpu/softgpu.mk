# The software GPU: a libcuda.so.1 that executes PTX on the CPU, for tests. Its interpreter is compiled for the
# processor at hand.
SOFTGPU_ARCH    ?= native
SOFTGPU         := $(BUILD)/softgpu/libcuda.so.1
SOFTGPU_SOURCES := $(wildcard $(patsubst %,tests/softgpu/%/*.c,ptx memory check code exec grid work api))
SOFTGPU_OBJECTS := $(SOFTGPU_SOURCES:%.c=$(BUILD)/obj/%.o) $(BUILD)/obj/gen/softgpu_unimplemented.o

$(BUILD)/obj/tests/softgpu/%.o: JIG_CPPFLAGS += -Itests/softgpu
# Registers are looked at as whatever type an instruction has.
$(BUILD)/obj/tests/softgpu/exec/%.o: JIG_CFLAGS += -Wno-conversion
$(BUILD)/obj/tests/softgpu/exec/%.o: override CFLAGS += -O3 -march=$(SOFTGPU_ARCH) -ffp-contract=off -fno-strict-aliasing
# What each access to shared memory goes through; and, where it has to be remembered, to global memory.
$(patsubst %,$(BUILD)/obj/tests/softgpu/check/%.o,race_access touch watch): override CFLAGS += -O3 -march=$(SOFTGPU_ARCH)

$(BUILD)/gen/softgpu_unimplemented.c: tests/softgpu/api/unimplemented.sh $(CUDA_HOME)/include/cuda.h | deps
	@mkdir -p $(@D)
	$(Q)CC=$(CC) tests/softgpu/api/unimplemented.sh $(CUDA_HOME)/include > $@
$(BUILD)/obj/gen/softgpu_unimplemented.o: JIG_CPPFLAGS += -Itests/softgpu
$(BUILD)/obj/gen/softgpu_unimplemented.o: JIG_CFLAGS += -Wno-cast-function-type

# Its functions call each other whatever else the process has of these names, and it has something to say when
# the process ends.
$(SOFTGPU): $(SOFTGPU_OBJECTS)
	@mkdir -p $(@D)
	$(Q)$(CC) -shared -Wl,-soname,libcuda.so.1 -Wl,--no-undefined -Wl,-Bsymbolic -Wl,-z,nodelete $(SANITIZE) $(LDFLAGS) -o $@ $^ -ldl -lpthread -lm

# Its parts, for tests of their own.
$(BUILD)/softgpu/libsoftgpu.a: $(SOFTGPU_OBJECTS)
	@mkdir -p $(@D)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

## softgpu: the software GPU, build/softgpu/libcuda.so.1
softgpu: $(SOFTGPU)
.PHONY: softgpu
