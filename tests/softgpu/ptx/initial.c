/* Initial values of variables. */
#include <string.h>

#include "ptx/parser.h"

#define MOST_INITIAL_BYTES ((uint64_t)256 << 20)

typedef struct initialiser {
  ptx_variable *variable;
  const uint64_t *dimensions;
  size_t rank;
  uint64_t limit; /* bytes; 0: as many as there are */
  uint8_t *bytes;
  uint64_t capacity, used;
} initialiser;

/* Room for an element at this offset. */
static uint8_t *place(ptx_parser *p, initialiser *init, uint64_t offset, uint64_t size) {
  uint64_t end = offset + size;
  if (init->limit != 0 && end > init->limit) ptx_fail(p, "too many initial values");
  if (end > MOST_INITIAL_BYTES) ptx_fail(p, "the initial value is too large");
  if (end > init->capacity) {
    uint64_t capacity = end < 32 ? 64 : end * 2;
    uint8_t *more = ptx_new(p, (size_t)capacity, 1);
    if (init->used != 0) memcpy(more, init->bytes, (size_t)init->used);
    init->bytes = more;
    init->capacity = capacity;
  }
  if (end > init->used) init->used = end;
  return init->bytes + offset;
}

/* The bits a constant has in an element of this type. Untyped elements take the bits of either kind. */
static uint64_t bits_of(ptx_parser *p, ptx_type type, ptx_constant c) {
  bool is_real = type == TYPE_F32 || type == TYPE_F64;
  bool is_untyped = type == TYPE_B32 || type == TYPE_B64;
  bool is_other = type >= TYPE_F16 && !is_real; /* .f16 and what has no arithmetic */
  uint64_t bits;
  if (is_other) ptx_fail(p, "a .%s cannot have an initial value", ptx_type_name(type));
  if (!is_untyped && c.is_float != is_real)
    ptx_fail(p, "an initial value that is no .%s", ptx_type_name(type));
  if (!c.is_float) return (uint64_t)c.integer;
  if (ptx_type_size(type) == 4) return c.f32_bits;
  memcpy(&bits, &c.real, sizeof bits);
  return bits;
}

/* symbol, generic(symbol), and what is added. */
static void parse_symbol(ptx_parser *p, ptx_relocation *relocation) {
  relocation->symbol = ptx_expect_word(p, "a variable or function");
  if (strcmp(relocation->symbol, "generic") == 0 && ptx_accept(p, '(')) {
    relocation->generic = true;
    relocation->symbol = ptx_expect_word(p, "a variable or function");
    if (ptx_is(p, '+')) relocation->addend = ptx_integer_expression(p);
    ptx_expect(p, ')');
  }
  if (ptx_is(p, '+')) {
    uint64_t more = (uint64_t)ptx_integer_expression(p);
    relocation->addend = (int64_t)((uint64_t)relocation->addend + more);
  }
}

/* 0xff00 says: the second byte. */
static void set_mask(ptx_parser *p, ptx_relocation *relocation, uint64_t mask) {
  for (int shift = 0; shift < 64; shift += 8)
    if (mask == (uint64_t)0xff << shift) {
      relocation->shift = shift;
      relocation->size = 1;
      return;
    }
  ptx_fail(p, "a mask that is not one byte");
}

static void add_relocation(ptx_parser *p, initialiser *init, const ptx_relocation *relocation) {
  ptx_variable *v = init->variable;
  v->relocations = ptx_grow(p, v->relocations, v->relocation_count, sizeof *v->relocations);
  v->relocations[v->relocation_count++] = *relocation;
}

