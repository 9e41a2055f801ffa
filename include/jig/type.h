/** Value types: what items, accumulators and operator states are made of. */
#ifndef JIG_TYPE_H
#define JIG_TYPE_H

#include <stddef.h>
#include <stdint.h>

#include <jig/version.h>

/** Every built-in type: enumerator, name in specs and on the command line, C++ name, size = alignment. */
#define JIG_TYPE_MAP(X)                          \
  X(JIG_KIND_I8, "i8", "int8_t", 1)              \
  X(JIG_KIND_I16, "i16", "int16_t", 2)           \
  X(JIG_KIND_I32, "i32", "int32_t", 4)           \
  X(JIG_KIND_I64, "i64", "int64_t", 8)           \
  X(JIG_KIND_I128, "i128", "jig::int128_t", 16)  \
  X(JIG_KIND_U8, "u8", "uint8_t", 1)             \
  X(JIG_KIND_U16, "u16", "uint16_t", 2)          \
  X(JIG_KIND_U32, "u32", "uint32_t", 4)          \
  X(JIG_KIND_U64, "u64", "uint64_t", 8)          \
  X(JIG_KIND_U128, "u128", "jig::uint128_t", 16) \
  X(JIG_KIND_F16, "f16", "jig::f16", 2)          \
  X(JIG_KIND_BF16, "bf16", "jig::bf16", 2)       \
  X(JIG_KIND_F32, "f32", "float", 4)             \
  X(JIG_KIND_F64, "f64", "double", 8)            \
  X(JIG_KIND_BOOL, "bool", "bool", 1)

JIG_BEGIN_DECLS

/** What a type is. */
typedef enum jig_type_kind {
  JIG_KIND_NONE = 0, /**< no type given: the documented default applies */
#define JIG_TYPE_ENUM(kind, name, cxx, size) kind,
  JIG_TYPE_MAP(JIG_TYPE_ENUM)
#undef JIG_TYPE_ENUM
      JIG_KIND_STRUCT,
  JIG_KIND_OPAQUE
} jig_type_kind;
JIG_INT_SIZED(jig_type_kind);

/** A value type. Make one with the JIG_* values below, jig_struct() or jig_opaque(). */
typedef struct jig_type {
  jig_type_kind kind;
  uint32_t size;  /**< bytes */
  uint32_t align; /**< bytes, a power of two */
  uint32_t reserved32;
  const char *name;       /**< a struct's name in device code; borrowed */
  const char *definition; /**< C++ source that defines it; borrowed */
  uint64_t reserved[2];
} jig_type;

/** The built-in types: see JIG_TYPE_MAP. */
#define JIG_BUILTIN_TYPE(kind, size) JIG_LITERAL(jig_type, kind, size, size, 0, NULL, NULL, {0, 0})
#define JIG_I8 JIG_BUILTIN_TYPE(JIG_KIND_I8, 1)
#define JIG_I16 JIG_BUILTIN_TYPE(JIG_KIND_I16, 2)
#define JIG_I32 JIG_BUILTIN_TYPE(JIG_KIND_I32, 4)
#define JIG_I64 JIG_BUILTIN_TYPE(JIG_KIND_I64, 8)
#define JIG_I128 JIG_BUILTIN_TYPE(JIG_KIND_I128, 16)
#define JIG_U8 JIG_BUILTIN_TYPE(JIG_KIND_U8, 1)
#define JIG_U16 JIG_BUILTIN_TYPE(JIG_KIND_U16, 2)
#define JIG_U32 JIG_BUILTIN_TYPE(JIG_KIND_U32, 4)
#define JIG_U64 JIG_BUILTIN_TYPE(JIG_KIND_U64, 8)
#define JIG_U128 JIG_BUILTIN_TYPE(JIG_KIND_U128, 16)
#define JIG_F16 JIG_BUILTIN_TYPE(JIG_KIND_F16, 2)   /**< IEEE binary16; jig::f16 in device code */
#define JIG_BF16 JIG_BUILTIN_TYPE(JIG_KIND_BF16, 2) /**< the upper half of an f32; jig::bf16 */
#define JIG_F32 JIG_BUILTIN_TYPE(JIG_KIND_F32, 4)
#define JIG_F64 JIG_BUILTIN_TYPE(JIG_KIND_F64, 8)
#define JIG_BOOL JIG_BUILTIN_TYPE(JIG_KIND_BOOL, 1) /**< one byte, 0 or 1 */

