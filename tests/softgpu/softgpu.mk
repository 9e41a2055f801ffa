# The software GPU: a libcuda.so.1 that executes PTX on the CPU, for tests. Its interpreter is compiled for the
# processor at hand; SOFTGPU_ARCH=x86-64-v3, say, in a build folder of its own, makes one for others, too.
SOFTGPU_ARCH    ?= native
SOFTGPU         := $(BUILD)/softgpu/libcuda.so.1
SOFTGPU_SOURCES := $(wildcard $(patsubst %,tests/softgpu/%/*.c,ptx memory check code exec grid work api))
SOFTGPU_OBJECTS := $(SOFTGPU_SOURCES:%.c=$(BUILD)/obj/%.o) $(BUILD)/obj/gen/softgpu_unimplemented.o

$(BUILD)/obj/tests/softgpu/%.o: JIG_CPPFLAGS += -Itests/softgpu
# Registers are looked at as whatever type an instruction has.
$(BUILD)/obj/tests/softgpu/exec/%.o: JIG_CFLAGS += -Wno-conversion
$(BUILD)/obj/tests/softgpu/exec/%.o: override CFLAGS += -O3 -march=$(SOFTGPU_ARCH) -ffp-contract=off -fno-strict-aliasing
# What each access to shared memory goes through, and what orders such accesses; and, where it has to be remembered,
# to global memory.
$(patsubst %,$(BUILD)/obj/tests/softgpu/check/%.o,race race_access taint touch watch): override CFLAGS += -O3 -march=$(SOFTGPU_ARCH)

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

# Beside what the tool and the launcher look for it; with a name to link, too.
SOFTGPU_DIR = $(DESTDIR)$(LIBDIR)/jig/softgpu
## install-softgpu: the software GPU and its launcher, jig-softgpu, below $(DESTDIR)$(PREFIX)
install-softgpu: softgpu
	$(Q)install -d $(SOFTGPU_DIR) $(DESTDIR)$(PREFIX)/bin
	$(Q)install -m 755 $(SOFTGPU) $(SOFTGPU_DIR)
	$(Q)ln -sf libcuda.so.1 $(SOFTGPU_DIR)/libcuda.so
	$(Q)install -m 644 tests/softgpu/README.md $(SOFTGPU_DIR)
	$(Q)sed 's|@LIBDIR@|$(LIBDIR)|' tests/softgpu/jig-softgpu.in > $(BUILD)/softgpu/jig-softgpu
	$(Q)install -m 755 $(BUILD)/softgpu/jig-softgpu $(DESTDIR)$(PREFIX)/bin

## uninstall-softgpu: removes what install-softgpu put there
uninstall-softgpu:
	$(Q)rm -rf $(SOFTGPU_DIR) $(DESTDIR)$(PREFIX)/bin/jig-softgpu
	$(Q)rmdir $(DESTDIR)$(LIBDIR)/jig 2>/dev/null || true
.PHONY: softgpu install-softgpu uninstall-softgpu