/* One element: a constant, or an address, or with a mask a byte of one. */
static void parse_element(ptx_parser *p, initialiser *init, uint64_t offset) {
  ptx_type type = init->variable->type;
  int size = ptx_type_size(type);
  ptx_relocation relocation = {.offset = offset, .size = size};
  uint8_t *at = place(p, init, offset, (uint64_t)size);
  if (p->token.kind == TOKEN_WORD && strcmp(p->token.name, "WARP_SZ") != 0) {
    if (strcmp(p->token.name, "mask") == 0 && *p->at == '(') {
      ptx_next(p);
      ptx_next(p);
      set_mask(p, &relocation, ptx_number(p, UINT64_MAX));
      ptx_expect(p, ',');
      parse_symbol(p, &relocation);
      ptx_expect(p, ')');
    } else {
      parse_symbol(p, &relocation);
      if (size < 4) ptx_fail(p, "an address does not fit into a .%s", ptx_type_name(type));
    }
    if (relocation.size > 8) relocation.size = 8;
    add_relocation(p, init, &relocation);
    return;
  }
  ptx_constant c = ptx_constant_expression(p);
  if (!c.is_float && ptx_accept(p, '(')) { /* 0xff00(symbol): as mask(0xff00, symbol) */
    set_mask(p, &relocation, (uint64_t)c.integer);
    parse_symbol(p, &relocation);
    ptx_expect(p, ')');
    add_relocation(p, init, &relocation);
    return;
  }
  uint64_t bits = bits_of(p, type, c);
  memcpy(at, &bits, (size_t)(size < 8 ? size : 8));
}

/* room: the bytes there are for it, 0: as many as it needs. Returns how many those are. */
static uint64_t parse_string(ptx_parser *p, initialiser *init, uint64_t offset, uint64_t room) {
  size_t length = p->token.length;
  if (ptx_type_size(init->variable->type) != 1) ptx_fail(p, "a string is for bytes");
  if (room != 0 && length > room) ptx_fail(p, "a string that is too long");
  if (room == 0 || length < room) ++length; /* its NUL, if that has a place */
  memcpy(place(p, init, offset, length), p->token.name, length);
  ptx_next(p);
  return length;
}

/* Bytes of what one pair of braces at this level holds; 0: as much as there is. */
static uint64_t bytes_at(const initialiser *init, size_t level) {
  uint64_t bytes = (uint64_t)ptx_type_size(init->variable->type);
  for (size_t i = level; i < init->rank; ++i) bytes *= init->dimensions[i];
  return bytes;
}

/* {...} of an array of level's dimension, at offset. Inner braces may be left out, as in C. */
static void parse_braces(ptx_parser *p, initialiser *init, size_t level, uint64_t offset) {
  uint64_t whole = bytes_at(init, level);
  uint64_t inner = level < init->rank ? bytes_at(init, level + 1) : whole;
  uint64_t size = (uint64_t)ptx_type_size(init->variable->type), used = 0;
  ptx_enter(p);
  ptx_expect(p, '{');
  while (!ptx_is(p, '}')) {
    if (whole != 0 && used >= whole) ptx_fail(p, "too many initial values");
    if (ptx_is(p, '{')) {
      if (used % inner != 0) ptx_fail(p, "braces in the middle of a row");
      parse_braces(p, init, level + 1, offset + used);
      used += inner;
    } else if (p->token.kind == TOKEN_STRING) {
      bool is_row = inner > size;
      uint64_t length = parse_string(p, init, offset + used,
                                     is_row       ? inner
                                     : whole != 0 ? whole - used
                                                  : 0);
      used += is_row ? inner : length;
    } else {
      parse_element(p, init, offset + used);
      used += size;
    }
    if (!ptx_accept(p, ',')) break;
  }
  ptx_expect(p, '}');
  if (whole == 0 && used % inner != 0) used += inner - used % inner;
  if (whole == 0 && used != 0) (void)place(p, init, offset, used);
  ptx_leave(p);
}

void ptx_parse_initial(ptx_parser *p, ptx_variable *variable, const uint64_t *dimensions, size_t rank) {
  initialiser init = {variable, dimensions, rank, .limit = variable->size};
  if (ptx_is(p, '{')) {
    parse_braces(p, &init, 0, 0);
  } else if (p->token.kind == TOKEN_STRING) {
    (void)parse_string(p, &init, 0, init.limit);
  } else {
    if (rank != 0) ptx_unexpected(p, "'{'");
    parse_element(p, &init, 0);
  }
  if (variable->size == 0) variable->size = init.used;
  if (variable->size == 0) ptx_fail(p, "'%s' has no length", variable->name);
  if (variable->size > MOST_INITIAL_BYTES) ptx_fail(p, "the initial value is too large");
  variable->initial = ptx_new(p, (size_t)variable->size, 1);
  if (init.used != 0) memcpy(variable->initial, init.bytes, (size_t)init.used);
}
