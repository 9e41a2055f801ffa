/* The entry codec: what is encoded comes back, and nothing else is taken for an entry. */
#include <stdlib.h>
#include <string.h>

#include "store/entry.h"
#include "store_support.h"

enum { HEADER = 88 };
static const hash128 key = {.low = 0x1122334455667788u, .high = 0x99aabbccddeeff00u};

static entry make_entry(const char *record, const char *meta, const void *payload, size_t size,
                        payload_kind kind) {
  return (entry){.record = (char *)(uintptr_t)record,
                 .meta = (char *)(uintptr_t)meta,
                 .payload = (unsigned char *)(uintptr_t)payload,
                 .payload_size = size,
                 .kind = kind};
}

static unsigned char *encode_small(size_t *size) {
  entry e = make_entry("{\"r\":1}", "{}",
                       "\x7f"
                       "ELF",
                       4, PAYLOAD_CUBIN);
  unsigned char *bytes = entry_encode(&e, key, size);
  ck_assert_ptr_nonnull(bytes);
  return bytes;
}

static const char *decode(const unsigned char *bytes, size_t size) {
  entry e;
  hash128 found;
  const char *fault = entry_decode(bytes, size, &e, &found);
  if (fault != NULL) {
    ck_assert(e.record == NULL && e.meta == NULL && e.payload == NULL && e.payload_size == 0);
  }
  entry_free(&e);
  return fault;
}

/* Puts a number into the bytes and makes all hashes right again, so that only the number is wrong. */
static void patch(unsigned char *bytes, size_t size, size_t offset, int width, uint64_t value) {
  for (int i = 0; i < width; ++i) bytes[offset + (size_t)i] = (unsigned char)(value >> (8 * i));
  hash128 body = hash_bytes(bytes + HEADER, size - HEADER);
  for (size_t i = 0; i < 8; ++i) {
    bytes[64 + i] = (unsigned char)(body.low >> (8 * i));
    bytes[72 + i] = (unsigned char)(body.high >> (8 * i));
  }
  uint64_t header = XXH3_64bits(bytes, 80);
  for (size_t i = 0; i < 8; ++i) bytes[80 + i] = (unsigned char)(header >> (8 * i));
}

static void check_patched(size_t offset, int width, uint64_t value, const char *fault) {
  size_t size;
  unsigned char *bytes = encode_small(&size);
  patch(bytes, size, offset, width, value);
  ck_assert_str_eq(decode(bytes, size), fault);
  free(bytes);
}

static void check_round_trip(const char *record, const char *meta, const void *payload,
                             size_t payload_size, payload_kind kind) {
  entry e = make_entry(record, meta, payload, payload_size, kind), back;
  size_t size;
  unsigned char *bytes = entry_encode(&e, key, &size);
  ck_assert_ptr_nonnull(bytes);
  ck_assert_uint_eq(size, HEADER + strlen(record) + strlen(meta) + payload_size);
  hash128 found;
  ck_assert_ptr_null(entry_decode(bytes, size, &back, &found));
  ck_assert(hash_equal(found, key));
  ck_assert_str_eq(back.record, record);
  ck_assert_str_eq(back.meta, meta);
  ck_assert_uint_eq(back.payload_size, payload_size);
  ck_assert(memcmp(back.payload, payload, payload_size) == 0);
  ck_assert_int_eq((int)back.kind, (int)kind);
  ck_assert_str_eq(back.compiler, "");
  entry_free(&back);
  free(bytes);
}

START_TEST(test_round_trip) {
  check_round_trip("{\"spec\":{}}", "{\"arch\":\"sm_90\"}", "\0\1\2\0", 4, PAYLOAD_CUBIN);
  check_round_trip("{\"spec\":{}}", "", "cubin", 5, PAYLOAD_CUBIN);
  check_round_trip("", "", "", 0, PAYLOAD_CUBIN);
  check_round_trip("r", "m", ".version 8.0\n", sizeof ".version 8.0\n", PAYLOAD_PTX);
  size_t large = 3000001;
  unsigned char *payload = calloc(large, 1);
  ck_assert_ptr_nonnull(payload);
  payload[large - 1] = 7;
  check_round_trip("r", "m", payload, large, PAYLOAD_CUBIN);
  free(payload);
}
END_TEST

