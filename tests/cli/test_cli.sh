#!/bin/sh
# Tests of the command-line tool: what it prints, where, and its exit status.
#
#   BUILD=build tests/cli/test_cli.sh
#
# Uses a cache of its own. What runs on a GPU is tried with a fake driver (fake_cuda.c), which shows how
# files are read and results printed, and once more with the one that $JIG_DRIVER names or the machine has.
here=$(dirname "$0")
# shellcheck source=tests/cli/cli.sh
. "$here/cli.sh"

repeat() { # repeat <file> <doublings>: the content of a file, twice as often each time
  n=$2
  while [ "$n" -gt 0 ]; do
    cat "$1" "$1" >"$1.twice" && mv "$1.twice" "$1"
    n=$((n - 1))
  done
}

npy() { # npy <version> <descr> <fortran_order> <shape>: an .npy file of what is on standard input
  header="{'descr': $2, 'fortran_order': $3, 'shape': $4, }"
  size=$(printf %02x $((${#header} + 1)))
  if [ "$1" -eq 1 ]; then bytes 93 4e 55 4d 50 59 01 00 "$size" 00; else bytes 93 4e 55 4d 50 59 "0$1" 00 "$size" 00 00 00; fi
  printf '%s\n' "$header"
  cat
}

# An operator that no other cache has, so that "compiled" can be told from "hit".
unique="/* $$ $(date +%s) */"

"$jig" info --json >"$dir/info" 2>/dev/null
has_compiler=true
grep -q '"compiler":{"error"' "$dir/info" && has_compiler=false
has_gpu=true
# shellcheck disable=SC2086  # nothing, or one word
env $driver "$jig" info --json 2>/dev/null | grep -q '"devices":\[\]' && has_gpu=false

# ---- help and usage

try 'version' 0 '^jig [0-9]+\.[0-9]+\.[0-9]+$' '' --version
try 'help' 0 '^  prewarm ' '' --help
# All that the library looks for; what is no variable is what a compiler is to say.
for variable in $(grep -rho '"JIG_[A-Z_]*"' src | grep -v -e JIG_TYPE_MISMATCH -e JIG_LAUNCH_BOUNDS | tr -d '"' | sort -u); do
  also "help: $variable" grep -q "[ ]$variable\>" "$dir/out"
done
mkdir "$dir/nothing"
# shellcheck disable=SC2329  # the examples do
jig() { env JIG_CACHE_DIR="$dir/nothing" JIG_DRIVER=/nowhere/libcuda.so JIG_BUILD=never "$jig" "$@"; }
# Every command that helps list, and the ones that have a file of a kernel.
commands_of() { # commands_of [<command>]: as its help lists them, by full name
  # shellcheck disable=SC2086  # none, or one word
  "$jig" $1 --help | sed -n "/^commands:\$/,/^\$/s/^  \([a-z]*\)  *[A-Z].*/${1:+$1 }\1/p"
}
commands_of '' >"$dir/commands"
commands_of cache >>"$dir/commands"
printf '%s kernel\n' run prewarm source >>"$dir/commands"
also 'help: all commands' [ "$(wc -l <"$dir/commands")" -ge 20 ]
for words in '' $(tr ' ' _ <"$dir/commands"); do
  command=$(echo "$words" | tr _ ' ')
  # shellcheck disable=SC2086  # two words
  try "help of $command" 0 "^usage: jig $command" '' $command --help
  also "exit status in help of $command" grep -q '^exit status:' "$dir/out"
  # What help shows is nothing that is refused; without files and a GPU, that may be as far as it gets.
  sed -n '/^examples*:$/,/^$/s/^  //p' "$dir/out" >"$dir/examples"
  also "examples in help of $command" [ -s "$dir/examples" ]
  while read -r example; do
    (cd "$dir/nothing" && eval "$example") </dev/null >/dev/null 2>"$dir/err"
    also "example in help of $command: $example" [ $? -ne 2 ]
  done <"$dir/examples"
  for columns in 80 120; do
    # shellcheck disable=SC2086
    under "COLUMNS=$columns" try "help of $command: $columns columns" 0 '^usage: ' '' $command --help
    also "help of $command: $columns columns: fits" [ -z "$(awk -v most=$columns 'length($0) > most' "$dir/out")" ]
  done
  [ -n "$command" ] || continue # its options are no command's
  # shellcheck disable=SC2086
  try "unknown option of $command" 2 '' "jig $command: .*'?--frobnicate'?" $command --frobnicate
done
try 'no command' 0 '^  run  .*files' ''
also 'no command: examples' grep -q '^  jig run reduce ' "$dir/out"
try 'no command of cache' 2 '' 'no command is given' cache
try 'version, as a command' 0 '^jig [0-9]+\.[0-9]+\.[0-9]+$' '' version
try 'help, as a command' 0 '^  prewarm ' '' help
try 'help of a command' 0 '^usage: jig source ' '' help source
try 'help of a subcommand' 0 '^usage: jig cache ls ' '' help cache ls
try 'help of an algorithm' 0 '^usage: jig run scan ' '' help run scan
try 'help of nothing' 2 '' "^jig help: no such command: 'frob'$" help frob
try 'help of too much' 2 '' "unexpected argument 'x'" help info x
try 'a misspelt command' 2 '' "no such command: 'rnu'; did you mean 'run'\?$" rnu
try 'a misspelt subcommand' 2 '' "no such command: 'stat'; did you mean 'stats'\?$" cache stat
try 'a misspelt option' 2 '' "no such option: '--tpye'; did you mean '--type' or '--time'\?$" run --tpye f32
also 'a misspelt option: told once' [ "$(wc -l <"$dir/err")" -eq 2 ]
try 'the beginning of several options' 2 '' "'--tran'; did you mean '--transform' or '--transform-type'\?$" run --tran x
try 'an unknown letter' 2 '' "^jig run: no such option: '-x'$" run -x
try 'a value that is not wanted' 2 '' "^jig run: '--json' takes no value$" run --json=1
try 'a letter without its value' 2 '' "^jig run: '-I' needs a value$" run reduce -I
try 'a misspelt option with a value' 2 '' "did you mean '--count'" run --conut=3
try 'a misspelt algorithm' 2 '' "did you mean 'reduce'\?$" run reduec
try 'a part of an algorithm' 2 '' "did you mean 'radix_sort', 'segmented_sort' or 'merge_sort'\?$" source sort --arch sm_90
try 'what others call an algorithm' 2 '' "no algorithm 'argsort'; did you mean 'radix_sort'\?$" run argsort
try 'what others call an operator' 2 '' "no operator 'sum' .*; did you mean 'plus'\?$" prewarm reduce --type f32 --op sum --arch sm_90
try 'what others call a type' 2 '' "'float32' is neither .*; did you mean 'f32'\?$" prewarm reduce --type float32 --arch sm_90
try 'a misspelt struct' 2 '' "'pari' is neither .*; did you mean 'pair'\?$" prewarm reduce --type pari \
  --struct 'pair:8:4:struct pair { float a; int b; };' --arch sm_90
try 'a misspelt choice' 2 '' "no choice 'exclusiv' .*; did you mean 'exclusive'\?$" source scan in=f32 mode=exclusiv --arch sm_90
try 'a misspelt slot' 2 '' "^jig run: scan has no slot 'mod'; did you mean 'mode'\?$" run scan mod=exclusive a.npy
for command in prewarm source; do
  try "$command: where there is help" 2 '' "^Try 'jig $command reduce --help'\.$" $command reduce in=f33 --arch sm_90 a.npy
done
try 'run: where there is help' 2 '' "^Try 'jig run reduce --help'\.$" run reduce in=f33 a.npy
try 'an algorithm like no other' 2 '' 'reverse\)$' source xyzzy --arch sm_90
try 'unknown command' 2 '' "no such command: 'frob'" frob
try 'unknown subcommand' 2 '' "no such command: 'frob'" cache frob
try 'unknown global option' 2 '' "no such option: '--frob'" --frob
try 'superfluous argument' 2 '' "unexpected argument 'x'" info x
try 'option without its value' 2 '' "^jig source: '--type' needs a value$" source reduce --type

"$jig" --help >/dev/full 2>"$dir/err"
also 'results that cannot be written' [ $? -eq 1 ]
also 'results that cannot be written: why' grep -q '^jig: standard output: ' "$dir/err"

# ---- info

under 'JIG_BUILD=nevr' try 'a misspelt JIG_BUILD' 2 '' "^jig prewarm: JIG_BUILD: 'nevr' is not" prewarm reduce --type f32 --arch sm_90
under 'JIG_JOBS=-1' try 'a wrong variable is told' 0 '*' "^jig: warning: JIG_JOBS: '-1' is not .*; 1 is taken" cache path
under 'JIG_LOG=foo' try 'a wrong JIG_LOG is told' 0 '*' "^jig info: JIG_LOG: 'foo' is not .*; info is taken" cache path
try 'info' 0 '^compiler  ' '' info
also 'info: what it comes to' grep -Eq '^jig +[0-9.]+: (compiles|launches|neither)' "$dir/out"
mkdir "$dir/loose" "$dir/loose2" && chmod 777 "$dir/loose" "$dir/loose2"
under "JIG_CACHE_DIR=$dir/loose JIG_CACHE_PATH=$dir/loose2:$dir/absent" try 'info: unusable directories' 0 'loose is not used: writable by others' '' info
also 'info: unusable read-only layers' grep -q 'loose2 is not used' "$dir/out"
also 'info: layers that are not there' grep -q '^  read-only .*absent: not there$' "$dir/out"
try 'info --json' 0 '"cache":\{"directory":"'"$JIG_CACHE_DIR" '' info --json
if command -v jq >/dev/null; then
  also 'info --json parses' jq -e '.version and .driver and .compiler and .cache' "$dir/out" >/dev/null
elif command -v python3 >/dev/null; then
  also 'info --json parses' python3 -m json.tool "$dir/out" >/dev/null
else
  skip 'info --json parses' 'neither jq nor python3'
fi
under 'JIG_CACHE_DIR= HOME= XDG_CACHE_HOME=' try 'info: no cache' 0 '^cache +none: set JIG_CACHE_DIR, or HOME$' '' info
export JIG_DRIVER=/nowhere/libcuda.so JIG_NVRTC=/nowhere/libnvrtc.so
try 'info without anything' 0 '^driver +none: ' '' info
unset JIG_DRIVER JIG_NVRTC

# ---- doctor

if $has_compiler; then
  mkdir "$dir/tmp"
  under "JIG_CACHE_DIR=$dir/doctor JIG_DRIVER=/nowhere/libcuda.so TMPDIR=$dir/tmp" try 'doctor: no GPU' 3 '^jig can compile and cache programs here, and launch none.$' '' doctor
  also 'doctor: compile' grep -q '^compile    ok       NVRTC ' "$dir/out"
  also 'doctor: cache' grep -q "^cache      ok       $dir/doctor; a program was stored and found again" "$dir/out"
  also 'doctor: launch' grep -q '^launch     failed   the CUDA driver' "$dir/out"
  also 'doctor: leaves nothing' [ -z "$(ls -A "$dir/tmp")" ]
  mkdir "$dir/wide" && chmod 777 "$dir/wide"
  under "JIG_DRIVER=/nowhere/libcuda.so JIG_CACHE_DIR=$dir/wide" try 'doctor: an unusable cache' 1 'wide is not used: writable by others' '' doctor
  under "JIG_CACHE_DIR=$dir/doctor JIG_DRIVER=/nowhere/libcuda.so TMPDIR=/nowhere" try 'doctor: nowhere to compile to' 1 '^compile +failed +/nowhere/.*: No such file' '' doctor
  under "JIG_CACHE_DIR=$dir/doctor JIG_DRIVER=/nowhere/libcuda.so JIG_COMPILE_OPTIONS=--nothing" try 'doctor: nothing compiles' 1 '^compile +failed ' '' doctor
  under "JIG_CACHE_DIR=$dir/doctor JIG_DRIVER=/nowhere/libcuda.so JIG_JOBS=-1" try 'doctor: a wrong variable' 3 "^variables +warning +JIG_JOBS: '-1' is not" '*' doctor
  under "JIG_CACHE_DIR=$dir/doctor JIG_DRIVER=/nowhere/libcuda.so" try 'doctor --json' 3 '^\{"ready":false,"verdict":"jig can compile.*"name":"compile","outcome":"ok"' '' doctor --json
  under "JIG_CACHE_DIR=$dir/doctor JIG_NVRTC=/nowhere/libnvrtc.so JIG_DRIVER=/nowhere/libcuda.so" try 'doctor: what a cache has' 1 "cache +ok .*; a program was found there" '' doctor
  if [ -e "$(dirname "$jig")/softgpu/libcuda.so.1" ]; then
    under "JIG_CACHE_DIR=$dir/doctor" try 'doctor --software' 0 '^jig is ready: ' '' doctor --software
    also 'doctor --software: launch' grep -q '^launch     ok       jig software GPU, sm_90, CUDA driver .*; a sum was right' "$dir/out"
  else
    skip 'doctor --software' 'no software GPU was built'
  fi
else
  skip 'doctor' 'no NVRTC'
fi

# ---- spec options

hit='hit:8:4:struct hit { float d; int id; };'
try 'source: operator' 0 "return a \\* b \\+ 1; $(echo "$unique" | sed 's/[*/]/./g')" '' \
  source reduce --type f32 --arch sm_90 --op-source "return a * b + 1; $unique"
try 'source: struct and transform' 0 '^return x.d;$' '' \
  source reduce --type hit --struct "$hit" --transform 'return x.d;' --transform-type f32 --op max --nan ignore --arch sm_80
try 'source: arg_reduce' 0 'jig/kernel/reduce/arg_reduce.cuh' '' source arg_reduce --type i16 --op max --no-value --arch compute_80
echo 'namespace ns { int f(int a, int b) { return a | b; } }' >"$dir/f.cu"
try 'source: function of a file' 0 'ns::f\(a, b\)' '' source reduce --type i32 --op-function "$dir/f.cu:ns::f" --arch sm_90
input=$dir/f.cu
cat >"$dir/add.ptx" <<'END'
.version 6.3
.target sm_75
.address_size 64
.visible .func (.param .b32 sum) add(.param .b32 a, .param .b32 b) {
  .reg .b32 %r<4>;
  ld.param.b32 %r1, [a];
  ld.param.b32 %r2, [b];
  add.s32 %r3, %r1, %r2;
  st.param.b32 [sum], %r3;
  ret;
}
END
try 'source: PTX that computes' 0 'add[.]s32 jig_p_r3,jig_p_r1,jig_p_r2;' '' source reduce --type i32 --op-binary "ptx:$dir/add.ptx:add" --arch sm_90
sed 's/^  ret;/  mov.u32 %r0, %laneid;\n&/' "$dir/add.ptx" >"$dir/lane.ptx"
try 'source: compiled operator' 0 'extern "C" int32_t add\(int32_t, int32_t\)' '' source reduce --type i32 --op-binary "ptx:$dir/lane.ptx:add" --arch sm_90
try 'source: compiled operator by pointer' 0 'extern "C" void add\(const void \*' '' source reduce --type i32 --op-binary "ptx:$dir/add.ptx:add" --by-pointer --commutative --arch sm_90
try 'source: function of standard input' 0 'int f\(int a' '' source reduce --type i32 --op-function -:ns::f --commutative --arch sm_90
also 'source: commutative' grep -q 'commutative = true' "$dir/out"
unset input
try 'source: init' 0 '^using jig_init_t = double;' '' source reduce --type f32 --init --init-type f64 --arch sm_90
try 'source: scan' 0 '^jig_scan_pipeline[(]' '' source scan --type f32 --exclusive --arch sm_90
also 'source: scan, its other kernel' grep -q '^jig_scan_single_wave[(]' "$dir/out"
also 'source: scan, its mode' grep -q 'jig_mode = 1; /\* exclusive' "$dir/out"
try 'source: scan by key' 0 '^jig_scan_by_key_single_wave[(]' '' source scan_by_key --type i32 --arch sm_90
try 'source: reduce by key' 0 '^jig_reduce_by_key_single_wave[(]' '' source reduce_by_key --type f32 --key-type u8 --equality 'return a == b;' --arch sm_90
also 'source: its keys' grep -q '^using jig_keys_in_t = jig::Pointer<uint8_t>;$' "$dir/out"
also 'source: what makes them equal' grep -q '^#line 1 "equality"$' "$dir/out"
try 'source: run-length encode' 0 '^jig_run_length_encode_single_wave[(]' '' source run_length_encode --type i32 --arch sm_90
try 'source: non-trivial runs' 0 '^jig_non_trivial_runs_single_wave[(]' '' source non_trivial_runs --type i32 --arch sm_90
try 'source: segmented scan' 0 'jig_mode = 1; /\* exclusive' '' source segmented_scan --type i8 --exclusive --arch sm_90
sum='{"accum":"f32","algorithm":"reduce","in":{"kind":"pointer","type":"f32"},"op":"plus","out":{"kind":"pointer","type":"f32"}}'
echo "$sum" >"$dir/spec"
try 'source: --spec' 0 'using jig_op_t = jig::plus' '' source --spec "$dir/spec" --arch sm_90
input=$dir/spec
try 'source: --spec -' 0 'using jig_op_t = jig::plus' '' source --arch sm_90 --spec -
unset input
try 'source: --spec and more' 2 '' '^jig source: --type: not beside' source --spec "$dir/spec" --type f32 --arch sm_90
try 'source: --spec of nothing' 1 '' "$dir/none: No such file" source --spec "$dir/none" --arch sm_90
try 'source: no algorithm' 2 '' 'give an algorithm' source --arch sm_90
try 'source: unknown algorithm' 2 '' "no algorithm 'sort'" source sort --arch sm_90
try 'source: two architectures' 2 '' 'one architecture' source reduce --type f32 --arch sm_80,sm_90

spec() { # spec <case> <message> <option>...: a wrong request
  name=$1 message=$2
  shift 2
  try "$name" 2 '' "$message" prewarm --arch sm_90 "$@"
}
spec 'no type' '--type is missing' reduce
spec 'bad type' "--type: 'f33'" reduce --type f33
spec 'bad other type' "--accum: 'float'" reduce --type f32 --accum float
spec 'bad operator' "no operator 'avg'.* plus " reduce --type f32 --op avg
spec 'operator of another type' "op: 'bit_and' is not defined for f32" reduce --type f32 --op bit_and
spec 'struct without an order' "in: '<' is not defined for struct hit" arg_reduce --type hit --struct "$hit"
spec 'two orders' 'give only one of --op-source, --op-function' \
  arg_reduce --type f32 --op-source 'return a < b;' --op-function "x:y"
spec 'index that is none' 'index_out: it must be of an integer type, not f64' arg_reduce --type f32 --index-type f64
spec 'operator that has no index' "no choice 'plus' \\(there are: min max\\)" arg_reduce --type f32 --op plus
spec 'two operators' 'only one of --op' reduce --type f32 --op plus --op-source 'return a;'
spec 'given twice' '--type: given twice' reduce --type f32 --type f64
spec 'commutative plus' '^jig prewarm: --commutative: only' reduce --type f32 --commutative
spec 'bad nan' "--nan: 'maybe'" reduce --type f32 --nan maybe
spec 'option of another algorithm' '--accum: arg_reduce has no such option' arg_reduce --type f32 --accum f32
spec 'mode of another algorithm' '--exclusive: reduce has no such option' reduce --type f32 --exclusive
try 'source: select by flags' 0 '^using jig_flags_t = jig::Pointer<uint8_t>;$' '' source select --type i8 --flags bool --arch sm_90
try 'source: unique by key' 0 '^using jig_values_in_t = jig::Pointer<uint64_t>;$' '' source unique --type i8 --values f64 --arch sm_90
try 'source: partition' 0 '^jig_partition_single_wave[(]' '' source partition --type f32 --op-source 'return x < 1;' --arch sm_90
try 'source: three-way partition' 0 '^return x > 5;$' '' source three_way_partition --type i32 --op-source 'return x < 1;' --second-op-source 'return x > 5;' --arch sm_90
try 'source: radix sort' 0 '^using jig_value_t = jig::opaque<8, 8>;$' '' source radix_sort --type f32 --values f64 --arch sm_90
try 'source: radix sort of structs' 0 '^x.id, x.d$' '' source radix_sort --struct 'hit:8:4:struct hit { float d; int id; };' --type hit --decomposer 'x.id, x.d' --arch sm_90
try 'source: segmented sort' 0 '^jig_segmented_sort_small[(]' '' source segmented_sort --type f32 --values f64 --arch sm_90
spec 'radix sort of structs by nothing' 'or there has to be a decomposer' radix_sort --struct 'hit:8:4:struct hit { float d; int id; };' --type hit
spec 'decomposer of another algorithm' '--decomposer: reduce has no such option' reduce --type f32 --decomposer x
spec 'select by nothing' 'op: missing, and there are no flags' select --type i32
try 'source: merge sort, descending' 0 '^using jig_compare_t = jig::greater_than;$' '' source merge_sort --type f32 --op greater --arch sm_90
try 'source: merge, by the default' 0 '^using jig_compare_t = jig::none;$' '' source merge --type f32 --op less --arch sm_90
try 'source: merge sort' 0 '^jig_merge_sort_merge4[(]' '' source merge_sort --type f32 --values u32 --arch sm_90
try 'source: top-k' 0 '^jig_top_k_pass[(]' '' source top_k --type f32 --values u32 --arch sm_90
try 'source: segmented top-k' 0 '^jig_segmented_top_k_large[(]' '' source segmented_top_k --type f32 --values u32 --arch sm_90
try 'source: nth element' 0 '^jig_nth_element_pass[(]' '' source nth_element --type f32 out=f32 --arch sm_90
spec 'top-k of structs by nothing' 'or there has to be a decomposer' top_k --struct 'hit:8:4:struct hit { float d; int id; };' --type hit
try 'source: merge' 0 '^return a > b;$' '' source merge --type i32 --op-source 'return a > b;' --arch sm_90
spec 'merge sort by an operator that tells no order' "compare: 'plus' tells no order" merge_sort --type i32 --op plus
spec 'reduce by an order' "op: 'less' tells an order" reduce --type i32 --op less
spec 'three-way partition by one test' 'three_way_partition: second_op: missing' three_way_partition --type i32 --op-source 'return x < 1;'
spec 'well-known operator as a test' '--op: unique has no such option' unique --type i32 --op plus
spec 'count that is none' 'num_selected_out: its type must be an integer' unique --type i32 --count-type f32
spec 'scan that has nothing to begin with' 'init: an exclusive scan needs one' scan --type f32 --op-source 'return a;' --exclusive
spec 'scan whose order does not matter' '--commutative: scan has no such option' scan --type f32 --op-source 'return a;' --commutative
spec 'keys of another algorithm' '--key-type: scan has no such option' scan --type f32 --key-type i32
spec 'keys that cannot be compared' "'==' is not defined for struct s" scan_by_key --type f32 --struct 's:4:4:struct s { int x; };' --key-type s
spec 'init type without init' '--init-type: there is no --init' reduce --type f32 --init-type f32
spec 'transform type without transform' 'there is no --transform' reduce --type f32 --transform-type f32
spec 'function without a name' "'f.cu' is not FILE:NAME" reduce --type f32 --op-function f.cu
brackets=$(printf '%4000s' '')
spec 'operator with 4000 brackets' 'operator:1:1008: error: nested more than 1000 deep' reduce --type f32 \
  --op-source "return $(echo "$brackets" | tr ' ' '(')a$(echo "$brackets" | tr ' ' ')');"
spec 'compiled operator without a name' "'ptx:f.ptx' is not FORMAT:FILE:NAME" reduce --type f32 --op-binary ptx:f.ptx
spec 'compiled operator of no format' "no format 'elf'" reduce --type f32 --op-binary elf:f.o:f
spec 'by pointer without a compiled operator' '--by-pointer: only' reduce --type f32 --op-source 'return a;' --by-pointer
spec 'struct that is none' "'hit:8:x' is not NAME:SIZE" reduce --type hit --struct hit:8:x
spec 'struct with a bad size' "struct 'hit' has size 0" reduce --type hit --struct 'hit:0:4:struct hit {};' --op-source 'return a;'
spec 'struct with a built-in name' "'f32' is the name of a built-in" reduce --type f32 --struct 'f32:8:4:x'
spec 'struct under plus' "'plus' is not defined for struct hit" reduce --type hit --struct "$hit"
spec 'struct with a name of jig' "'jigsaw': names that begin with 'jig'" reduce --type jigsaw \
  --struct 'jigsaw:4:4:struct jigsaw { int a; };' --op-source 'return a;'
spec 'neither algorithm nor file' "'sort' is neither a file nor an algorithm; did you mean 'radix_sort', 'segmented_sort' or 'merge_sort'" sort
spec 'neither of them, and like none' "'xyzzy' is neither a file nor an algorithm \\(there are: reduce, arg_reduce, scan, .*reverse\\)" xyzzy
try 'compiled operator in a missing file' 1 '' 'none.ptx: No such file' prewarm reduce --type f32 --op-binary "ptx:$dir/none.ptx:f" --arch sm_90
try 'compiled operator that is none' 2 '' 'the data of jig_op_binary\(\) is of no format' prewarm reduce --type i32 --op-binary "ptx:$dir/f.cu:f" --arch sm_90
try 'function in a missing file' 1 '' 'none.cu: No such file' prewarm reduce --type f32 --op-function "$dir/none.cu:f" --arch sm_90

for arch in sm_9x sm_70 sm_ gfx90 '' 'sm_90,' ',sm_90' sm_90000000000000000000000000; do
  try "bad architecture '$arch'" 2 '' '^jig prewarm: --arch: ' prewarm reduce --type f32 --arch "$arch"
done
try 'no architecture' 2 '' '--arch is missing' prewarm reduce --type f32
for jobs in 0 -1 4x 1.5 99999999999999999999999; do
  try "bad --jobs $jobs" 2 '' "^jig prewarm: --jobs: " prewarm reduce --type f32 --arch sm_90 -j "$jobs"
done
export JIG_DRIVER=/nowhere/libcuda.so
try 'native without a GPU' 3 '' 'no GPU here: .*/nowhere/libcuda.so' prewarm reduce --type f32 --arch sm_90,native
unset JIG_DRIVER

# ---- slots

dry() { # dry <case> <spec in short> <argument>...: what would be compiled
  name=$1 shown=$2
  shift 2
  try "$name" 0 "^missing +sm_90 +$shown$" '' prewarm "$@" --arch sm_90 --dry-run
}
pair='pair:8:4:struct pair { float a; int b; };'
dry 'slots: a scan' 'scan accum=f32 in=f32 mode=exclusive op=plus out=f32' scan in=f32 out=f32 op=plus mode=exclusive
dry 'slots: what is left out' 'reduce accum=i32 in=i8 op=plus out=i8' reduce in=i8
dry 'slots: types of counts and offsets' 'segmented_scan accum=f32 begin_offsets=u32 end_offsets=u32 in=f32 mode=inclusive op=plus out=f32' \
  segmented_scan in=f32 begin_offsets=u32
dry 'slots: what is not wanted' 'arg_reduce in=f32 index_out=u32 nan=propagate op=max' arg_reduce in=f32 index_out=u32 op=max value_out=none
dry 'slots: keys that share a program' 'radix_sort key=u32 order=float value=opaque\(12, 4\)' radix_sort key=f32 'value=opaque(12, 4)'
dry 'slots: a flag' 'top_k keys_in=u32 keys_out=u32 order=float' top_k keys_in=f32 is_sorted
also 'slots: the program of a flag' grep -q ' merge_sort compare=' "$dir/out"
dry 'slots: a flag with its value' 'top_k keys_in=u32 keys_out=u32 order=float' top_k keys_in=f32 is_sorted=false
also 'slots: no other program' grep -q '^1 program:' "$dir/out"
dry 'slots: older names' 'run_length_encode in=i32 lengths_out=u8 num_runs_out=i64 unique_out=i32' run_length_encode in=i32 counts_out=u8
dry 'slots: an init by value' 'scan accum=f64 in=f32 init=constant\(f64\) mode=exclusive op=plus out=f32' scan in=f32 'init=constant(f64)' mode=exclusive
dry 'slots: an init of the default type' 'scan accum=f32 in=f32 init=constant\(f32\) mode=exclusive op=plus out=f32' scan in=f32 'init=constant()' mode=exclusive
dry 'slots: a struct' "reduce accum=pair in=pair op='return a;' out=pair" reduce --struct "$pair" in=pair 'op=return a;'
dry 'slots: iterators' "reduce accum=f32 in=transform\\(zip\\(strided\\(f32\\), counting\\(i32\\)\\) as pair, 'return x.a;'\\) as f32 op=plus out=reverse\\(permutation\\(f32, i32\\) as f32\\) as f32" \
  reduce --struct "$pair" "in=transform(zip(strided(f32), counting(i32)) as pair, 'return x.a;') as f32" 'out=reverse(permutation(f32, i32))'
dry 'slots: an iterator by an index' "reduce accum=i64 in=source\\('return i;'\\) as i64 op=plus out=i64" reduce 'in=source({ return i; }) as i64'
dry 'slots: an iterator of the default type' 'merge_sort keys_in=f32 keys_out=discard\(f32\)' merge_sort keys_in=f32 keys_out=discard
dry 'slots: JSON' 'reduce accum=f32 in=counting\(f32\) op=max\(nan ignored\) out=f32' \
  reduce 'in={"kind": "counting", "type": "f32"}' 'op={"kind": "max", "nan": "ignore"}'
dry 'slots: a struct in JSON' "reduce accum=pair in=strided\\(pair\\) op='return a;' out=pair" \
  reduce --struct "$pair" 'in={"kind": "strided", "type": "pair"}' "op='return a;'"
dry 'slots: a body in braces' "merge_sort compare='return a < b;' keys_in=i32 keys_out=i32" merge_sort keys_in=i32 'compare={ return a < b; }'
dry 'slots: braces in a body' "reduce accum=i32 in=i32 op='if \\(a < b\\) [{] return '[}]' [?] a : b;\\.\\.\\.' out=i32" \
  reduce in=i32 "op={ if (a < b) { return '}' ? a : b; } return b; }"
dry 'slots: NaNs' 'reduce accum=f32 in=f32 op=min\(nan ignored\) out=f32' reduce in=f32 'op=min(nan ignored)'
dry 'slots: a list' "radix_sort decomposer='x.b, x.a' key=pair order=fields" radix_sort --struct "$pair" key=pair 'decomposer=x.b, x.a'
echo 'namespace ns { int f(int a, int b) { return a | b; } }' >"$dir/f.cu"
dry 'slots: a function of a file' 'reduce accum=i32 in=i32 op=ns::f\(\) out=i32' reduce in=i32 "op=commutative(function($dir/f.cu:ns::f))"
dry 'slots: a compiled operator' 'reduce accum=i32 in=i32 op=ptx:add\(\) out=i32' reduce in=i32 "op=by_pointer(binary(ptx:$dir/add.ptx:add))"
dry 'slots beside options' 'scan accum=f64 in=f32 mode=exclusive op=plus out=f32' scan accum=f64 --type f32 mode=exclusive
spec 'slots: unknown' "reduce has no slot 'values' \\(it has: accum, determinism, in, init, init_in, num_items_in, op, out\\)" reduce in=f32 values=i8
spec 'slots: no slot' "unexpected argument 'f32'" reduce in=f32 f32
spec 'slots: no value' "in: write 'in=...'" reduce in
spec 'slots: given twice' "in: slot 'in' is given twice" reduce in=f32 in=f32
spec 'slots: given by an option, too' "--op: slot 'op' is given twice" reduce in=f32 op=plus --op max
spec 'slots: an old and a new name' "values_in: slot 'values_in' is given twice" scan_by_key in=f32 values_in=f32
spec 'slots: no such type' "in: 'f33' is neither a built-in type nor the name of a --struct" reduce in=f33
spec 'slots: no such iterator' "in: there is no iterator 'countin' \\(there are: pointer counting" reduce 'in=countin(f32)'
spec 'slots: no such operator' "op: there is no operator 'sum' \\(there are: plus .* greater identity .* max_magnitude\\)" reduce in=f32 op=sum
spec 'slots: an operator that is nearly one' "did you mean 'negate'" adjacent_difference in=f32 op=negated
spec 'a body for a name' "--op: 'return a . b;' is no operator's name; give a body by --op-source" merge_sort --type f32 --op 'return a < b;'
spec 'slots: no such choice' "mode: there is no choice 'up' \\(there are: inclusive exclusive\\)" scan in=f32 mode=up
spec 'slots: neither true nor false' "is_sorted: 'maybe' is neither" top_k keys_in=f32 is_sorted=maybe
spec 'slots: something behind it' "in: ', i8' is not expected there" reduce 'in=counting(f32), i8'
spec 'slots: no parenthesis' "in: there is no '\\)' for 'counting\\('" reduce 'in=counting(f32'
spec 'slots: no brace' "op: there is no '}' for a '{'" reduce in=f32 'op={ return a;'
spec 'slots: an iterator without its operator' "in: 'transform' needs an operator" reduce 'in=transform(f32)'
spec 'slots: an iterator with too few bases' "in: 'permutation' has 2 bases" reduce 'in=permutation(f32)'
spec 'slots: a group of no type' "in: write 'zip\\(...\\) as STRUCT'" reduce 'in=zip(f32, f32)'
spec 'slots: nested too deep' 'in: nested more than 16 deep' reduce "in=$(printf '%4000s' '' | sed 's/ /reverse(/g')f32"
spec 'slots: marks nested too deep' 'op: nested more than 16 deep' reduce in=f32 "op=$(printf '%4000s' '' | sed 's/ /commutative(/g')max"
spec 'slots: an iterator whose type is unknown' 'reduce: in: its type is missing' reduce in=counting
spec 'slots: bad JSON' 'in: column [0-9]+ of the JSON: ' reduce 'in={"kind": }'
spec 'slots: none of what has to be' 'in: it cannot be left out' reduce in=none
try 'slots: a missing file' 1 '' 'none.cu: No such file' prewarm reduce in=f32 "op=function($dir/none.cu:f)" --arch sm_90

# Every algorithm's help names its own slots, and no option that it does not take.
for algorithm in $("$jig" prewarm --help | sed -n '/^algorithms/,/^$/p' | sed 1d); do
  slots=$("$jig" prewarm "$algorithm" none=1 --arch sm_90 2>&1 | sed -n 's/.*(it has: \(.*\))$/\1/p' | tr -d ,)
  also "slots of $algorithm" test -n "$slots"
  try "help of $algorithm" 0 '^slots:$' '' prewarm "$algorithm" --help
  for slot in $slots; do
    also "help of $algorithm: $slot" grep -Eq "^  $slot(=[A-Z]+)?( +[a-z]|$)" "$dir/out"
  done
  also "help of $algorithm: exit status" grep -q '^exit status:' "$dir/out"
  try "help of $algorithm, source" 0 "^usage: jig source $algorithm " '' source "$algorithm" --help
done
try 'help of scan' 0 '^  mode=CHOICE +.*: inclusive \(default\), exclusive$' '' prewarm scan --help
also 'help of scan: its options' grep -q '^      --exclusive ' "$dir/out"
also 'help of scan: what fills its slots' grep -Eq '^  out=ITERATOR .*like in \[--out-type\]$' "$dir/out"
also 'help of scan: no others' [ "$(grep -c -e '--sorted' -e '--flags' -e '--decomposer' "$dir/out")" -eq 0 ]
try 'help of top_k' 0 '^  is_sorted ' '' prewarm top_k --help
also 'help of top_k: defaults' grep -q '; default: like keys_in$' "$dir/out"
try 'help of arg_reduce' 0 '^ +max \[--op\]$' '' prewarm arg_reduce --help
also 'help of arg_reduce: two kinds of operators' grep -q '\[--op-source\]' "$dir/out"
also 'help of top_k: its options' \
  [ "$("$jig" prewarm top_k --help | sed '/^  TYPE/,$d' | grep -o '\[--[a-z-]*\]' | sort -u | tr '\n' ' ')" = '[--decomposer] [--sorted] [--type] [--values] ' ]
for command in prewarm source; do
  try "$command: help of no algorithm" 2 '' "^jig $command: there is no algorithm 'foo' .there are: reduce, " "$command" foo --help
done
try 'help of a manifest' 0 '^algorithms, each with its own' '' prewarm "$dir/f.cu" --help
try 'help of tune' 0 '^  jig tune scan ' '' tune scan --help
try 'help of tune: a dry run' 0 '^reduce|knobs|jig_reduce' '' tune reduce in=f32 --dry-run --arch sm_90
try 'help is short' 0 '^algorithms, each with its own --help:$' '' prewarm --help
also 'help is short: no slots, no options for them' [ "$(grep -c -e '^slots:' -e '--op-source' "$dir/out")" -eq 0 ]

# ---- manifests

cat >"$dir/m.jsonl" <<END
# sums

$sum
{"algorithm":"reduce","in":
  $(echo "$sum" | sed "s|\"plus\"|{\"kind\":\"source\",\"source\":\"return a + b; $unique\"}|")
{"algorithm":"sort"}
END
under JIG_BUILD=never try 'manifest: building is not allowed' 1 '^failed +sm_90 .*m.jsonl:5' 'm.jsonl:5 for sm_90: .*not allowed' prewarm "$dir/m.jsonl" --arch sm_90
try 'manifest: dry run' 1 '^missing +sm_90 .*m.jsonl:5' 'm.jsonl:4 for sm_90: spec: line 1' prewarm --dry-run "$dir/m.jsonl" --arch sm_90
also 'manifest: dry run leaves nothing' [ ! -e "$JIG_CACHE_DIR/v1" ]
cat >"$dir/iterators.jsonl" <<'LINES'
{"accum":"i32","algorithm":"reduce","in":{"base":{"bases":[{"kind":"strided","type":"i32"},{"kind":"counting_by","type":"i32"}],"kind":"zip","type":{"align":4,"definition":"struct two { int a, b; };","name":"two","size":8}},"kind":"transform","op":{"kind":"source","source":"return x.a;"},"type":"i32"},"op":"plus","out":{"base":{"bases":[{"kind":"pointer","type":"i32"},{"kind":"source","op":{"kind":"source","source":"return i;"},"type":"i64"}],"kind":"permutation","type":"i32"},"kind":"reverse","type":"i32"}}
LINES
try 'manifest: iterators' 0 "^missing .*in=transform\(zip\(strided\(i32\), counting_by\(i32\)\) as two, 'return x.a;'\) as i32 op=plus out=reverse\(permutation\(i32, source\('return i;'\) as i64\) as i32\) as i32" '' prewarm --dry-run "$dir/iterators.jsonl" --arch sm_90
try 'source: iterators' 0 'jig::Zip<two, jig::Strided<int32_t>, jig::CountingBy<int32_t>>' '' source --spec "$dir/iterators.jsonl" --arch sm_90
try 'manifest: failures are told once' 1 '*' 'm.jsonl:6 for sm_80,sm_90: spec: unknown algorithm' prewarm --dry-run "$dir/m.jsonl" --arch sm_80,sm_90
try 'manifest: missing' 1 '' 'none.jsonl: No such file' prewarm "$dir/none.jsonl" --arch sm_90
try 'manifest: a folder' 1 '' 'Is a directory' prewarm "$dir" --arch sm_90
try 'manifest: spec options' 2 '' '--op: not beside a manifest' prewarm "$dir/m.jsonl" --op plus --arch sm_90
printf '# nothing\n' >"$dir/reduce"
try 'manifest: empty' 0 '^0 programs: 0 compiled' '' prewarm --manifest "$dir/reduce" --arch sm_90

cat >"$dir/words" <<END
# sums
reduce in=i32
  scan	in=f32 mode=exclusive
$sum
END
try 'manifest: words' 0 '^missing +sm_90 +scan accum=f32 in=f32 mode=exclusive op=plus out=f32  \(.*words:3\)$' '' \
  prewarm --dry-run --manifest "$dir/words" --arch sm_90
also 'manifest: words and specs' grep -q '^3 programs: ' "$dir/out"
for line in 'sort in=i32' 'reduce of=i32' 'reduce in=i31' 'reduce in=i32 in=i32' 'reduce in' 'reduce'; do
  printf '# wrong:\n%s\n' "$line" >"$dir/wrong"
  try "manifest: '$line'" 1 '' 'wrong:2: this line is no spec$' prewarm --manifest "$dir/wrong" --arch sm_90
done
input=$dir/words try 'manifest: words of standard input' 0 'reduce .* \(-:2\)$' '' prewarm --dry-run - --arch sm_90

# ---- several programs, and manifests that applications write

try 'prewarm: a line for each program' 0 '^missing +sm_90 +top_k keys_in=u32 keys_out=u32 order=float$' '' \
  prewarm top_k --type f32 --sorted --arch sm_90 --dry-run
also 'prewarm: the other program' grep -q '^missing .* merge_sort compare=.* keys_in=top_k_record ' "$dir/out"
also 'prewarm: two programs' grep -q '^2 programs: 0 compiled, 0 already there, 2 to be compiled; ' "$dir/out"
try 'source: of both programs' 0 '^// jig merge_sort$' '' source top_k --type f32 --sorted --arch sm_90
also 'source: of the first' grep -q '^// jig top_k$' "$dir/out"
try 'prewarm: --sorted' 2 '' 'merge_sort has no such option' prewarm merge_sort --type f32 --sorted --arch sm_90
echo '{"algorithm":"top_k","is_sorted":true,"keys_in":{"kind":"pointer","type":"u8"},"keys_out":{"kind":"pointer","type":"u8"},"order":"integer"}' >"$dir/sorted.jsonl"
try 'manifest: two programs of a line' 0 'merge_sort .*sorted.jsonl:1\)$' '' prewarm --dry-run "$dir/sorted.jsonl" --arch sm_90
also 'manifest: two programs in all' grep -q '^2 programs: ' "$dir/out"
under "JIG_RECORD=$dir/none/specs.jsonl" \
  try 'record: nowhere' 0 '*' "JIG_RECORD: '$dir/none/specs.jsonl' is not a file that can be written; no specs are recorded" info
under "JIG_RECORD=$dir" try 'record: a folder' 0 '*' "JIG_RECORD: '$dir' is not a file that can be written; no specs are recorded" info
under "JIG_DUMP=$dir/none/dump" try 'dump: nowhere' 0 '*' "JIG_DUMP: '$dir/none/dump' is not a folder that can be written; nothing is kept" info
under "JIG_DUMP=$dir/sorted.jsonl" try 'dump: a file' 0 '*' "JIG_DUMP: '$dir/sorted.jsonl' is not a folder that can be written" info
under "JIG_DUMP=$dir/dump/" try 'dump: a folder to be made' 0 '*' '' info
# shellcheck disable=SC2016  # the inner shell's
also 'dump: no warning' sh -c '! grep JIG_DUMP "$1"' - "$dir/err"
under "JIG_WISDOM=/dev/null:$dir" try 'wisdom: a folder' 0 '*' "JIG_WISDOM: '/dev/null:$dir' is not a list of files that can be read" info

# ---- headers and compile options

mkdir "$dir/one" "$dir/two"
printf '#include "g.h"\nint f(int x) { return g(x) * SCALE; }\n' >"$dir/one/f.h"
printf 'int g(int x) { return x; }\n' >"$dir/two/g.h"
includes='#include <f.h>
return f(a) + b;'
try 'source: headers' 0 '^#include <f.h>$' '' source reduce --type i32 -I "$dir/one" --op-source "$includes" --arch sm_90
under "JIG_INCLUDE_PATH=$dir/two:$dir/one" \
  try 'source: include path of the environment' 0 '^#include <f.h>$' '' source reduce --type i32 --op-source "$includes" --arch sm_90
try 'source: no such header' 0 '^#error cannot include "f.h"' '' \
  source reduce --type i32 --include-path "$dir/two" --op-source "$includes" --arch sm_90
try 'source: no such folder' 2 '' "^jig source: config->include_path: $dir/none: No such" \
  source reduce --type i32 -I "$dir/one" -I "$dir/none" --arch sm_90
try 'prewarm: refused option' 2 '' "^jig prewarm: config->compile_options: '-dc' is refused: the program" \
  prewarm reduce --type i32 --compile-option -DA --compile-option -dc --arch sm_90
under 'JIG_COMPILE_OPTIONS=-dc' \
  try 'prewarm: options of the environment' 2 '' "\\\$JIG_COMPILE_OPTIONS: '-dc' is refused" prewarm reduce --type i32 --arch sm_90

printf 'SECRET 42\n' >"$dir/secret.h"
ln -s ../secret.h "$dir/two/link.h"
try 'source: a name leads out' 0 '^#error cannot include "../secret.h": it leads out of the folders' '' \
  source reduce --type i32 -I "$dir/two" --op-source '#include "../secret.h"
return a + b;' --arch sm_90
try 'source: a link leads out' 1 '' "link.h is a link to $dir/secret.h, which is in no folder of the include path" \
  source reduce --type i32 -I "$dir/two" --op-source '#include <link.h>
return a + b;' --arch sm_90

# ---- compiling

# Two programs, one by one, with standard error on a terminal.
on_a_terminal() {
  printf '%s\n' 'reduce in=f32' 'reduce in=i64' >"$dir/sums"
  if ! command -v script >/dev/null; then
    skip 'prewarm: time left' 'no script'
    return
  fi
  script -qec "'$jig' prewarm --manifest '$dir/sums' --arch sm_90 -j1 --to '$dir/bar' >/dev/null" /dev/null >"$dir/out" 2>"$dir/err"
  also 'prewarm: how far it is' grep -q '\[=*  *\] 0 of 2' "$dir/out"
  also 'prewarm: time left' grep -Eq '\[=+ +\] 1 of 2, [0-9]+ s left' "$dir/out"
}

compile_cases() {
  set -- --type i32 -I "$dir/one" -I "$dir/two" --op-source "$includes // $unique" --arch sm_90
  try 'prewarm: headers and an option' 0 '^compiled ' '' prewarm reduce "$@" --compile-option -DSCALE=3
  try 'prewarm: the same again' 0 '^hit ' '' prewarm reduce "$@" --compile-option -DSCALE=3
  try 'prewarm: another option' 0 '^compiled ' '' prewarm reduce "$@" --compile-option -DSCALE=4
  under "JIG_CACHE_PATH=$JIG_CACHE_DIR JIG_CACHE_DIR=$dir/user" \
    try 'prewarm: a layer has it' 0 '^hit ' '' prewarm reduce "$@" --compile-option -DSCALE=3
  under "JIG_CACHE_PATH=$JIG_CACHE_DIR JIG_CACHE_DIR=$dir/user JIG_CACHE_MAX_SIZE=1" \
    try 'prewarm: into a folder' 0 '^compiled ' '' prewarm reduce "$@" --compile-option -DSCALE=3 --to "$dir/to"
  also 'prewarm: only into that' [ ! -e "$dir/user" ]
  under "JIG_CACHE_DIR=$dir/to JIG_BUILD=never" \
    try 'prewarm: it is there' 0 '^hit ' '' prewarm reduce "$@" --compile-option -DSCALE=3
  on_a_terminal
  try 'prewarm: error in a header' 1 '^failed ' 'f.h:2:30: error: identifier "SCALE" is undefined' prewarm reduce "$@"
  try 'prewarm: unknown option' 1 '^failed ' 'unrecognized option --frobnicate' prewarm reduce "$@" --compile-option --frobnicate
  try 'prewarm compiles' 0 '^compiled +sm_80 .* KiB .* regs .*[0-9a-f]{32}  reduce ' '' \
    prewarm reduce --type f32 --op-source "return a + b; $unique" --arch sm_80,sm_90 -j 2
  also 'prewarm: summary' grep -q '^2 programs: 2 compiled, 0 already there; ' "$dir/out"
  try 'prewarm hits' 0 '^hit +sm_90 ' '' prewarm reduce --type f32 --op-source "return a + b; $unique" --arch sm_80,sm_90
  also 'prewarm: summary of hits' grep -q '^2 programs: 0 compiled, 2 already there; ' "$dir/out"
  try 'prewarm --json' 0 '^\{"outcome":"compiled","arch":"compute_90","spec":\{.*"registers":-1' '' \
    prewarm --json reduce --type f32 --op-source "return a + b; $unique" --arch compute_90
  try 'prewarm: struct' 0 '^compiled ' '' \
    prewarm reduce --type hit --struct "$hit" --op-source "return a.d < b.d ? a : b; $unique" --init --arch sm_90
  try 'prewarm: scan' 0 '^compiled +sm_90 .* KiB .* regs .*  scan accum=i32 in=i8 mode=exclusive op=plus out=i8$' '' \
    prewarm scan --type i8 --exclusive --arch sm_90
  also 'prewarm: scan, in all' grep -q '^1 program: 1 compiled, 0 already there; ' "$dir/out"
  try 'prewarm: scan again' 0 '^hit ' '' prewarm scan --type i8 --exclusive --arch sm_90
  try 'prewarm: scan of another mode' 0 '^compiled .* mode=inclusive ' '' prewarm scan --type i8 --arch sm_90
  try 'prewarm: scan with an init' 0 '^compiled .* init=constant\(i32\) mode=exclusive ' '' \
    prewarm scan --type i8 --out-type i32 --op-source "return a * b; $unique" --init --exclusive --arch sm_90
  try 'prewarm: scan into a wider output' 0 'scan accum=u64 in=u32 mode=inclusive op=plus out=u64$' '' \
    prewarm scan --type u32 --out-type u64 --arch sm_90
  try 'prewarm: scan with an error' 1 '^failed +sm_90 ' 'operator:1:12: error: .*"y"' prewarm scan --type f32 --op-source 'return a + y;' --arch sm_90
  try 'prewarm: syntax error' 1 '^failed +sm_90 ' 'operator:1:12: error: .*"y"' \
    prewarm reduce --type f32 --op-source 'return a + y;' --arch sm_90
  try 'prewarm: error in the second line' 1 '^failed ' 'operator:2:2: error: ' \
    prewarm reduce --type f32 --op-source 'return a +
 ;' --arch sm_90
  try 'prewarm: nothing returned' 1 '^failed ' 'missing return' \
    prewarm reduce --type f32 --op-source 'a + b;' --arch sm_90
  printf '#define T float\n#define N 4\nT f(T a, T b) { return a + b * N; }\n' >"$dir/f.cu"
  try 'prewarm: compiled operator' 0 '^compiled .* op=ptx:add' '' prewarm reduce --type i32 --op-binary "ptx:$dir/add.ptx:add" --arch sm_90,compute_90
  try 'prewarm: macros of short names' 0 '^compiled ' '' prewarm reduce --type f32 --op-function "$dir/f.cu:f" --arch sm_90
  for name in policy in_t op_t accum_t Run; do
    try "prewarm: struct $name" 0 '^compiled ' '' prewarm reduce --type $name \
      --struct "$name:4:4:struct $name { int a; };" --op-source 'return a;' --arch sm_90
  done
  try 'prewarm: wrong size' 1 '^failed ' "size 8 and alignment 4, jig_struct\\(\\) was given size 16" \
    prewarm reduce --type hit --struct "hit:16:4:${hit#hit:8:4:}" --op-source 'return a;' --arch sm_90
  try 'prewarm: unknown to the compiler' 1 '^failed +sm_999' 'sm_999' prewarm reduce --type f32 --arch sm_999
  try 'manifest: good and bad lines' 1 '^(compiled|hit) +sm_90 .*m.jsonl:3' 'm.jsonl:6 for sm_90: ' prewarm "$dir/m.jsonl" --arch sm_90
  also 'manifest: summary' grep -q '^4 programs: .*, 2 failed' "$dir/out"
  input=$dir/m.jsonl
  try 'manifest: standard input, JSON' 1 '^\{"outcome":"hit".*"place":"-:5"' '*' prewarm - --arch sm_90 --json
  unset input
}

# ---- the cache, of which compile_cases has left at least five entries

flip() { # flip <file>: one bit of the byte in the middle
  at=$(($(wc -c <"$1") / 2))
  byte=$(od -An -tx1 -j "$at" -N 1 "$1" | tr -d ' ')
  bytes "$(printf %02x $((0x$byte ^ 1)))" | dd of="$1" bs=1 seek="$at" conv=notrunc 2>/dev/null
}

cache_cases() {
  count=$(find "$JIG_CACHE_DIR" -name '*.jig' | wc -l)
  try 'cache ls' 0 "^[0-9a-f]{32} +sm_80 +[0-9.]+ +[0-9.]+ KiB +[0-9-]+ [0-9:]+  reduce accum=f32 in=f32 op='return a \\+ b;" '' cache ls
  also 'cache ls: a header' [ "$(head -n 1 "$dir/out" | tr -s ' ')" = 'KEY ARCH NVRTC SIZE LAST USE PROGRAM' ]
  also 'cache ls: all of it' [ "$(wc -l <"$dir/out")" -eq $((count + 1)) ]
  listed() { # listed <case> <expression> <argument>...: of the keys that are listed, those for which awk prints one
    name=$1 expression=$2
    shift 2
    try "cache ls: $name" 0 '^KEY ' '' cache ls "$@"
    "$jig" cache ls --json | python3 -c "import json, sys
for line in sys.stdin:
    e = json.loads(line)
    if $expression: print(e['key'])" | sort >"$dir/wanted"
    also "cache ls: $name: some" [ -s "$dir/wanted" ]
    tail -n +2 "$dir/out" | cut -d ' ' -f 1 | sort >"$dir/keys"
    also "cache ls: $name: all of them and no others" cmp "$dir/keys" "$dir/wanted"
  }
  if command -v python3 >/dev/null; then
    listed 'by algorithm' "e['spec']['algorithm'] == 'scan'" --algorithm scan
    listed 'by architecture' "e['arch'] == 'sm_80'" --arch sm_80
    listed 'by text' "e['spec'].get('op') == 'plus'" op=plus
    listed 'by both' "e['spec']['algorithm'] == 'reduce' and e['arch'] == 'sm_80'" --algorithm reduce --arch sm_80
  fi
  key=$(tail -n 1 "$dir/out" | cut -c 1-10)
  try 'cache ls: by key' 0 "^$key" '' cache ls "$key"
  also 'cache ls: by key: one' [ "$(wc -l <"$dir/out")" -eq 2 ]
  "$jig" cache ls --sort size --json | sed 's/.*"bytes":\([0-9]*\).*/\1/' >"$dir/sizes"
  also 'cache ls --sort size' sort -nc "$dir/sizes"
  "$jig" cache ls --sort size --reverse --json | sed 's/.*"bytes":\([0-9]*\).*/\1/' >"$dir/sizes"
  also 'cache ls --reverse' sort -nrc "$dir/sizes"
  for columns in 80 120; do
    under "COLUMNS=$columns" try "cache ls: $columns columns" 0 '^KEY ' '' cache ls
    also "cache ls: $columns columns: fits" [ -z "$(awk -v most=$columns 'length($0) > most' "$dir/out")" ]
    also "cache ls: $columns columns: fills" grep -q '\.\.\.$' "$dir/out"
  done
  try 'cache ls --sort: not so' 2 '' "--sort: 'age' is not used, size, key, arch or program" cache ls --sort age
  try 'cache ls --older-than: not so' 2 '' "--older-than: '3w' is no age" cache ls --older-than 3w
  try 'cache ls --older-than: none' 0 '' '' cache ls --older-than 1d
  try 'cache ls --algorithm: not so' 2 '' "no algorithm 'scna'; did you mean 'scan'" cache ls --algorithm scna
  try 'cache ls --damaged: none' 0 '' '' cache ls --damaged
  try 'cache rm: nothing' 2 '' 'say which; jig cache clear removes all' cache rm
  try 'cache rm --dry-run' 0 '^would remove 1 entry, ' '' cache rm --dry-run "$key"
  try 'cache rm: none of these' 0 '^removed 0 entries' '' cache rm nothing-like-it
  try 'cache prune: within the limit' 0 '^removed 0 entries' '' cache prune
  try 'cache prune --dry-run' 0 "^would remove $count entries" '' cache prune --max-size 1 --dry-run
  try 'cache prune: not so' 2 '' "--max-size: 'much' is no size" cache prune --max-size much
  try 'cache ls --json' 0 '"arch":"sm_80".*"sound":true.*"spec":\{"accum"' '' cache ls --json
  try 'cache stats' 0 "^all +$count entries " '' cache stats
  try 'cache stats --json' 0 "\"entries\":$count,.*\"algorithms\":\\{\"reduce\":\\{\"entries\":$((count - 12)),.*\"scan\":\\{\"entries\":12," '' cache stats --json
  try 'cache verify' 0 "^$count entries, 0 damaged$" '' cache verify
  victim=$(find "$JIG_CACHE_DIR" -name '*.jig' | head -n 1)
  flip "$victim"
  try 'cache verify: damaged' 1 "^$victim: " '' cache verify
  also 'cache verify: counts' grep -q "^$count entries, 1 damaged$" "$dir/out"
  try 'cache verify --json' 1 '"sound":false,"fault":"' '' cache verify --json
  try 'cache ls: damaged' 0 'damaged: ' '' cache ls
  try 'cache stats: damaged' 0 '^damaged +1 entry' '' cache stats
  under "JIG_CACHE_PATH=$JIG_CACHE_DIR JIG_CACHE_DIR=$dir/other" try 'cache ls: read-only layer' 0 '  \(read-only layer 1\)  ' '' cache ls
  under "JIG_CACHE_PATH=$JIG_CACHE_DIR JIG_CACHE_DIR=$dir/other" try 'cache clear: leaves layers' 0 '^removed 0 entries' '' cache clear
  try 'cache ls --damaged' 0 'damaged: ' '' cache ls --damaged
  also 'cache ls --damaged: one' [ "$(wc -l <"$dir/out")" -eq 2 ]
  try 'cache stats: limit' 0 '^limit +1.0 GiB, 0 % of it used$' '' cache stats
  under 'JIG_CACHE_MAX_SIZE=0' try 'cache stats: no limit' 0 '^limit +none$' '' cache stats
  try 'cache prune: what is damaged' 0 '^removed 1 entry, ' '' cache prune
  count=$((count - 1))
  try 'cache rm' 0 '^removed 1 entry, ' '' cache rm "$(find "$JIG_CACHE_DIR" -name '*.jig' | head -n 1 | sed 's/.*v1.\(..\).\([0-9a-f]*\).*/\1\2/')"
  count=$((count - 1))
  also 'cache rm: gone' [ "$(find "$JIG_CACHE_DIR" -name '*.jig' | wc -l)" -eq "$count" ]
  try 'cache clear --dry-run' 0 "^would remove $count entries, .* from $JIG_CACHE_DIR$" '' cache clear --dry-run
  try 'cache stats: still there' 0 "^all +$count entries " '' cache stats
  try 'cache clear' 0 "^removed $count entries, " '' cache clear
  also 'cache clear: gone' [ -z "$(find "$JIG_CACHE_DIR" -name '*.jig')" ]
}

try 'cache path' 0 "^$JIG_CACHE_DIR$" '' cache path
under "HOME= XDG_CACHE_HOME= JIG_CACHE_DIR=" try 'cache path: none' 1 '' 'no cache directory' cache path
under "HOME= XDG_CACHE_HOME= JIG_CACHE_DIR=" try 'cache clear: none' 1 '' 'no cache directory' cache clear
try 'cache ls: empty' 0 '' '' cache ls
if command -v script >/dev/null; then
  script -qec "'$jig' cache ls" /dev/null >"$dir/out" 2>"$dir/err"
  also 'cache ls: empty, on a terminal' grep -q '^the cache is empty' "$dir/out"
fi
try 'cache verify: empty' 0 '^0 entries, 0 damaged$' '' cache verify
try 'cache clear: empty' 0 '^removed 0 entries' '' cache clear
mkdir "$dir/open" && chmod 777 "$dir/open"
under "JIG_CACHE_DIR=$dir/open" try 'cache ls: refused directory' 1 '' 'open is not used: writable by others' cache ls
under "JIG_CACHE_DIR=$dir/open" try 'cache verify: refused directory' 1 '^0 entries' 'open is not used' cache verify
under "JIG_CACHE_DIR=$dir/open" try 'cache clear: refused directory' 1 '' 'open is not used' cache clear
if $has_compiler; then
  compile_cases
  cache_cases
else
  skip 'prewarm, cache' 'no NVRTC'
fi

# ---- the examples of every algorithm's help

example_of() { # example_of <command> <algorithm>: what its help shows, without "jig"
  "$jig" "$1" "$2" --help | sed -n '/^example:/{n;s/^  jig //p;}'
}
algorithms=$("$jig" run frobnicate 2>&1 | sed -n 's/.*(there are: \(.*\)).*/\1/p' | tr -d ,)
bytes 01 00 00 00 02 00 00 00 03 00 00 00 >"$dir/three"
for _ in 1 2 3 4 5 6 7 8 9 10; do
  for _ in 1 2 3 4 5 6 7 8 9 10; do cat "$dir/three"; done
done >"$dir/300"
mkdir "$dir/files"
for algorithm in $algorithms; do
  eval "try 'example of prewarm $algorithm' 0 '^missing ' '' $(example_of prewarm "$algorithm") --dry-run"
  eval "try 'example of source $algorithm' 0 '^struct jig_policy' '' $(example_of source "$algorithm")"
  run=$(example_of run "$algorithm")
  for file in $(echo "$run" | grep -o '[a-z]*\.npy'); do npy 1 "'<i4'" False '(300,)' <"$dir/300" >"$dir/files/$file"; done
  for file in $(echo "$run" | grep -o '[a-z]*\.bin'); do cp "$dir/300" "$dir/files/$file"; done
  npy 1 "[('d', '<f4'), ('id', '<i4'), ('more', '<i4')]" False '(100,)' <"$dir/300" >"$dir/files/hits.npy"
  # All is well up to where a GPU is needed.
  cd "$dir/files" || exit 1
  under 'JIG_DRIVER=/nowhere/libcuda.so' eval "try 'example of run $algorithm' 3 '' 'the CUDA driver' $run"
  cd "$OLDPWD" || exit 1
done
try 'help of run: its own arguments' 0 '^  init=ITERATOR' '' run scan --help
also 'help of run: no others' [ -z "$(grep -e '--descending' -e '--k ' -e '--flags' "$dir/out")" ]
try 'help of run: files' 0 '--values FILE +the values beside the keys' '' run radix_sort --help

# ---- run: what is found out without a GPU

bytes 01 00 00 00 02 00 00 00 03 00 00 00 >"$dir/i32"
head -c 10 "$dir/i32" >"$dir/odd"
export JIG_DRIVER=/nowhere/libcuda.so
try 'run: no GPU' 3 '' '^jig run: the CUDA driver .*/nowhere/libcuda.so' run reduce --type i32 "$dir/i32"
also 'run: no GPU: what to do' grep -q '^jig run: without a GPU, --software ' "$dir/err"
try 'run: no file' 2 '' 'an algorithm and a file' run reduce --type i32
try 'run: unknown algorithm' 2 '' "no algorithm 'sort'" run sort "$dir/i32"
try 'run: missing file' 1 '' 'No such file' run reduce --type i32 "$dir/none"
try 'run: a folder' 1 '' ': Is a directory$' run reduce --type i32 "$dir"
try 'run: no type' 2 '' '--type is missing: .* raw bytes' run reduce "$dir/i32"
try 'run: no whole number of items' 1 '' '10 bytes are no whole number of i32' run reduce --type i32 "$dir/odd"
try 'run: part of a file' 3 '' 'driver' run reduce --type i32 --count 2 --offset 1 "$dir/odd"
under 'timeout 60' try 'run: part of what has no end' 3 '' 'driver' run arg_reduce --type u8 --count 5 /dev/zero
try 'run: count beyond the end' 2 '' '--count: .* only 2 items' run reduce --type i32 --count 3 "$dir/odd"
try 'run: offset beyond the end' 2 '' '--offset: .* only 10 bytes' run reduce --type i32 --offset 11 "$dir/odd"
try 'run: bad count' 2 '' "--count: '1k' is not" run reduce --type i32 --count 1k "$dir/i32"
try 'run: bad repeat' 2 '' '--repeat: 0 is not' run reduce --type i32 --repeat 0 "$dir/i32"
try 'run: operator of another type' 2 '' 'not defined' run reduce --type f32 --op bit_or "$dir/i32"
for init in 128 -129 1.5 x '' ' 1' 0x100; do
  try "run: init '$init' is no i8" 2 '' "--init: '$init' is no i8" run reduce --type i8 --init "$init" --init-type i8 "$dir/i32"
done
try 'run: init out of range' 2 '' "'1e5' is no f16" run reduce --type f16 --init 1e5 "$dir/i32"
try 'run: init of a struct' 2 '' '16 hex digits' run reduce --type hit --struct "$hit" --op-source 'return a;' --init 00 --count 1 "$dir/i32"
: >"$dir/empty"
try 'run: nothing found in nothing' 1 '' 'no value without any' run arg_reduce --type i32 --op-source 'return a < b;' "$dir/empty"
try 'run: nothing folded from nothing' 1 '' 'has no items' run reduce --type i32 --op-source 'return a;' "$dir/empty"

bytes 01 00 00 00 >"$dir/one32"
wrong_run() { # wrong_run <case> <exit status> <message> <argument>...
  name=$1 code=$2 message=$3
  shift 3
  try "run: $name" "$code" '' "$message" run "$@"
}
: >"$dir/none32"
wrong_run 'no input of that name' 2 "--in: scan has no input 'keys'" scan --in keys=a --type i32
wrong_run 'an input without a name' 2 "--in: 'a' is not NAME=FILE" scan --in a --type i32
wrong_run 'one file too many' 2 "unexpected argument '.*/i32'" scan --type i32 "$dir/i32" "$dir/i32"
wrong_run 'an input twice' 2 '--in: in is given twice' scan --type i32 --in "in=$dir/i32" --in "in=$dir/i32"
wrong_run 'no output of that name' 2 "--out: select has no output 'keys' \\(it has: out num_selected_out\\)" \
  select --type i32 "$dir/i32" --op-source 'return x > 0;' --out keys=k.npy
wrong_run 'an output twice' 2 '--out: out is given twice' scan --type i32 "$dir/i32" --out a.npy --out out=b.npy
wrong_run 'an output that is not wanted' 2 '--out: there is no values_out here' radix_sort --type i32 "$dir/i32" --out values=v.npy
wrong_run 'inputs of two lengths' 2 'values_in: 1 items, but keys_in has 3' radix_sort --type i32 "$dir/i32" --values "i32@$dir/one32"
wrong_run 'values of no type' 2 "--values: .*/i32 holds raw bytes: write TYPE@" radix_sort --type i32 "$dir/i32" --values "$dir/i32"
wrong_run 'an option of another algorithm' 2 '--k: scan has no such option' scan --type i32 --k 3 "$dir/i32"
wrong_run 'flags of another algorithm' 2 "--flags: scan has no input 'flags'" scan --type i32 --flags "$dir/i32" "$dir/i32"
wrong_run 'no k' 2 '--k is missing' top_k --type i32 "$dir/i32"
wrong_run 'no bins' 2 'give --bins, --lower and --upper, or --levels' histogram --type i32 "$dir/i32"
wrong_run 'a level that is none' 2 "--lower: 'low' is no i32" histogram --type i32 --bins 2 --lower low --upper 3 "$dir/i32"
wrong_run 'no segments' 2 'give --offsets or --segment-size' segmented_reduce --type i32 "$dir/i32"
wrong_run 'segments that do not fit' 2 '3 items are no whole number of segments of 2' segmented_reduce --type i32 --segment-size 2 "$dir/i32"
wrong_run 'offsets of nothing' 2 'has no offsets' segmented_reduce --type i32 --offsets "i32@$dir/none32" "$dir/i32"
wrong_run 'nothing says how many' 2 '--count is missing' reduce 'in=counting(i32)'
wrong_run 'a constant without a value' 2 "'constant' needs a value" reduce 'in=constant(i32)' --count 3
wrong_run 'a value of another type' 2 "in: 'x' is no i32" reduce 'in=constant(i32, x)' --count 3
wrong_run 'a pointer to nothing' 2 'in: no file is given' reduce in=i32
wrong_run 'raw bytes within an iterator' 2 "holds raw bytes: write TYPE@" reduce "in=transform(@$dir/i32, negate)"
wrong_run 'extents that are none' 2 "--extents: '2x3' is no list" bulk --extents 2x3 --count 6
wrong_run 'one file too many: what there is room for' 2 "'.*/i32': scan has no other input \\(it has: in init\\)" scan --type i32 "$dir/i32" "$dir/i32"
wrong_run 'an output without a name' 2 '--out: out: the name of a file is missing' scan --type i32 "$dir/i32" --out ''
wrong_run 'an input without a name' 1 "^jig run: '': No such file" reduce --type i32 ''
wrong_run 'an output in an archive' 2 '--out: a.npz: an array is stored in an .npy file, or raw' scan --type i32 "$dir/i32" --out a.npz
cp "$dir/i32" "$dir/i32.npz"
wrong_run 'an archive' 1 'an .npz file is an archive' reduce --type i32 "$dir/i32.npz"
wrong_run 'an output by an iterator' 2 'out: jig run stores by pointers' copy --type i32 "$dir/i32" 'out=reverse(i32)'
try 'a file where there are none' 2 '' 'in: files are for jig run only' source reduce "in=@$dir/i32" --arch sm_90

wrong_npy() { # wrong_npy <case> <exit status> <message> [<option>...]: of the file on standard input
  name=$1 code=$2 message=$3
  shift 3
  cat >"$dir/w.npy"
  try "npy: $name" "$code" '' "$message" run reduce "$@" "$dir/w.npy"
}
wrong_npy 'no npy' 1 'this is no .npy file' <"$dir/i32"
bytes 93 4e 55 4d 50 59 01 00 | wrong_npy 'cut in the prefix' 1 'cut short'
npy 1 "'<i4'" False '(3,)' </dev/null | head -c 30 | wrong_npy 'cut in the header' 1 'cut short'
npy 9 "'<i4'" False '(3,)' <"$dir/i32" | wrong_npy 'unknown version' 1 'unknown version'
npy 1 "'<i4'" False '(4,)' <"$dir/i32" | wrong_npy 'cut in the data' 1 '4 items of 4 bytes, and 12 bytes'
npy 1 "'>i4'" False '(3,)' <"$dir/i32" | wrong_npy 'big-endian' 1 'big-endian; dtype: >i4'
npy 1 "'<U4'" False '(3,)' <"$dir/i32" | wrong_npy 'strings' 1 'no counterpart in jig; dtype: <U4'
npy 1 "'<i4'" True '(2, 2)' <"$dir/i32" | wrong_npy 'Fortran order' 1 'Fortran order'
npy 1 "'<i4'" False '(3,' <"$dir/i32" | wrong_npy 'broken shape' 1 "'shape'"
npy 1 "'<i4'" False '(4294967296, 4294967296)' <"$dir/i32" | wrong_npy 'shape too large' 1 'too large'
npy 1 "'<i4'" False '(9223372036854775807,)' <"$dir/i32" | wrong_npy 'data too large' 1 'cut short'
npy 1 "'<i4'" False "(3,), 'x': 1" <"$dir/i32" | wrong_npy 'unknown member' 1 'unknown member'
npy 1 "'<i4" False '(3,)' <"$dir/i32" | wrong_npy 'open string' 1 'cannot be used'
npy 1 "[('a', '<i4'" False '(3,)' <"$dir/i32" | wrong_npy 'open list' 1 'cut short'
npy 1 "'<i4'" False '(3,)' <"$dir/i32" | wrong_npy 'another type' 2 'f32 .* is not what .* holds: <i4' --type f32
npy 1 "'<i4'" False '(3,)' <"$dir/i32" | wrong_npy 'count' 2 '--count: only for raw files' --count 1
npy 1 "[('a', '<i4')]" False '(3,)' <"$dir/i32" | wrong_npy 'structured: its struct has no plus' 2 "'plus' is not defined for struct item"
npy 1 "[('a', '>i4')]" False '(3,)' <"$dir/i32" | wrong_npy 'structured, big-endian' 1 'big-endian; dtype: a structured dtype'
npy 1 "[('a', [('b', '<i4')])]" False '(3,)' <"$dir/i32" | wrong_npy 'a struct in a struct' 2 'type is missing: .* holds a structured dtype'
npy 1 "[('a', '<i4', (2, 4611686018427387904))]" False '(1,)' <"$dir/i32" | wrong_npy 'structured: too large' 2 'type is missing'
npy 1 "[('a b', '<i4')]" False '(3,)' <"$dir/i32" | wrong_npy 'structured: no name of a member' 2 'type is missing'
npy 1 "[('a', '<i4')]" False '(3,)' <"$dir/i32" | wrong_npy 'structured of another size' 2 'hit \(8 bytes\) is not' \
  --type hit --struct "$hit" --op-source 'return a;'
npy 1 "[('a', '<i4')]" False '(3,)' <"$dir/i32" | wrong_npy 'structured as a number' 2 'i32 .* is not what' --type i32 --op max
npy 1 "'|V4'" False '(3,)' <"$dir/i32" | wrong_npy 'void of another size' 2 'is not what' --type i16 --op max
unset JIG_DRIVER

# ---- run with the fake driver: the result is the first item

fake_cases() {
  export JIG_DRIVER="$dir/fake.so"
  try 'native' 0 '^(compiled|hit) +sm_90 ' '' prewarm reduce --type i32 --arch native
  try 'run' 0 '^1$' '' run reduce --type i32 "$dir/i32"
  try 'run --count --offset' 0 '^2$' '' run reduce --type i32 --offset 4 --count 1 "$dir/i32"
  try 'run --verbose' 0 '^1$' '^kernel +0.5000 ms  .* median of 20' run reduce --type i32 -v "$dir/i32"
  also 'run --verbose: program' grep -q '^program .* found in the cache' "$dir/err"
  try 'run --repeat' 0 '^1$' 'median of 3' run reduce --type i32 --repeat 3 "$dir/i32"
  try 'run --json' 0 '"value":1[,}].*"kernel":\{"repeats":3' '' run reduce --type i32 --json --repeat 3 "$dir/i32"
  try 'run arg_reduce' 0 '^1 7$' '' run arg_reduce --type i32 --op max "$dir/i32"
  try 'run arg_reduce --index-type' 0 '^1 7$' '' run arg_reduce --type i32 --index-type u8 "$dir/i32"
  try 'run arg_reduce --no-value' 0 '^7$' '' run arg_reduce --type i32 --no-value "$dir/i32"
  try 'run arg_reduce --json' 0 '"value":1,"index":7' '' run arg_reduce --type i32 --json "$dir/i32"
  try 'run: no items' 0 '^0$' '' run reduce --type i32 "$dir/empty"
  under "FAKE_DEVICES=0" try 'run: no device' 3 '' 'shows no device' run reduce --type i32 "$dir/i32"
  under "FAKE_DEVICES=0" try 'native: no device' 3 '' 'no GPU here' prewarm reduce --type i32 --arch native
  npy 1 "'<i4'" False '(3,)' <"$dir/i32" >"$dir/a.npy"
  try 'run: npy' 0 '^1$' '' run reduce "$dir/a.npy"
  npy 2 "'|b1'" True '(12,)' <"$dir/i32" >"$dir/a.npy"
  try 'run: npy 2.0, one dimension' 0 '^true$' '' run reduce --op logical_or "$dir/a.npy"
  try 'run: npy, a sum of bools' 0 '^1$' '' run reduce "$dir/a.npy"
  npy 3 "'<i4'" False '(3L, 1L)' <"$dir/i32" >"$dir/a.npy"
  try 'run: npy 3.0, two dimensions' 0 '^1$' '' run reduce --type i32 "$dir/a.npy"
  npy 1 "'<f4'" False '()' <"$dir/i32" >"$dir/a.npy"
  try 'run: npy without dimensions' 0 '^1e-45$' '' run reduce "$dir/a.npy"
  npy 1 "[('a', '<i4'), ('it\\'s', '|V4')]" False '(1,)' <"$dir/i32" >"$dir/a.npy"
  head -c -4 "$dir/a.npy" >"$dir/b.npy"
  try 'run: npy, structured' 0 '^0100000002000000 \{d=1e-45, id=2\}$' '' \
    run reduce --type hit --struct "$hit" --op-source 'return a;' "$dir/b.npy"

  shown() { # shown <type> <text> <hex>...: how a value is printed, and that it is read back
    type=$1 text=$2
    shift 2
    bytes "$@" >"$dir/value"
    try "run: $type $text" 0 "^$text\$" '' run reduce --type "$type" --op max --init "$text" "$dir/value"
  }
  shown i8 -128 80
  shown u8 255 ff
  shown i64 -9223372036854775808 00 00 00 00 00 00 00 80
  shown u64 18446744073709551615 ff ff ff ff ff ff ff ff
  shown i128 -170141183460469231731687303715884105728 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 80
  shown u128 340282366920938463463374607431768211455 ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff
  shown f16 0.1 66 2e
  shown f16 65504 ff 7b
  shown f16 6e-08 01 00
  shown bf16 0.1 cd 3d
  shown bf16 -inf 80 ff
  shown f32 0.1 cd cc cc 3d
  shown f32 16777216 00 00 80 4b
  shown f32 -0 00 00 00 80
  shown f64 0.30000000000000004 34 33 33 33 33 33 d3 3f
  shown f64 nan 00 00 00 00 00 00 f8 7f
  shown bool false 00
  bytes ff ff ff ff ff ff ff ff >"$dir/value"
  try 'run --json: 64 bits' 0 '"value":"18446744073709551615"' '' run reduce --type u64 --op max --json "$dir/value"
  bytes 02 01 00 00 ff ff 00 00 00 00 c0 3f 07 00 00 00 >"$dir/value"
  many='many:16:4:struct many { uint8_t a, b; short c[2]; float f; unsigned int u; };'
  try 'run: members' 0 ' \{a=2, b=1, c=\[0, -1\], f=0, u=1069547520\}$|c=\[0, -1\]' '' \
    run reduce --type many --struct "$many" --op-source 'return a;' "$dir/value"
  try 'run --json: members' 0 '"fields":\{"a":2,"b":1,"c":\[0,-1\]' '' \
    run reduce --type many --struct "$many" --op-source 'return a;' --json "$dir/value"
  # What comes through a pipe is read on while the GPU is opened: more than a pipe holds, and is read before.
  mkfifo "$dir/pipe"
  { head -c 3000000 /dev/zero && : >"$dir/written" && head -c 1000001 /dev/zero; } >"$dir/pipe" &
  input=$dir/pipe
  under "FAKE_KERNELS=0 FAKE_WAIT=$dir/written" try 'run: a pipe is read before the GPU is there' 0 '^0$' \
    '^file .* 3\.8 MiB, .*' run reduce --type u8 --memory 64K --time -
  unset input
  wait
  also 'run: the pipe: all is given back' test -z "$(grep leaked "$dir/err")"
  # What a read-only layer has cannot be removed when the driver refuses it.
  JIG_CACHE_DIR="$dir/layer" "$jig" prewarm reduce --type i32 --arch sm_90,compute_90 >/dev/null
  refused="JIG_CACHE_PATH=$dir/layer JIG_CACHE_DIR=$dir/beside"
  under "FAKE_REFUSE=cubin $refused" try 'run: cached PTX instead of what the driver refuses' 0 '^1$' '' \
    run reduce --type i32 "$dir/i32"
  under "FAKE_REFUSE=cubin JIG_BUILD=never $refused" try 'run: so too where nothing may be built' 0 '^1$' '' \
    run reduce --type i32 "$dir/i32"
  also 'run: nothing was compiled' test ! -e "$dir/beside"
  under "FAKE_REFUSE=all JIG_BUILD=never $refused" try 'run: all that is cached is refused' 1 '' 'CUDA_ERROR_FAKE' \
    run reduce --type i32 "$dir/i32"
  under "FAKE_REFUSE=all $refused" try 'run: everything is refused' 1 '' 'CUDA_ERROR_FAKE' run reduce --type i32 "$dir/i32"
  also 'run: another was compiled first' test -d "$dir/beside"
  JIG_CACHE_DIR="$dir/ptx" "$jig" prewarm reduce --type i32 --arch compute_87 >/dev/null
  under "JIG_BUILD=never JIG_CACHE_DIR=$dir/ptx" try 'run: cached PTX for an older GPU' 0 '^1$' '' \
    run reduce --type i32 "$dir/i32"

  secret='secret:16:4:struct secret { int a[4]; int get() { return a[0]; } };'
  try 'run: a definition that is not simple' 0 '^02010000ffff00000000c03f07000000$' '' \
    run reduce --type secret --struct "$secret" --op-source 'return a;' "$dir/value"

  for call in cuDeviceGet cuDevicePrimaryCtxRetain cuCtxSetCurrent cuStreamCreate cuEventCreate cuModuleLoadData \
    cuModuleGetFunction cuMemAlloc cuMemcpyHtoDAsync cuStreamSynchronize cuLaunchKernel cuMemcpyDtoHAsync \
    cuEventRecord cuEventSynchronize cuEventElapsedTime; do
    under "FAKE_FAIL=$call" try "run: $call fails" 1 '' 'CUDA_ERROR_FAKE' run arg_reduce --type i32 --repeat 1 "$dir/i32"
    also "run: all is given back when $call fails" test -z "$(grep leaked "$dir/err")"
  done
  unset JIG_DRIVER
}

if ! $has_compiler; then
  skip 'run with a fake driver' 'no NVRTC'
elif ${CC:-cc} -shared -fPIC -I"${CUDA_HOME:-/usr/local/cuda}/include" -o "$dir/fake.so" "$here/fake_cuda.c" 2>"$dir/err"; then
  fake_cases
else
  skip 'run with a fake driver' 'no C compiler or cuda.h'
fi

# ---- run on a GPU

gpu() { # gpu <case> <standard output> <argument>...
  if $has_gpu; then
    name=$1 out=$2
    shift 2
    under "$driver" try "GPU: $name" 0 "$out" '' "$@"
  else
    skip "$1" 'no GPU'
  fi
}
bytes 03 00 00 00 >"$dir/threes" && repeat "$dir/threes" 17
bytes 00 3c >"$dir/ones" && repeat "$dir/ones" 10
bytes 00 00 80 3f 05 00 00 00 00 00 00 3f 09 00 00 00 >"$dir/hits"
gpu 'sum' '^393216$' run reduce --type i32 "$dir/threes"
gpu 'sum in i128 with an init' '^393215$' run reduce --type i32 --out-type i128 --init -1 "$dir/threes"
gpu 'sum of bytes: the accumulator' '^393216$' run reduce --type u8 "$dir/threes"
gpu 'sum of bytes, --json' '"out_type":"i32","value":393217' run reduce --type u8 --init 1 --json "$dir/threes"
gpu 'sum of bytes, cut' '^7$' run reduce --type u8 --out-type u8 --init 7 "$dir/threes"
gpu 'minimum of bytes' '^0$' run reduce --type u8 --op min "$dir/threes"
gpu 'operator' '^3$' run reduce --type i32 --op-source 'return a < b ? a : b;' --commutative "$dir/threes"
gpu 'transform' '^1179648$' run reduce --type i32 --transform 'return x * x;' "$dir/threes"
gpu 'half' '^1024$' run reduce --type f16 "$dir/ones"
gpu 'part of a file' '^30$' run reduce --type i32 --offset 8 --count 10 "$dir/threes"
gpu 'struct' '^0000003f09000000 \{d=0.5, id=9\}$' \
  run reduce --type hit --struct "$hit" --op-source 'return a.d < b.d ? a : b;' "$dir/hits"
gpu 'struct with an init' '^0000803e07000000 \{d=0.25, id=7\}$' \
  run reduce --type hit --struct "$hit" --op-source 'return a.d < b.d ? a : b;' --init 0000803e07000000 "$dir/hits"
gpu 'no items' '^2147483647$' run reduce --type i32 --op min "$dir/empty"
gpu 'arg_reduce' '^3 2$' run arg_reduce --type i32 --op max "$dir/i32"
gpu 'arg_reduce without a value' '^0$' run arg_reduce --type i32 --no-value "$dir/i32"
gpu 'arg_reduce of structs by an order' '^0000003f09000000 \{d=0.5, id=9\} 1$' \
  run arg_reduce --type hit --struct "$hit" --op-source 'return a.d < b.d;' "$dir/hits"
npy 1 "[('d', '<f4'), ('id', '<i4')]" False '(2,)' <"$dir/hits" >"$dir/hits.npy"
gpu 'arg_reduce of a structured .npy' '^0000003f09000000 \{d=0.5, id=9\} 1$' \
  run arg_reduce --type hit --struct "$hit" --op-source 'return a.d < b.d;' "$dir/hits.npy"
gpu 'arg_reduce of structs, the largest' '"value":\{"bytes":"0000803f05000000".*,"index":0' \
  run arg_reduce --type hit --struct "$hit" --op max --op-source 'return a.d < b.d;' --index-type u8 --json "$dir/hits"
gpu 'arg_reduce of nothing by an order' '^-1$' \
  run arg_reduce --type hit --struct "$hit" --op-source 'return a.d < b.d;' --no-value "$dir/empty"
gpu 'arg_reduce of nothing' '^2147483647 -1$' run arg_reduce --type i32 "$dir/empty"
gpu 'kernel time' '"value":393216.*"kernel":\{"repeats":5,"median_ms":[0-9]' run reduce --type i32 --repeat 5 --json "$dir/threes"
gpu 'headers and an option' '^8$' run reduce --init 2 -I "$dir/one" -I "$dir/two" --compile-option -DSCALE=1 \
  --type i32 --op-source "$includes" "$dir/i32"

# ---- run on the software GPU, which is beside the tool

alone=$dir/alone && mkdir "$alone" && cp "$jig" "$alone/jig"
built=$jig
if [ ! -e "$(dirname "$built")/softgpu/libcuda.so.1" ]; then
  skip 'run --software' 'no software GPU was built'
elif ! $has_compiler; then
  skip 'run --software' 'no NVRTC'
else
  try 'run --software' 0 '^393216$' '' run reduce --type i32 --software "$dir/threes"
  under 'JIG_DRIVER=/nowhere' try 'run --software with a JIG_DRIVER' 0 '^3 2$' '' \
    run arg_reduce --type i32 --op max --software "$dir/i32"
  cp "$dir/threes" "$dir/more" && repeat "$dir/more" 3
  under 'JIG_SOFTGPU_MEMORY=1M' try 'run --software takes its variables' 1 '' 'cuMemAlloc: .*OUT_OF_MEMORY' \
    run reduce --type i32 --software "$dir/more"
fi
jig=$alone/jig
if [ ! -e /usr/local/lib/jig/softgpu/libcuda.so.1 ]; then
  try 'run --software where it is not installed' 3 '' \
    "^jig run: the software GPU is neither $alone/softgpu/libcuda.so.1 nor .* 'make install-softgpu' installs it" \
    run reduce --type i32 --software "$dir/threes"
fi
jig=$built
try 'what run --software is' 0 '--software .*CPU' '' run --help

gpu 'native' '^(compiled|hit) +sm_' prewarm reduce --type i32 --arch native

end_tests
