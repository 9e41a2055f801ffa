# The examples; included by the Makefile, whose variables it uses. Every tools/examples/*.c is a program. It is
# linked with the archive, which shows no more names than the shared library, so that it runs from where it is;
# and with the toolkit's stand-in for the driver, so that it is built where there is no driver, too.
EXAMPLES := $(patsubst tools/examples/%.c,$(BUILD)/examples/%,$(wildcard tools/examples/*.c))

$(EXAMPLES): $(BUILD)/examples/%: $(BUILD)/obj/tools/examples/%.o $(BUILD)/libjig.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(SANITIZE) $(LDFLAGS) -o $@ $^ $(CUDA_HOME)/lib64/stubs/libcuda.so $(LIBS) -lm

## examples: small programs to copy from, build/examples/*
examples: $(EXAMPLES)
.PHONY: examples
