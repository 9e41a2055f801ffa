#!/bin/bash
# Prints the manifest of the kernels that `make prewarm` compiles for operators from source, which the first tier links
# them with (docs/configuration.md): calls that are mostly made with an operator of one's own. An operator here stands
# for all of its kind, and `opaque(SIZE, ALIGN)` for all structs of that size and alignment.
set -eu

# A line for each of what braces expand to.
all() { printf '%s\n' "$@"; }
numbers=(i32 u32 i64 u64 f32 f64)
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
all "segmented_scan in="{i32,f32}" begin_offsets=i32 $fold"

echo '# selecting, finding'
for t in "${numbers[@]}" "${structs[@]}"; do
  all "select in=$t op$test" "find_if in=$t predicate$test"
done
for t in i32 f32; do
  all "partition in=$t op$test" "partition in=$t unselected_out=$t op$test" \
    "three_way_partition in=$t first_op$test second_op$test"
done
for t in "${structs[@]}"; do all "unique in=$t equality$test"; done

echo '# orders'
for t in "${numbers[@]}" "${structs[@]}"; do
  all "merge_sort keys_in=$t compare$test" "merge_sort keys_in=$t values_in=u32 compare$test"
done
for t in "${structs[@]}"; do
  all "merge first_keys_in=$t compare$test" "is_sorted in=$t compare$test" \
    "binary_search bound="{lower,upper}" in=$t out=i64 compare$test" "min_max in=$t compare$test"
done
