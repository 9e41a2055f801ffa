#include "spans.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"

/* ---- the watch */

enum { TOLD_WORDS = 8 };

const jig_type watch_type = {.kind = JIG_KIND_STRUCT,
                             .size = sizeof(watch),
                             .align = 8,
                             .name = "watch",
                             .definition =
                                 "struct watch {\n"
                                 "  uint32_t *told;\n"
                                 "  const uint8_t *heads;\n"
                                 "  uint64_t items;\n"
                                 "  static __noinline__ void note(uint32_t *told, uint32_t a, uint32_t "
                                 "b, uint32_t c, uint32_t d) {\n"
                                 "    if (atomicAdd(told, 1u) != 0) return;\n"
                                 "    const uint32_t words[] = {a, b, c, d, blockIdx.x, threadIdx.x};\n"
                                 "    for (int i = 0; i < 6; ++i) told[i + 1] = words[i];\n"
                                 "  }\n"
                                 "  void tell(uint32_t a, uint32_t b, uint32_t c, uint32_t d) const {\n"
                                 "    note(told, a, b, c, d);\n"
                                 "  }\n"
                                 "};\n"};

watch new_watch(uint64_t items) {
  static const uint32_t nothing[TOLD_WORDS];
  return (watch){gpu_copy(nothing, sizeof nothing, 0), NULL, items};
}

void check_watch(const watch *w, const char *what) {
  uint32_t told[TOLD_WORDS];
  gpu_read(told, w->told, sizeof told);
  gpu_free(w->told);
  if (told[0] == 0) return;
  ck_abort_msg(
      "%s: %u calls with what is no item; the first one in block %u, thread %u: [%u, %u) and [%u, "
      "%u)",
      what, told[0], told[5], told[6], told[1], told[2], told[3], told[4]);
}

jig_op watched(const char *body, const watch *w) {
  return jig_op_with_state(jig_op_source(body), w, watch_type);
}

/* ---- spans
 *
 * Up to 4 bytes: both places side by side; otherwise a word for each, then one for the run, then words
 * that follow from these. Nothing is stored as it is. What operators do at each of their calls is a
 * function of its own: inlined, it takes most of the time of building such programs. */

enum { KEY = 0x5a17c3e9 };

#define SPAN_TYPE(SIZE, ALIGN, WORD, WORDS, BITS)                                                        \
  {                                                                                                      \
    .kind = JIG_KIND_STRUCT, .size = SIZE, .align = ALIGN, .name = "span" #SIZE,                         \
    .definition =                                                                                        \
        "struct alignas(" #ALIGN ") span" #SIZE                                                          \
        " {\n"                                                                                           \
        "  " #WORD " w[" #WORDS                                                                          \
        "];\n"                                                                                           \
        "  static constexpr int words = " #WORDS ", bits = " #BITS                                       \
        ";\n"                                                                                            \
        "  static constexpr uint32_t mask = ~0u >> (32 - bits), key = 0x5a17c3e9, any_run = 0xffffff;\n" \
        "  static uint32_t mix(uint32_t x) { x = (x ^ x >> 16) * 0x7feb352d; return x ^ x >> 15; }\n"    \
        "  uint32_t begin() const { return (w[0] ^ key) & mask; }\n"                                     \
        "  uint32_t end() const { return words > 1 ? w[words > 1] ^ ~key : (w[0] ^ key) >> bits % 32 & " \
        "mask; }\n"                                                                                      \
        "  uint32_t run() const { return words > 2 ? w[words > 2 ? 2 : 0] ^ mix(begin() ^ mix(end())) "  \
        ": 0; }\n"                                                                                       \
        "  bool is_sound() const {\n"                                                                    \
        "    bool sound = run() <= any_run;\n"                                                           \
        "    for (int k = 3; k < words; ++k) sound = sound && w[k] == mix(w[k - 1] + k);\n"              \
        "    return sound;\n"                                                                            \
        "  }\n"                                                                                          \
        "  bool is_item() const { return is_sound() && (begin() + 1 & mask) == end(); }\n"               \
        "  uint32_t rank() const {\n"                                                                    \
        "    if (!is_item()) __trap();\n"                                                                \
        "    return mix(begin()) % 1000;\n"                                                              \
        "  }\n"                                                                                          \
        "  static __noinline__ bool adjoin(span" #SIZE " a, span" #SIZE                                  \
        " b) {\n"                                                                                        \
        "    return a.is_sound() && b.is_sound() && a.end() == b.begin() &&\n"                           \
        "           (a.run() == b.run() || a.run() == any_run) && b.run() != any_run;\n"                 \
        "  }\n"                                                                                          \
        "  bool adjoins(const span" #SIZE                                                                \
        " &b) const { return adjoin(*this, b); }\n"                                                      \
        "  static span" #SIZE                                                                            \
        " of(uint32_t begin, uint32_t end, uint32_t run) {\n"                                            \
        "    span" #SIZE                                                                                 \
        " s;\n"                                                                                          \
        "    if (words == 1) s.w[0] = (begin & mask | (end & mask) << bits % 32) ^ key;\n"               \
        "    else s.w[0] = begin ^ key, s.w[words > 1] = end ^ ~key;\n"                                  \
        "    if (words > 2) s.w[words > 2 ? 2 : 0] = run ^ mix(begin ^ mix(end));\n"                     \
        "    for (int k = 3; k < words; ++k) s.w[k] = mix(s.w[k - 1] + k);\n"                            \
        "    return s;\n"                                                                                \
        "  }\n"                                                                                          \
        "};\n"                                                                                           \
  }

