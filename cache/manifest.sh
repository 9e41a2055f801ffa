#!/bin/bash
# Prints the manifest of what `make prewarm` compiles: the calls that everybody makes, with built-in types and
# operators, a line for each program as `jig prewarm` reads it.
#
# What shares a program is here once (src/spec/shared.h): sums of u32 are those of i32, items that are only moved
# are the unsigned integers of their size, keys of radix sorts are integers or floating-point numbers of a size.
# A test sees to it that no two lines are one program, and that no algorithm is left out.
set -eu

# A line for each of what braces expand to: all sums
all() { printf '%s\n' "$@"; }

echo '# reduce: sums, also in wider types; extrema; others; with an init by value'
all "reduce in="{i32,i64,f16,bf16,f32,f64,i8,u8,i16,u16}
all "reduce in="{i8,u8,i16,u16,i32,u32,bool}" out=i64" "reduce in="{f16,bf16}" out=f32" "reduce in=f32 out=f64" \
  "reduce in=bool out=i32"
all "reduce op="{min,max}" in="{u8,i32,u32,i64,u64,f16,bf16,f32,f64}
all "reduce op=multiplies in="{i32,i64,f32,f64} "reduce op="{bit_and,bit_or,bit_xor}" in="{u32,u64} \
  "reduce op=logical_"{and,or}" in=bool"
for t in i32 i64 f32 f64; do all "reduce in=$t init=$t"; done
for t in i32 u32 i64 u64 f32 f64; do all "reduce op="{min,max}" in=$t init=$t"; done

echo '# the place of an extremum, and both extrema'
all "arg_reduce op="{min,max}" in="{i32,u32,i64,u64,f16,bf16,f32,f64}
all "arg_reduce op="{min,max}" in="{i32,f32}" index_out=i32"
all "min_max in="{u8,i32,u32,i64,u64,f16,bf16,f32,f64}

echo '# reduce by segments: of any lengths, of one length, by key'
all "segmented_reduce in="{i32,i64,f32,f64}" begin_offsets="{i32,i64} "segmented_reduce in="{i32,i64,f16,bf16,f32,f64}
all "segmented_reduce op="{min,max}" in="{i32,f32}" begin_offsets=i32" \
  "segmented_reduce op="{min,max}" in="{i32,f16,bf16,f32}
all "segmented_arg_reduce op="{min,max}" in="{i32,f32}" begin_offsets=i32" \
  "segmented_arg_reduce op="{min,max}" in="{i32,f16,bf16,f32}
all "reduce_by_key keys_in="{u32,u64}" values_in="{i32,i64,f32,f64}
all "reduce_by_key op="{min,max}" keys_in=u32 values_in="{i32,f32}

echo '# scans: sums, also in wider types, with an init by value; running extrema; by segments; by key'
all "scan mode="{inclusive,exclusive}" in="{i32,i64,f16,bf16,f32,f64}
all "scan mode="{inclusive,exclusive}" in="{i32,u32,u8,bool}" out=i64" \
  "scan mode="{inclusive,exclusive}" in="{u8,bool}" out=i32"
all "scan mode=exclusive init=constant() in="{i32,i64,f32,f64}
all "scan mode=inclusive op="{min,max}" in="{i32,u32,i64,u64,f32,f64}
all "segmented_scan mode="{inclusive,exclusive}" in="{i32,i64,f32,f64}" begin_offsets="{i32,i64}
all "scan_by_key mode="{inclusive,exclusive}" keys_in="{u32,u64}" values_in="{i32,i64,f32,f64}

echo '# runs'
all "run_length_encode in="{u8,u16,u32,u64,f32,f64}" lengths_out="{i32,i64}
all "non_trivial_runs in="{u8,u16,u32,u64}" lengths_out=i32 offsets_out=i32"

echo '# selecting: by flags, with items and flags of any type, and 32 or 64 bits for their number; what is not 0'
all "select in="{u8,u16,u32,u64,u128}" flags=u8 num_selected_out="{i32,i64} "select in="{u32,u64}" flags=i32"
all "select op=identity in="{u8,i32,u32,i64,f32}
all "partition in="{u8,u16,u32,u64,u128}" flags=u8"
for t in u8 u16 u32 u64 u128; do all "partition in=$t flags=u8 unselected_out=$t"; done
all "unique in="{u8,u16,u32,u64,f32,f64}" num_selected_out="{i32,i64}
all "unique in="{u32,u64,f32}" values_in="{u32,u64}
all "find_if mode="{find_if,any_of,all_of}" in="{bool,u8,i32}