/* A change that old caches would not survive must be a new format. */
START_TEST(test_golden_bytes) {
  static const unsigned char golden[] = {
      0x4a, 0x49, 0x47, 0x43, 0x41, 0x43, 0x48, 0x45, 0x01, 0x00, 0x00, 0x00, 0x58, 0x00, 0x00,
      0x00, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 0x00, 0xff, 0xee, 0xdd, 0xcc, 0xbb,
      0xaa, 0x99, 0x07, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00,
      0x00, 0x00, 0x00, 0x04, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00,
      0x00, 0x00, 0x00, 0x00, 0x53, 0x19, 0x98, 0x04, 0x09, 0xea, 0x41, 0xf0, 0xca, 0xe6, 0x23,
      0x19, 0x3c, 0x20, 0x7e, 0x51, 0xcb, 0x4a, 0x08, 0x23, 0xe5, 0x1a, 0xb4, 0x97, 0x7b, 0x22,
      0x72, 0x22, 0x3a, 0x31, 0x7d, 0x7b, 0x7d, 0x7f, 0x45, 0x4c, 0x46,
  };
  size_t size;
  unsigned char *bytes = encode_small(&size);
  ck_assert_uint_eq(size, sizeof golden);
  ck_assert_mem_eq(bytes, golden, size);
  free(bytes);
}
END_TEST

/* Each in a block of exactly its size, so that a sanitizer sees any step beyond it. */
START_TEST(test_every_truncation_is_rejected) {
  size_t size;
  unsigned char *bytes = encode_small(&size);
  for (size_t shorter = 0; shorter < size; ++shorter) {
    unsigned char *cut = malloc(shorter > 0 ? shorter : 1);
    ck_assert_ptr_nonnull(cut);
    memcpy(cut, bytes, shorter);
    ck_assert_str_eq(decode(cut, shorter), "truncated");
    free(cut);
  }
  free(bytes);
}
END_TEST

START_TEST(test_every_bit_flip_is_rejected) {
  size_t size;
  unsigned char *bytes = encode_small(&size);
  for (size_t bit = 0; bit < 8 * size; ++bit) {
    bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    ck_assert_msg(decode(bytes, size) != NULL, "bit %zu", bit);
    bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
  }
  ck_assert_ptr_null(decode(bytes, size));
  free(bytes);
}
END_TEST

START_TEST(test_trailing_byte_is_rejected) {
  size_t size;
  unsigned char *bytes = encode_small(&size);
  bytes = realloc(bytes, size + 1);
  ck_assert_ptr_nonnull(bytes);
  bytes[size] = 0;
  ck_assert_str_eq(decode(bytes, size + 1), "trailing bytes");
  free(bytes);
}
END_TEST

START_TEST(test_wrong_fields_are_told_apart) {
  check_patched(0, 1, 'j', "not a jig cache entry");
  check_patched(8, 4, 2, "unknown format");
  check_patched(8, 4, 0, "unknown format");
  check_patched(12, 4, 96, "wrong header size");
  check_patched(56, 4, 0, "unknown payload kind");
  check_patched(56, 4, 3, "unknown payload kind");
  check_patched(56, 4, PAYLOAD_PTX, "PTX without its final NUL");
  check_patched(60, 4, 1, "reserved field in use");
  check_patched(HEADER + 2, 1, 0, "NUL in the record");
  check_patched(HEADER + 8, 1, 0, "NUL in the meta data");
}
END_TEST