const jig_type span_types[SPAN_TYPES] = {
    SPAN_TYPE(1, 1, uint8_t, 1, 4),    SPAN_TYPE(2, 2, uint16_t, 1, 8),
    SPAN_TYPE(4, 4, uint32_t, 1, 16),  SPAN_TYPE(8, 4, uint32_t, 2, 32),
    SPAN_TYPE(12, 4, uint32_t, 3, 32), SPAN_TYPE(16, 16, uint32_t, 4, 32),
    SPAN_TYPE(40, 8, uint32_t, 10, 32)};

static uint32_t mix(uint32_t x) {
  x = (x ^ x >> 16) * 0x7feb352d;
  return x ^ x >> 15;
}

uint64_t span_places(jig_type type) {
  return (uint64_t)1 << (type.size <= 4 ? 4 * type.size : 32);
}

void put_span(jig_type type, void *items, size_t i, span s) {
  uint32_t words[10] = {s.begin ^ KEY, s.end ^ ~(uint32_t)KEY, s.run ^ mix(s.begin ^ mix(s.end))};
  for (uint32_t k = 3; k < 10; ++k) words[k] = mix(words[k - 1] + k);
  if (type.size <= 4) {
    const uint32_t mask = (uint32_t)(span_places(type) - 1);
    words[0] = ((s.begin & mask) | (s.end & mask) << 4 * type.size) ^ KEY;
  }
  memcpy((unsigned char *)items + i * type.size, words, type.size); /* little-endian, as the GPU */
}

void *new_spans(jig_type type, size_t count) {
  void *items = malloc(count * type.size + 1);
  for (size_t i = 0; i < count; ++i) {
    const uint32_t begin = SPAN_FIRST + (uint32_t)i;
    put_span(type, items, i, (span){begin, begin + 1, 0});
  }
  return items;
}

/* ---- operators */

/* What comes of a wrong call is no span either. */
const char span_fold[] =
    "if (a.adjoins(b)) return a.of(a.begin(), b.end(), b.run());\n"
    "state.tell(a.begin(), a.end(), b.begin(), b.end());\n"
    "a.w[0] ^= 0x55;\n"
    "return a;\n";

const char span_equality[] =
    "if (a.is_item() && b.is_item() && a.end() == b.begin()) return !state.heads[b.begin() & 0xffff];\n"
    "state.tell(a.begin(), a.end(), b.begin(), b.end());\n"
    "return false;\n";

#define UNLESS_ITEM(RESULT)                   \
  "if (!x.is_item()) {\n"                     \
  "  state.tell(x.begin(), x.end(), 0, 0);\n" \
  "  return " RESULT                          \
  ";\n"                                       \
  "}\n"
const char span_test[] = UNLESS_ITEM("false") "return x.begin() % 3 == 0;\n";
const char span_other_test[] = UNLESS_ITEM("false") "return x.begin() % 4 == 1;\n";
const char span_identity[] = UNLESS_ITEM("x") "return x;\n";
const char span_stored[] =
    "if (!x.is_sound()) state.tell(x.begin(), x.end(), 0, 0);\n"
    "return x;\n";
const char span_less[] =
    "if (a.is_item() && b.is_item()) return a.rank() < b.rank();\n"
    "state.tell(a.begin(), a.end(), b.begin(), b.end());\n"
    "return false;\n";
const char span_decomposer[] = "x.rank()";

static uint32_t begin_of(jig_type type, size_t i) {
  return (uint32_t)((SPAN_FIRST + i) & (span_places(type) - 1));
}
bool span_passes(jig_type type, size_t i) {
  return begin_of(type, i) % 3 == 0;
}
bool span_passes_other(jig_type type, size_t i) {
  return begin_of(type, i) % 4 == 1;
}
uint32_t span_rank(jig_type type, size_t i) {
  return mix(begin_of(type, i)) % 1000;
}

jig_iter span_source(jig_type type, const watch *w) {
  static char bodies[SPAN_TYPES][160];
  for (int i = 0; i < SPAN_TYPES; ++i)
    (void)snprintf(bodies[i], sizeof bodies[i],
                   "if (i >= state.items) state.tell(uint32_t(i), 0, 0, 0);\n"
                   "return %s::of(%d + uint32_t(i), %d + uint32_t(i), 0);\n",
                   span_types[i].name, SPAN_FIRST, SPAN_FIRST + 1);
  int i = 0;
  while (span_types[i].size != type.size) ++i;
  return jig_iter_source(watched(bodies[i], w), type);
}
