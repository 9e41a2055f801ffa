/* Programs of which every thread leaves one word. */
#include <stdio.h>
#include <stdlib.h>

#include "ptx_support.h"

enum { MAX_TEXT = 32768 };

uint32_t ptx_word(unsigned index) {
  return index * 0x9e3779b9U + 0x1234567U;
}

static void run_row(const char *test, const ptx_thread_row *row, const uint32_t *in) {
  const size_t count = (size_t)row->blocks * row->threads;
  char *text = malloc(MAX_TEXT);
  uint32_t *out = malloc(count * sizeof *out), *wanted = malloc(count * sizeof *wanted);
  const int length = snprintf(
      text, MAX_TEXT,
      ".version %s\n.target sm_90\n.address_size 64\n.shared .align 128 .b32 words[1024];\n%s%s%s\n%s",
      row->version != NULL ? row->version : "8.0", row->declarations != NULL ? row->declarations : "",
      PTX_ENTRY
      "shl.b32 %r31, %t, 2;\nmov.u32 %r30, words;\nadd.u32 %r31, %r31, %r30;\nmov.u32 %r29, %ntid.x;\n",
      row->text, "st.global.u32 [%po], %r0;\n" PTX_END);
  ck_assert_int_lt(length, MAX_TEXT);
  const ptx_program p = {.test = test,
                         .name = row->name,
                         .text = text,
                         .blocks = row->blocks,
                         .threads = row->threads,
                         .cluster = row->cluster,
                         .in = in,
                         .in_bytes = PTX_WORDS * sizeof *in,
                         .out = out,
                         .out_bytes = count * sizeof *out,
                         .n = (uint32_t)count,
                         .varies = row->varies};
  if (ptx_run(&p)) {
    for (size_t i = 0; i < count; ++i)
      wanted[i] = row->wanted(row, (unsigned)(i / row->threads), (unsigned)(i % row->threads));
    ptx_same(row->name, out, wanted, count);
  }
  free(text);
  free(out);
  free(wanted);
}

void ptx_thread_rows(const char *test, const ptx_thread_row *rows, size_t count) {
  uint32_t *in = malloc(PTX_WORDS * sizeof *in);
  for (unsigned i = 0; i < PTX_WORDS; ++i) in[i] = ptx_word(i);
  for (size_t r = 0; r < count; ++r) run_row(test, &rows[r], in);
  free(in);
  ptx_end();
}