START_TEST(test_damage_is_told_apart) {
  size_t size;
  unsigned char *bytes = encode_small(&size);
  bytes[20] ^= 1;
  ck_assert_str_eq(decode(bytes, size), "damaged header");
  bytes[20] ^= 1;
  bytes[HEADER] ^= 1;
  ck_assert_str_eq(decode(bytes, size), "damaged body");
  free(bytes);
}
END_TEST

START_TEST(test_impossible_sizes) {
  const uint64_t gib = (uint64_t)1 << 30;
  for (size_t field = 32; field <= 48; field += 8) {
    check_patched(field, 8, UINT64_MAX, "impossible sizes");
    check_patched(field, 8, (uint64_t)1 << 63, "impossible sizes");
    check_patched(field, 8, (uint64_t)1 << 32, "impossible sizes");
    check_patched(field, 8, gib + 1, "impossible sizes");
    check_patched(field, 8, gib, "impossible sizes");
    check_patched(field, 8, gib - 200, "truncated");
  }
}
END_TEST

/* Sizes of which the sum, modulo 2^64, is that of the bytes which are there. */
START_TEST(test_sizes_that_wrap_around) {
  size_t size;
  unsigned char *bytes = encode_small(&size);
  patch(bytes, size, 32, 8, UINT64_MAX);
  patch(bytes, size, 40, 8, size - HEADER - 4 + 1);
  ck_assert_str_eq(decode(bytes, size), "impossible sizes");
  patch(bytes, size, 32, 8, (uint64_t)1 << 63);
  patch(bytes, size, 48, 8, (uint64_t)1 << 63);
  ck_assert_str_eq(decode(bytes, size), "impossible sizes");
  free(bytes);
}
END_TEST

START_TEST(test_encode_refuses_what_decode_would) {
  size_t size = 42;
  entry unknown = make_entry("r", "m", "x", 1, (payload_kind)7);
  ck_assert_ptr_null(entry_encode(&unknown, key, &size));
  entry unterminated = make_entry("r", "m", "x", 1, PAYLOAD_PTX);
  ck_assert_ptr_null(entry_encode(&unterminated, key, &size));
  entry empty = make_entry("r", "m", NULL, 0, PAYLOAD_PTX);
  ck_assert_ptr_null(entry_encode(&empty, key, &size));
  entry large = make_entry("r", "m", "x", (size_t)1 << 30, PAYLOAD_CUBIN);
  ck_assert_ptr_null(entry_encode(&large, key, &size));
  large.payload_size = SIZE_MAX;
  ck_assert_ptr_null(entry_encode(&large, key, &size));
  ck_assert_uint_eq(size, 42);
}
END_TEST

START_TEST(test_any_alignment) {
  size_t size;
  unsigned char *bytes = encode_small(&size);
  unsigned char *shifted = malloc(size + 8);
  ck_assert_ptr_nonnull(shifted);
  for (size_t shift = 0; shift < 8; ++shift) {
    memcpy(shifted + shift, bytes, size);
    ck_assert_ptr_null(decode(shifted + shift, size));
  }
  free(shifted);
  free(bytes);
}
END_TEST

START_TEST(test_free_is_repeatable) {
  entry e = {0};
  entry_free(&e);
  entry_free(&e);
}
END_TEST

static void fill(TCase *tests) {
  tcase_add_test(tests, test_round_trip);
  tcase_add_test(tests, test_golden_bytes);
  tcase_add_test(tests, test_every_truncation_is_rejected);
  tcase_add_test(tests, test_every_bit_flip_is_rejected);
  tcase_add_test(tests, test_trailing_byte_is_rejected);
  tcase_add_test(tests, test_wrong_fields_are_told_apart);
  tcase_add_test(tests, test_damage_is_told_apart);
  tcase_add_test(tests, test_impossible_sizes);
  tcase_add_test(tests, test_sizes_that_wrap_around);
  tcase_add_test(tests, test_encode_refuses_what_decode_would);
  tcase_add_test(tests, test_any_alignment);
  tcase_add_test(tests, test_free_is_repeatable);
}

int main(void) {
  return run_suite("entry", fill, 30);
}
