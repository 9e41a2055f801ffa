/* The fundamental types, their names and sizes. */
#include <string.h>

#include "ptx/ptx.h"

static const struct {
  const char *name;
  int size;
} types[] = {
    [TYPE_NONE] = {"", 0},         [TYPE_PRED] = {"pred", 0},     [TYPE_B8] = {"b8", 1},
    [TYPE_B16] = {"b16", 2},       [TYPE_B32] = {"b32", 4},       [TYPE_B64] = {"b64", 8},
    [TYPE_B128] = {"b128", 16},    [TYPE_U8] = {"u8", 1},         [TYPE_U16] = {"u16", 2},
    [TYPE_U32] = {"u32", 4},       [TYPE_U64] = {"u64", 8},       [TYPE_S8] = {"s8", 1},
    [TYPE_S16] = {"s16", 2},       [TYPE_S32] = {"s32", 4},       [TYPE_S64] = {"s64", 8},
    [TYPE_F16] = {"f16", 2},       [TYPE_F32] = {"f32", 4},       [TYPE_F64] = {"f64", 8},
    [TYPE_BF16] = {"bf16", 2},     [TYPE_F16X2] = {"f16x2", 4},   [TYPE_BF16X2] = {"bf16x2", 4},
    [TYPE_U16X2] = {"u16x2", 4},   [TYPE_S16X2] = {"s16x2", 4},   [TYPE_F32X2] = {"f32x2", 8},
    [TYPE_TF32] = {"tf32", 4},     [TYPE_E4M3] = {"e4m3", 1},     [TYPE_E5M2] = {"e5m2", 1},
    [TYPE_E4M3X2] = {"e4m3x2", 2}, [TYPE_E5M2X2] = {"e5m2x2", 2},
};
#define TYPE_COUNT (sizeof(types) / sizeof(types)[0])

ptx_type ptx_type_of(const char *name) {
  for (size_t i = 1; i < TYPE_COUNT; ++i)
    if (strcmp(types[i].name, name) == 0) return (ptx_type)i;
  return TYPE_NONE;
}

const char *ptx_type_name(ptx_type type) {
  return (size_t)type < TYPE_COUNT ? types[type].name : "";
}

int ptx_type_size(ptx_type type) {
  return (size_t)type < TYPE_COUNT ? types[type].size : 0;
}
