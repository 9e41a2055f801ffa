#!/bin/bash
# Prints the manifest of the kernels that `make prewarm` compiles for operators from source, which the first tier links
# them with (docs/configuration.md): calls that are mostly made with an operator of one's own. An operator here stands
# for all of its kind, `u32` and `u64` for all numbers of that size that only operators look at, and
# `opaque(SIZE, ALIGN)` for all structs of that size and alignment. Some kernels of large merge sorts are tuned in
# another way for floating-point keys.
set -eu

# A line for each of what braces expand to.
all() { printf '%s\n' "$@"; }
numbers=(u32 u64)
structs=('opaque(8,4)' 'opaque(8,8)' 'opaque(12,4)' 'opaque(16,4)' 'opaque(16,8)' 'opaque(24,8)')
fold='op={return(a);}' test='={return(false);}'

echo '# folds and scans; of segments, by key'
for t in "${numbers[@]}" "${structs[@]}"; do
  all "reduce in=$t $fold" "scan mode=inclusive in=$t $fold" "scan mode=exclusive init=constant() in=$t $fold"
done
for t in "${numbers[@]}"; do
  all "segmented_reduce in=$t begin_offsets=i32 $fold" "reduce_by_key keys_in="{u32,u64}" values_in=$t $fold" \
    "scan_by_key keys_in=u32 values_in=$t $fold" "adjacent_difference in=$t $fold"
done
all "segmented_scan in=u32 begin_offsets=i32 $fold"

echo '# selecting, finding'
for t in "${numbers[@]}" "${structs[@]}"; do
  all "select in=$t op$test" "find_if in=$t predicate$test"
done
all "partition in=u32 op$test" "partition in=u32 unselected_out=u32 op$test" \
  "three_way_partition in=u32 first_op$test second_op$test"
for t in "${structs[@]}"; do all "unique in=$t equality$test"; done

echo '# orders'
for t in "${numbers[@]}" f32 f64 "${structs[@]}"; do
  all "merge_sort keys_in=$t compare$test" "merge_sort keys_in=$t values_in=u32 compare$test"
done
for t in "${structs[@]}"; do
  all "merge first_keys_in=$t compare$test" "is_sorted in=$t compare$test" \
    "binary_search bound="{lower,upper}" in=$t out=i64 compare$test" "min_max in=$t compare$test"
done

# An iterator over numbers of a type, as specs have it; and of what is made of one item of such numbers, two or three.
pointer() { printf '{"kind":"pointer","type":"%s"}' "$1"; }
of_one() {
  printf '{"kind":"transform","base":%s,"op":{"kind":"source","source":"{return(x);}"},"type":"%s"}' \
    "$(pointer "$1")" "$2"
}
of_more() {
  printf '{"kind":"zip_transform","bases":[%s],"op":{"kind":"source","source":"{return(a);}"},"type":"%s"}' "$1" "$2"
}

echo '# transforms, and sums and counts of what they make'
for t in "${numbers[@]}"; do
  base=$(pointer "$t")
  for to in u8 u32 u64; do
    all "transform in="{"$(of_one "$t" $to)","$(of_more "$base,$base" $to)","$(of_more "$base,$base,$base" $to)"}
  done
  for to in bool u32 u64 f32 f64; do all "reduce in=$(of_one "$t" $to) op=plus"; done
  all "reduce in=$(of_one "$t" bool) accum=u64 op=plus"
done
for t in u8 u16 "${structs[@]}"; do all "transform in=transform($t,{return(x);})"; done