echo '# sorts: keys, and keys with values of any type or their indices'
all "radix_sort key="{u8,u16,u32,u64,u128,f16,f32,f64}
all "radix_sort key="{u8,u16,u32,u64,u128,f16,f32,f64}" value="{u8,u16,u32,u64,u128}
all "radix_sort key="{u8,u16,u32,u64,f16,f32,f64}" values_in=counting("{u32,u64}")"
all "segmented_sort key="{u8,u16,u32,u64,f16,f32,f64}" begin_offsets=i32" \
  "segmented_sort key="{u8,u16,u32,u64,f16,f32,f64}" begin_offsets=i32 value="{u32,u64}
all "segmented_sort key="{u32,u64,f32,f64}" begin_offsets=i64" \
  "segmented_sort key="{u32,u64,f32,f64}" begin_offsets=i64 value=u32"
all "merge_sort keys_in="{i8,u8,i16,u16,i32,u32,i64,u64,f16,bf16,f32,f64}
all "merge_sort keys_in="{i32,u32,i64,u64,f32,f64}" compare=greater"
all "merge_sort keys_in="{i32,u32,i64,u64,f32,f64}" values_in="{u32,u64}
all "is_sorted in="{i32,u32,i64,u64,f32,f64}

echo '# the first k, also in order, and of every row; the nth item'
all "top_k keys_in="{u16,u32,u64,f16,f32,f64}
all "top_k keys_in="{u32,u64,f16,f32,f64}" values_in="{u32,u64}
all "top_k keys_in="{u32,f16,f32}" is_sorted" "top_k keys_in="{u32,f16,f32}" values_in=u32 is_sorted"
all "segmented_top_k keys_in="{f16,f32} "segmented_top_k keys_in="{f16,f32}" values_in="{u32,u64}
for t in u8 u16 u32 u64 f16 f32 f64; do all "nth_element in=$t out=$t"; done

echo '# what is in order: merging, sets, searching'
all "merge first_keys_in="{i32,u32,i64,u64,f32,f64}
all "merge first_keys_in="{i32,u32,i64,u64,f32,f64}" first_values_in="{u32,u64}
all "set_operation mode="{union,intersection,difference,symmetric_difference}" first_keys_in="{i32,u32,i64,u64}
all "binary_search bound="{lower,upper}" in="{i32,u32,i64,u64,f32,f64}" out="{i32,i64}

echo '# copies: bytes, one value, sequences, conversions; gather, scatter, reverse, shuffle; batches'
all "copy in="{u8,u16,u32,u64}
for t in u8 u16 u32 u64 u128; do all "copy in=constant($t) out=$t"; done
for t in i32 u32 i64 u64 f32 f64; do all "copy in=counting($t) out=$t"; done
all "copy in="{i32,u32,f16,bf16,f64,u8,bool}" out=f32" "copy in=f32 out="{f16,bf16,f64,i32} \
  "copy in=i32 out=f64" "copy in=i32 out=i64" "copy in=i64 out=i32"
for t in u8 u16 u32 u64 u128; do
  all "copy in=permutation($t,"{i32,u32,i64,u64}") out=$t" "copy in=permutation($t,shuffle(u64)) out=$t" \
    "copy in=$t out=permutation($t,"{i32,u32,i64,u64}")"
done
all "reverse in="{u8,u16,u32,u64,u128}
all "memcpy_batched sizes="{i32,u32,i64,u64}
all "copy_batched in="{u8,u16,u32,u64,u128}" in_offsets="{i32,i64}

echo '# neighbours, two inputs item by item, samples'
all "adjacent_difference direction="{left,right}" in="{i32,i64,f32,f64}
for t in i32 i64 f32 f64; do all "transform in=zip_transform($t,$t,"{plus,minus,multiplies,divides}")"; done
all "transform in=transform("{i32,f32}",negate)"
all "histogram samples=u8 level="{i32,f32}" channels="{1,3,4}
all "histogram samples=u8 level=i32 channels=4 active_channels=3"
all "histogram samples="{u16,i32,u32,f32,f64} "histogram samples="{u8,u16}" level=i32 bins=range" \
  "histogram bins=range samples="{i32,f32,f64}