/**
 * A trivially copyable and default-constructible struct of up to 4096 bytes; 256 of what is folded.
 *
 * @param name       its name in device code, such as "hit" or "geo::hit"; no keyword of C++17, nothing
 *                   that CUDA has something else by, as min, and nothing that begins with "jig". Names
 *                   with two underscores, or with one and a capital behind it, are the compiler's, as in
 *                   all C++: they may clash with its own. In a body "a", "x", "state" and the like are
 *                   the operands: a struct of that name is ::a there
 * @param definition C++ source that defines it, such as "struct hit { float distance; int id; };". May
 *                   define more than that. The integer names of <stdint.h> and the names in jig/type.h
 *                   are there; it may include headers of the engine, see jig_header.
 * @param size       sizeof it on the host, in bytes
 * @param align      its alignment on the host, in bytes
 *
 * The strings are borrowed for the duration of each call that uses the type. A size or alignment that the
 * definition does not have makes the build fail with JIG_ERROR_TYPE_MISMATCH. Other errors in a
 * definition are reported like those in an operator, at their place: see jig_op_source(). So is a name
 * that is a keyword only in the C++20 that a compile option asks for, as "requires".
 *
 * Structs of one call may contain each other. Each text comes after those that declare what it mentions,
 * and what several texts declare alike, token by token, is there once: a type, a function, a constant. So
 * with jig_struct("vec3", "struct vec3 { float x, y, z; };", 12, 4), the text of a struct of vec3s may
 * repeat the definition of vec3 or leave it out. Two definitions of one name that differ are
 * JIG_ERROR_INVALID_ARGUMENT; jig_last_error() shows both places. Macros are not looked into, and what is
 * within an #if is taken out only where another text has it outside of any.
 *
 * A text's macros stay, for the operators of the call and for what jig writes around these. So one called
 * as a built-in type or a word of one (float, bool, unsigned, int32_t, size_t, f16, ...), as a keyword
 * of C++17 (true, inline, sizeof(x), ...) or as an operand is JIG_ERROR_COMPILE unless the text ends it
 * by #undef. So it is with headers, and with texts that jig_op_function() takes. Options that define a
 * built-in type, true or false are refused.
 *
 * Complex numbers, for instance, are jig_struct("c64", "struct c64 { float re, im; };", 8, 4), with
 * operators such as jig_op_commutative(jig_op_source("return {a.re + b.re, a.im + b.im};")).
 */
JIG_API jig_type jig_struct(const char *name, const char *definition, size_t size, size_t align);

/**
 * Bytes of which jig knows nothing but how many there are, 1 to 4096, and how they are aligned: for
 * operators that jig_op_by_pointer() calls, where items are what another compiler says they are.
 *
 * @param size  in bytes, a multiple of align
 * @param align in bytes, a power of two
 */
JIG_API jig_type jig_opaque(size_t size, size_t align);

/** The built-in type of that kind: JIG_F32 is jig_type_of_kind(JIG_KIND_F32), and so on; for callers that
 * have no C macros. Kind JIG_KIND_NONE for any other kind. */
JIG_API jig_type jig_type_of_kind(jig_type_kind kind);

/** The built-in type of that name ("f32", ...); kind JIG_KIND_NONE if there is none: look at it, as calls
 * take that for a type that is left out, where they have a default. */
JIG_API jig_type jig_type_from_name(const char *name);

/** The type's name: "f32", "opaque", or a struct's own; "none" for NULL, and for what is no type. Static
 * or borrowed from the type. */
JIG_API const char *jig_type_name(const jig_type *type);

JIG_END_DECLS

#endif
