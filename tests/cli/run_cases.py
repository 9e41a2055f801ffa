#!/usr/bin/env python3
"""jig run of every algorithm over random .npy files, compared with what Python makes of them.

    run_cases.py <jig> <folder> <--software or ''> [<algorithm>...]

Takes nothing but Python itself. Where NumPy is installed, half of the files are its own, it reads every result
as well, and has to find the same items, and to make the same of what goes in. The seed is $JIG_TEST_SEED or the
day's number; what fails tells it.
"""

import bisect
import functools
import itertools
import operator
import os
import pty
import random
import re
import resource
import signal
import struct
import subprocess
import sys
import time
from select import select as is_ready

try:
    import numpy
except ImportError:
    numpy = None

jig, folder, software = sys.argv[1:4]
only = set(sys.argv[4:])
seed = int(os.environ.get("JIG_TEST_SEED") or time.time() // 86400)
draw = random.Random(seed)

FORMATS = {"i1": "b", "u1": "B", "i2": "h", "u2": "H", "i4": "i", "u4": "I", "i8": "q", "u8": "Q",
           "f4": "f", "f8": "d", "b1": "?"}
INTEGERS = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]

# ---- .npy files


def descr_text(dtype):
    return repr(dtype) if isinstance(dtype, list) else repr("<" + dtype)


def struct_format(dtype):
    if isinstance(dtype, list):
        return "<" + "".join(FORMATS[field[1:]] for _, field in dtype)
    return "<" + FORMATS[dtype]


def write_npy(name, dtype, items):
    """Items are numbers or, of a structured dtype, tuples."""
    if numpy is not None and draw.random() < 0.5:
        array = numpy.array(items, dtype=dtype if isinstance(dtype, list) else "<" + dtype)
        numpy.save(os.path.join(folder, name), array)
        return os.path.join(folder, name)
    header = "{'descr': %s, 'fortran_order': False, 'shape': (%d,), }" % (descr_text(dtype), len(items))
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    one = struct.Struct(struct_format(dtype))
    with open(os.path.join(folder, name), "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(b"".join(one.pack(*item) if isinstance(item, tuple) else one.pack(item) for item in items))
    return os.path.join(folder, name)


def read_npy(name):
    """The dtype and the items; by NumPy, too, which has to find the same."""
    with open(name, "rb") as file:
        data = file.read()
    start = 12 if data[6] > 1 else 10
    length = int.from_bytes(data[8:start], "little")
    header = eval(data[start : start + length].decode())  # a dictionary, which jig has just written
    descr = header["descr"]
    assert (start + length) % 64 == 0, "the data is not aligned"
    assert not header["fortran_order"] and len(header["shape"]) == 1, header
    body = data[start + length :]
    if isinstance(descr, list):
        one = struct.Struct("<" + "".join("%dx" % int(f[1][2:]) if f[0] == "" else FORMATS[f[1][1:]] for f in descr))
        items = list(one.iter_unpack(body))
    else:
        one = struct.Struct("<" + FORMATS[descr[1:]])
        items = [item[0] for item in one.iter_unpack(body)]
    assert len(items) == header["shape"][0], "%d items, not %d" % (len(items), header["shape"][0])
    if numpy is not None:
        assert numpy.array_equal(numpy.load(name), numpy.frombuffer(body, dtype=descr)), "NumPy reads something else"
    return descr, items


# ---- random items


def numbers(dtype, count, span=None):
    if dtype[0] == "f":
        return [draw.randrange(-1000, 1000) / 8 for _ in range(count)]
    bits = 8 * int(dtype[1:])
    low, high = (0, 2**bits - 1) if dtype[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    if span is not None:
        low, high = max(low, 0), min(high, span)
    return [draw.randint(low, high) for _ in range(count)]


def small(count):
    """A type and numbers whose sums it has room for."""
    dtype = draw.choice(["i4", "u4", "i8", "u8", "f4", "f8"])
    return dtype, [draw.randrange(0, 100) for _ in range(count)]


def runs(dtype, count):
    """Neighbours are often equal."""
    items = []
    while len(items) < count:
        items += [draw.randrange(0, 100)] * draw.choice([1, 1, 2, 5, 70])
    return items[:count]


def offsets_of(count, segments):
    inner = sorted(draw.randrange(0, count + 1) for _ in range(segments - 1))
    return [0] + inner + [count]


def size():
    return draw.choice([1, 2, 31, 1000, 4097, draw.randrange(1, 20000)])


# ---- running

passed = failed = 0
covered, numpy_cases = set(), set()
running = None


def run(*args, stdin=None):
    command = [jig, "run"] + ([software] if software else []) + [str(a) for a in args]
    done = subprocess.run(command, stdin=stdin or subprocess.DEVNULL, capture_output=True, cwd=folder, check=False)
    if done.returncode != 0:
        raise AssertionError("exit status %d: %s" % (done.returncode, done.stderr.decode(errors="replace")[:500]))
    return done.stdout


def same(what, got, wanted):
    if len(got) != len(wanted):
        raise AssertionError("%s: %d items, not %d" % (what, len(got), len(wanted)))
    for i, (a, b) in enumerate(zip(got, wanted)):
        if a != b:
            raise AssertionError("%s: item %d is %r, not %r" % (what, i, a, b))


def by_numpy(wanted, make):
    """NumPy, where it is, has to make that of it, too."""
    numpy_cases.add(running)
    if numpy is not None:
        same("NumPy", numpy.asarray(make(numpy)).tolist(), wanted)


def check(algorithm, *args, **outputs):
    """Runs it with an --out for each output, and compares these."""
    options = []
    for name in outputs:
        options += ["--out", "%s=%s.npy" % (name, name)]
    run(algorithm, *args, *options)
    for name, wanted in outputs.items():
        _, got = read_npy(os.path.join(folder, name + ".npy"))
        same(name, got, wanted)


def case(function):
    """A test, of the algorithm that its name begins with ("__" and what it is about may follow)."""
    global passed, failed, running
    algorithm = running = function.__name__.split("__")[0]
    covered.add(algorithm)
    if only and algorithm not in only:
        return
    try:
        function()
        passed += 1
    except (AssertionError, OSError, ValueError, struct.error) as problem:
        failed += 1
        print("FAILED: %s (JIG_TEST_SEED=%d): %s" % (function.__name__, seed, problem))


# ---- the cases


@case
def reduce():
    dtype, items = small(size())
    check("reduce", write_npy("a.npy", dtype, items), out=[sum(items)])
    by_numpy([sum(items)], lambda np: [np.array(items, dtype).sum()])


@case
def reduce__printed():
    dtype = draw.choice(INTEGERS)
    items = numbers(dtype, size())
    assert run("reduce", "--op", "max", write_npy("a.npy", dtype, items)).decode() == "%d\n" % max(items)


@case
def reduce__iterator():
    items, others = numbers("i4", 500, 100), numbers("i4", 500, 100)
    write_npy("a.npy", "i4", items)
    write_npy("b.npy", "i4", others)
    got = run("reduce", "in=zip_transform(@a.npy, @b.npy, multiplies)", "--accum", "i64").decode()
    assert got == "%d\n" % sum(a * b for a, b in zip(items, others)), got


@case
def reduce__pipe():
    items = numbers("u2", 3000)
    with open(write_npy("a.npy", "u2", items), "rb") as file:
        assert run("reduce", "-", "--accum", "u64", stdin=file).decode() == "%d\n" % sum(items)
    with subprocess.Popen(["cat", os.path.join(folder, "a.npy")], stdout=subprocess.PIPE) as cat:
        assert run("reduce", "-", "--accum", "u64", stdin=cat.stdout).decode() == "%d\n" % sum(items)


@case
def reduce__structured():
    dtype = draw.choice([[("d", "<f4"), ("id", "<i4")], [("a", "<u1"), ("d", "<f8"), ("id", "<i2")]])
    items = [tuple(draw.randrange(0, 100) for _ in dtype) for _ in range(size())]
    least = min(items, key=lambda item: item[[name for name, _ in dtype].index("d")])
    body = "return b.d < a.d ? b : a;"
    check("reduce", "--op-source", body, write_npy("a.npy", dtype, items), out=[least])


@case
def arg_reduce():
    dtype = draw.choice(INTEGERS)
    items = numbers(dtype, size())
    check("arg_reduce", "--op", "max", write_npy("a.npy", dtype, items), value=[max(items)],
          index=[items.index(max(items))])
    by_numpy([items.index(max(items))], lambda np: [np.argmax(np.array(items, dtype))])


@case
def scan():
    dtype, items = small(size())
    check("scan", write_npy("a.npy", dtype, items), out=list(itertools.accumulate(items)))
    by_numpy(list(itertools.accumulate(items)), lambda np: np.cumsum(np.array(items, dtype)))
    wanted = [7 + total for total in [0] + list(itertools.accumulate(items))[:-1]]
    check("scan", "--exclusive", "--init", "7", "a.npy", out=wanted)


@case
def scan_by_key():
    count = size()
    dtype, items = small(count)
    keys = runs("u1", count)
    wanted = []
    for _, group in itertools.groupby(zip(keys, items), key=lambda pair: pair[0]):
        wanted += itertools.accumulate(item for _, item in group)
    check("scan_by_key", "--keys", write_npy("k.npy", "u1", keys), "--values", write_npy("v.npy", dtype, items),
          values=wanted)
    starts = [i for i in range(count) if i == 0 or keys[i] != keys[i - 1]]
    by_numpy(wanted, lambda np: np.concatenate([np.cumsum(part) for part in np.split(np.array(items), starts[1:])]))


@case
def segmented_scan():
    dtype, items = small(size())
    offsets = offsets_of(len(items), draw.randrange(1, 50))
    wanted = []
    for begin, end in zip(offsets, offsets[1:]):
        wanted += itertools.accumulate(items[begin:end])
    check("segmented_scan", write_npy("a.npy", dtype, items), "--offsets", write_npy("o.npy", "i8", offsets),
          out=wanted)
    by_numpy(wanted, lambda np: np.concatenate([np.cumsum(part) for part in np.split(np.array(items), offsets[1:-1])]))


@case
def reduce_by_key():
    count = size()
    dtype, items = small(count)
    keys = runs("i2", count)
    groups = [(key, sum(item for _, item in group))
              for key, group in itertools.groupby(zip(keys, items), key=lambda pair: pair[0])]
    check("reduce_by_key", "--keys", write_npy("k.npy", "i2", keys), "--values", write_npy("v.npy", dtype, items),
          keys=[key for key, _ in groups], aggregates=[total for _, total in groups], num_runs=[len(groups)])
    starts = [i for i in range(count) if i == 0 or keys[i] != keys[i - 1]]
    by_numpy([total for _, total in groups], lambda np: np.add.reduceat(np.array(items), starts))


@case
def run_length_encode():
    keys = runs("u4", size())
    groups = [(key, len(list(group))) for key, group in itertools.groupby(keys)]
    check("run_length_encode", write_npy("k.npy", "u4", keys), keys=[key for key, _ in groups],
          counts=[length for _, length in groups], num_runs=[len(groups)])
    by_numpy([length for _, length in groups],
             lambda np: np.diff(np.concatenate([[0], np.flatnonzero(np.diff(keys)) + 1, [len(keys)]])))


@case
def non_trivial_runs():
    keys = runs("u4", size())
    at, found = 0, []
    for _, group in itertools.groupby(keys):
        length = len(list(group))
        if length > 1:
            found.append((at, length))
        at += length
    check("non_trivial_runs", write_npy("k.npy", "u4", keys), offsets=[begin for begin, _ in found],
          lengths=[length for _, length in found], num_runs=[len(found)])

    def lengths(np):
        all_lengths = np.diff(np.concatenate([[0], np.flatnonzero(np.diff(keys)) + 1, [len(keys)]]))
        return all_lengths[all_lengths > 1]

    by_numpy([length for _, length in found], lengths)


@case
def select():
    items = numbers("i4", size(), 100)
    kept = [item for item in items if item > 40]
    check("select", "--op-source", "return x > 40;", write_npy("a.npy", "i4", items), out=kept, count=[len(kept)])
    by_numpy(kept, lambda np: np.extract(np.array(items) > 40, items))
    flags = [draw.randrange(0, 2) for _ in items]
    kept = [item for item, flag in zip(items, flags) if flag]
    check("select", "a.npy", "--flags", write_npy("f.npy", "u1", flags), out=kept, count=[len(kept)])


@case
def select__printed():
    items = numbers("i4", 300, 100)
    write_npy("a.npy", "i4", items)
    got = run("select", "--op-source", "return x > 40;", "a.npy").decode().split()
    assert got == [str(item) for item in items if item > 40]


@case
def unique():
    keys = runs("u2", size())
    first = [0] + [i for i in range(1, len(keys)) if keys[i] != keys[i - 1]]
    values = numbers("f8", len(keys))
    check("unique", write_npy("k.npy", "u2", keys), "--values", write_npy("v.npy", "f8", values),
          keys=[keys[i] for i in first], values=[values[i] for i in first], count=[len(first)])
    by_numpy([keys[i] for i in first], lambda np: np.array(keys)[np.diff(keys, prepend=-1) != 0])


@case
def partition():
    items = numbers("u1", size())
    kept, rest = [x for x in items if x < 99], [x for x in items if x >= 99]
    write_npy("a.npy", "u1", items)
    check("partition", "--op-source", "return x < 99;", "a.npy", out=kept + rest[::-1], count=[len(kept)])
    check("partition", "--op-source", "return x < 99;", "a.npy", out=kept, unselected=rest, count=[len(kept)])
    by_numpy(kept + rest, lambda np: np.array(items)[np.argsort(np.array(items) >= 99, kind="stable")])


@case
def three_way_partition():
    items = numbers("u1", size())
    first, second = [x for x in items if x < 50], [x for x in items if x > 150]
    check("three_way_partition", "--op-source", "return x < 50;", "--second-op-source", "return x > 150;",
          write_npy("a.npy", "u1", items), first=first, second=second,
          unselected=[x for x in items if 50 <= x <= 150], counts=[len(first), len(second)])
    by_numpy(first + second, lambda np: np.concatenate([np.compress(np.array(items) < 50, items),
                                                        np.compress(np.array(items) > 150, items)]).astype(int))


@case
def radix_sort():
    dtype = draw.choice(INTEGERS + ["f4", "f8"])
    items = numbers(dtype, size())
    write_npy("a.npy", dtype, items)
    check("radix_sort", "a.npy", keys=sorted(items))
    by_numpy(sorted(items), lambda np: np.sort(np.array(items, dtype)))
    order = sorted(range(len(items)), key=lambda i: items[i])
    check("radix_sort", "a.npy", "--values", "counting(u32)", keys=sorted(items), values=order)
    order = sorted(range(len(items)), key=lambda i: -items[i])
    check("radix_sort", "--descending", "--keys", "a.npy", "--values", "counting(u32)",
          keys=sorted(items, reverse=True), values=order)


@case
def segmented_sort():
    dtype = draw.choice(INTEGERS)
    items = numbers(dtype, size())
    offsets = offsets_of(len(items), draw.randrange(1, 50))
    wanted = []
    for begin, end in zip(offsets, offsets[1:]):
        wanted += sorted(items[begin:end])
    check("segmented_sort", write_npy("a.npy", dtype, items), "--offsets", write_npy("o.npy", "i4", offsets),
          keys=wanted)
    by_numpy(wanted, lambda np: np.concatenate([np.sort(part) for part in np.split(np.array(items), offsets[1:-1])]))


@case
def merge_sort():
    items = numbers("i4", size(), 50)
    values = numbers("u8", len(items))
    order = sorted(range(len(items)), key=lambda i: -items[i])
    check("merge_sort", "--op", "greater", "--keys", write_npy("a.npy", "i4", items), "--values",
          write_npy("v.npy", "u8", values), keys=[items[i] for i in order], values=[values[i] for i in order])
    by_numpy([values[i] for i in order],
             lambda np: np.array(values, "u8")[np.argsort(-np.array(items), kind="stable")])


@case
def merge_sort__structured():
    dtype = [("d", "<f4"), ("id", "<u4")]
    items = [(float(draw.randrange(0, 50)), i) for i in range(size())]
    check("merge_sort", "--op-source", "return a.d < b.d;", write_npy("a.npy", dtype, items),
          keys=sorted(items, key=lambda item: item[0]))


@case
def merge():
    first, second = sorted(numbers("i2", size())), sorted(numbers("i2", size()))
    check("merge", write_npy("a.npy", "i2", first), write_npy("b.npy", "i2", second), keys=sorted(first + second))
    by_numpy(sorted(first + second), lambda np: np.sort(np.concatenate([first, second])))


@case
def top_k():
    items = numbers("f4", size())
    k = draw.randrange(1, 2 * len(items))
    order = sorted(range(len(items)), key=lambda i: items[i])[:k]
    check("top_k", "--k", k, "--smallest", "--sorted", write_npy("a.npy", "f4", items), "--values", "counting(i64)",
          keys=[items[i] for i in order], values=order)
    by_numpy([items[i] for i in order], lambda np: np.sort(np.array(items, "f4"))[:k])


@case
def segmented_top_k():
    rows, row, k = draw.randrange(1, 40), draw.randrange(3, 300), draw.randrange(1, 4)
    items = numbers("i4", rows * row)
    wanted = []
    for i in range(rows):
        wanted += sorted(items[i * row : (i + 1) * row], reverse=True)[:k]
    check("segmented_top_k", "--k", k, "--segment-size", row, "--sorted", write_npy("a.npy", "i4", items), keys=wanted)
    by_numpy(wanted, lambda np: -np.sort(-np.array(items, "i8").reshape(rows, row), axis=1)[:, :k].ravel())


@case
def nth_element():
    items = numbers("i4", size())
    n = draw.randrange(0, len(items))
    check("nth_element", "--nth", n, write_npy("a.npy", "i4", items), nth=[sorted(items)[n]])
    by_numpy([sorted(items)[n]], lambda np: [np.partition(np.array(items), n)[n]])
    run("nth_element", "--nth", n, "a.npy", "--out", "out=out.npy")
    _, got = read_npy(os.path.join(folder, "out.npy"))
    same("all of them", sorted(got), sorted(items))
    assert all(x <= got[n] for x in got[:n]) and all(x >= got[n] for x in got[n:])


@case
def copy():
    items = numbers("i4", size(), 100)
    check("copy", write_npy("a.npy", "i4", items), "--out-type", "f64", out=[float(x) for x in items])
    places = [draw.randrange(0, len(items)) for _ in range(size())]
    write_npy("p.npy", "u4", places)
    check("copy", "in=permutation(@a.npy, @p.npy)", out=[items[i] for i in places])
    by_numpy([items[i] for i in places], lambda np: np.take(items, places))


@case
def copy__raw():
    items = numbers("i4", 100)
    data = struct.pack("<100i", *items)
    with open(os.path.join(folder, "a.bin"), "wb") as file:
        file.write(data)
    assert run("copy", "in=i32@a.bin", "--out", "-") == data
    run("copy", "--type", "i32", "--count", 7, "--offset", 8, "a.bin", "--out", "b.bin")
    with open(os.path.join(folder, "b.bin"), "rb") as file:
        assert file.read() == data[8:36]
    assert run("copy", "in=strided(i32@a.bin, 8, 4)", "--out", "-") == struct.pack("<50i", *items[1::2])


@case
def copy__part_of_a_pipe():
    """More than is read before it is known what becomes of it; the end is not waited for."""
    wanted = 70000000
    args = ["copy", "--type", "u8", "--count", str(wanted), "-", "--out", "b.bin"]
    with subprocess.Popen([jig, "run"] + ([software] if software else []) + args, stdin=subprocess.PIPE,
                          cwd=folder) as process:
        block = draw.randbytes(1000000)
        for _ in range(wanted // len(block)):
            process.stdin.write(block)
        process.stdin.flush()
        assert process.wait(300) == 0
        process.stdin.close()
    with open(os.path.join(folder, "b.bin"), "rb") as file:
        assert file.read() == block * (wanted // len(block))
    os.remove(os.path.join(folder, "b.bin"))


@case
def adjacent_difference():
    items = numbers("i8", size(), 1 << 40)
    check("adjacent_difference", write_npy("a.npy", "i8", items),
          out=[items[0]] + [b - a for a, b in zip(items, items[1:])])
    by_numpy([items[0]] + [b - a for a, b in zip(items, items[1:])], lambda np: np.diff(items, prepend=0))


@case
def memcpy_batched():
    wanted = b""
    names = []
    for i in range(draw.randrange(1, 6)):
        data = bytes(draw.randrange(0, 256) for _ in range(draw.choice([0, 1, 100, 5000])))
        names.append("buffer%d" % i)
        with open(os.path.join(folder, names[-1]), "wb") as file:
            file.write(data)
        wanted += data
    assert run("memcpy_batched", *names, "--out", "-") == wanted
    by_numpy(list(wanted), lambda np: np.concatenate([np.fromfile(os.path.join(folder, name), "u1") for name in names]))


@case
def copy_batched():
    items = numbers("u4", size())
    sizes = [draw.randrange(0, 50) for _ in range(20)]
    begins = [draw.randrange(0, max(1, len(items) - length)) for length in sizes]
    sizes = [min(length, len(items) - begin) for begin, length in zip(begins, sizes)]
    at = [0] + list(itertools.accumulate(sizes))[:-1]
    wanted = []
    for begin, length in zip(begins, sizes):
        wanted += items[begin : begin + length]
    check("copy_batched", write_npy("a.npy", "u4", items), write_npy("from.npy", "i4", begins),
          write_npy("to.npy", "u4", at), write_npy("sizes.npy", "i2", sizes), out=wanted)
    by_numpy(wanted, lambda np: np.concatenate([np.array(items, "u4")[b : b + n] for b, n in zip(begins, sizes)]))


@case
def transform():
    items = numbers("i4", size(), 1000)
    others = numbers("i4", len(items), 1000)
    check("transform", "--transform", "return x * x;", write_npy("a.npy", "i4", items), out=[x * x for x in items])
    check("transform", "--transform", "return a * b;", "--transform-type", "i64", "a.npy",
          write_npy("b.npy", "i4", others), out=[a * b for a, b in zip(items, others)])
    by_numpy([x * x for x in items], lambda np: np.square(items))
    flags = [draw.randrange(0, 2) for _ in items]
    check("transform", "a.npy", "--stencil", write_npy("f.npy", "b1", flags),
          out=[x if flag else 0 for x, flag in zip(items, flags)])


@case
def for_each():
    items = numbers("u4", size(), 1000)
    check("for_each", "--op-source", "x = x * 3 + 1;", write_npy("a.npy", "u4", items),
          **{"in": [x * 3 + 1 for x in items]})
    by_numpy([x * 3 + 1 for x in items], lambda np: np.array(items) * 3 + 1)


@case
def bulk():
    count = size()
    check("bulk", "--count", count, "--type", "u64", "--op-source", "state.out[i] = i * i;",
          out=[i * i for i in range(count)])
    by_numpy([i * i for i in range(count)], lambda np: np.arange(count) ** 2)


@case
def histogram():
    items = numbers("u1", size())
    counts = [0] * 8
    for item in items:
        counts[item // 32] += 1
    write_npy("a.npy", "u1", items)
    check("histogram", "--bins", 8, "--lower", 0, "--upper", 256, "a.npy", counts=counts)
    by_numpy(counts, lambda np: np.histogram(items, 8, (0, 256))[0])
    levels = sorted(draw.sample(range(0, 257), 5))
    counts = [0] * 4
    for item in items:
        bin_of = bisect.bisect_right(levels, item) - 1
        if 0 <= bin_of < 4:
            counts[bin_of] += 1
    check("histogram", "--levels", write_npy("l.npy", "i4", levels), "a.npy", counts=counts)


@case
def segmented_reduce():
    dtype, items = small(size())
    offsets = offsets_of(len(items), draw.randrange(1, 50))
    check("segmented_reduce", write_npy("a.npy", dtype, items), write_npy("o.npy", "u4", offsets),
          out=[sum(items[begin:end]) for begin, end in zip(offsets, offsets[1:])])
    by_numpy([sum(items[begin:end]) for begin, end in zip(offsets, offsets[1:])],
             lambda np: np.diff(np.concatenate([[0], np.cumsum(items)])[offsets]))


@case
def segmented_arg_reduce():
    rows, row = draw.randrange(1, 40), draw.randrange(1, 300)
    items = numbers("i4", rows * row, 1000)
    parts = [items[i * row : (i + 1) * row] for i in range(rows)]
    check("segmented_arg_reduce", "--op", "max", "--segment-size", row, write_npy("a.npy", "i4", items),
          value=[max(part) for part in parts], index=[part.index(max(part)) for part in parts])
    by_numpy([part.index(max(part)) for part in parts], lambda np: np.argmax(parts, axis=1))


@case
def find_if():
    items = numbers("i4", size(), 1000)
    wanted = next((i for i, x in enumerate(items) if x > 900), len(items))
    check("find_if", "--op-source", "return x > 900;", write_npy("a.npy", "i4", items), out=[wanted])
    check("find_if", "mode=any_of", "--op-source", "return x > 900;", "a.npy", out=[int(wanted < len(items))])
    by_numpy([wanted], lambda np: np.flatnonzero(np.array(items + [901]) > 900)[:1])


@case
def binary_search():
    items, needles = sorted(numbers("i4", size(), 1000)), numbers("i4", size(), 1000)
    check("binary_search", "bound=equal_range", write_npy("a.npy", "i4", items), "--needles",
          write_npy("n.npy", "i4", needles), out=[bisect.bisect_left(items, x) for x in needles],
          upper=[bisect.bisect_right(items, x) for x in needles])
    by_numpy([bisect.bisect_left(items, x) for x in needles], lambda np: np.searchsorted(items, needles))


@case
def min_max():
    dtype = draw.choice(INTEGERS)
    items = numbers(dtype, size())
    check("min_max", write_npy("a.npy", dtype, items), min=[min(items)], max=[max(items)],
          min_index=[items.index(min(items))], max_index=[items.index(max(items))])
    by_numpy([min(items), max(items)], lambda np: [np.array(items, dtype).min(), np.array(items, dtype).max()])


@case
def set_operation():
    first, second = sorted(numbers("u2", size(), 300)), sorted(numbers("u2", size(), 300))
    wanted = []
    for key in sorted(set(first)):
        wanted += [key] * min(first.count(key), second.count(key))
    check("set_operation", "mode=intersection", write_npy("a.npy", "u2", first), write_npy("b.npy", "u2", second),
          keys=wanted, count=[len(wanted)])
    by_numpy(sorted(set(wanted)), lambda np: np.intersect1d(first, second).astype(int))


@case
def is_sorted():
    items = sorted(numbers("i4", size()))
    assert run("is_sorted", write_npy("a.npy", "i4", items)) == b"1\n"
    items += [items[-1] - 1]
    check("is_sorted", "mode=until", write_npy("a.npy", "i4", items), out=[len(items) - 1])
    by_numpy([len(items) - 1], lambda np: np.flatnonzero(np.diff(items) < 0)[:1] + 1)


@case
def reverse():
    items = numbers("f8", size())
    check("reverse", write_npy("a.npy", "f8", items), out=items[::-1])
    by_numpy(items[::-1], lambda np: np.flip(items))


# ---- in chunks: with as little memory as this takes a dozen of them, and a pipe whose end is not known


def piped(name, *args):
    """Runs it with a file in standard input that is no regular file."""
    with subprocess.Popen(["cat", os.path.join(folder, name)], stdout=subprocess.PIPE) as cat:
        return run(*args, stdin=cat.stdout)


def chunked(*args, memory="64K", **outputs):
    """As check(), in chunks; from a pipe, too, if the file is called a.npy."""
    check(args[0], "--memory", memory, *args[1:], **outputs)
    if "a.npy" not in args:
        return
    options = []
    for name in outputs:
        options += ["--out", "%s=%s.npy" % (name, name)]
    piped("a.npy", args[0], "--memory", memory, *["-" if arg == "a.npy" else arg for arg in args[1:]], *options)
    for name, wanted in outputs.items():
        _, got = read_npy(os.path.join(folder, name + ".npy"))
        same(name + " of a pipe", got, wanted)


def fails(message, *args, **options):
    """It fails with that message, and takes back what it has in $TMPDIR."""
    command = [jig, "run"] + ([software] if software else []) + [str(a) for a in args]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, cwd=folder, check=False, **options)
    got = done.stderr.decode(errors="replace")
    assert done.returncode in (1, 2), "exit status %d: %s" % (done.returncode, got[:500])
    assert message in got, got[:500]


def large():
    return draw.randrange(30000, 40000)


def composed(first, second):
    """Functions x -> a * x + b, one after the other: associative, and not commutative."""
    return (first[0] * second[0]) % 2**32, (first[1] * second[0] + second[1]) % 2**32


COMPOSE = "item c; c.a = a.a * b.a; c.b = a.b * b.a + b.b; return c;"


@case
def reduce__chunks():
    dtype, items = small(large())
    write_npy("a.npy", dtype, items)
    chunked("reduce", "a.npy", out=[sum(items)])
    chunked("reduce", "--init", "7", "a.npy", out=[7 + sum(items)])
    chunked("reduce", "--op", "max", "--out-type", "f64", "a.npy", out=[float(max(items))])
    report = subprocess.run([jig, "run"] + ([software] if software else []) + ["reduce", "--memory", "64K", "--time",
                            "a.npy"], capture_output=True, cwd=folder, check=True).stderr.decode()
    assert " chunks of " in report and "GB/s" in report and "\r" not in report, report


@case
def reduce__chunks_in_order():
    dtype = [("a", "<u4"), ("b", "<u4")]
    items = [(draw.randrange(0, 2**32), draw.randrange(0, 2**32)) for _ in range(large())]
    write_npy("a.npy", dtype, items)
    chunked("reduce", "--op-source", COMPOSE, "a.npy", out=[functools.reduce(composed, items)])


@case
def reduce__chunks_of_iterators():
    count = large()
    items, places = numbers("i4", 500, 100), [draw.randrange(0, 500) for _ in range(count)]
    others = numbers("i2", count, 100)
    for name, dtype, values in ("t", "i4", items), ("p", "u2", places), ("b", "i2", others):
        write_npy(name + ".npy", dtype, values)
    wanted = sum(items[place] * other for place, other in zip(places, others))
    chunked("reduce", "in=zip_transform(permutation(@t.npy, @p.npy), @b.npy, { return a * b; }) as i64", out=[wanted])
    wanted = sum((5 + 3 * i) * other for i, other in enumerate(others))
    chunked("reduce", "in=zip_transform(counting_by(i64, 5, 3), @b.npy, { return a * b; }) as i64", out=[wanted])


@case
def reduce__raw_pipe():
    items = numbers("u2", large() * 3)
    with open(os.path.join(folder, "a.bin"), "wb") as file:
        file.write(struct.pack("<%dH" % len(items), *items))
    args = ["reduce", "--type", "u16", "--accum", "u64", "--memory", "64K", "-"]
    assert piped("a.bin", *args) == b"%d\n" % sum(items)
    assert piped("a.bin", *args, "--offset", 6, "--count", 40000) == b"%d\n" % sum(items[3:40003])
    with open(os.path.join(folder, "a.bin"), "ab") as file:
        file.write(b"x")
    try:
        piped("a.bin", *args)
    except AssertionError as problem:
        assert "no whole number of items" in str(problem), problem
    else:
        raise AssertionError("half an item was taken for one")


@case
def reduce__into_an_iterator():
    items = numbers("i4", large(), 100)
    write_npy("a.npy", "i4", items)
    out = "out=transform_output(f64, { return x / 2.0; }) as i32"
    check("reduce", out, "a.npy", out=[sum(items) / 2])
    chunked("reduce", out, "a.npy", out=[sum(items) / 2])


@case
def scan__into_an_iterator():
    items = numbers("i4", large(), 100)
    write_npy("a.npy", "i4", items)
    out = "out=transform_output(i64, { return -x; }) as i32"
    wanted = [-total for total in itertools.accumulate(items)]
    check("scan", out, "a.npy", out=wanted)
    chunked("scan", out, "a.npy", out=wanted)
    fails("out: jig run stores by pointers", "scan", "out=reverse(i32)", "a.npy")
    fails("there is no out here", "scan", "out=discard(i32)", "a.npy", "--out", "b.npy")


@case
def select__into_nothing():
    items = numbers("i4", large(), 100)
    write_npy("a.npy", "i4", items)
    wanted = b"%d\n" % sum(1 for item in items if item > 40)
    for memory in [], ["--memory", "64K"]:
        assert run("select", "out=discard(i32)", "--op-source", "return x > 40;", *memory, "a.npy") == wanted


@case
def merge_sort__into_iterators():
    items = numbers("i4", 7000, 100)
    write_npy("a.npy", "i4", items)
    out = "keys_out=transform_output(f64, { return x / 2.0; }) as i32"
    check("merge_sort", out, "a.npy", keys=[item / 2 for item in sorted(items)])
    fails("keys_out: what is sorted in chunks", "merge_sort", out, "--memory", "32K", "a.npy")
    fails("keys_out: what is sorted in chunks", "merge_sort", "keys_out=discard(i32)", "--memory", "32K", "a.npy")
    values = ["--values", "counting(u32)", "values_out=discard(u32)"]
    check("merge_sort", *values, "--memory", "32K", "a.npy", keys=sorted(items))


@case
def scan__chunks():
    dtype, items = small(large())
    sums = list(itertools.accumulate(items))
    write_npy("a.npy", dtype, items)
    chunked("scan", "a.npy", out=sums)
    chunked("scan", "--exclusive", "--init", "7", "a.npy", out=[7 + total for total in [0] + sums[:-1]])
    assert run("scan", "--memory", "64K", "a.npy").decode().split() == ["%d" % total for total in sums]


@case
def scan__long_chunks():
    data = draw.randbytes(9000000)  # long enough to be read and written by several threads
    with open(os.path.join(folder, "a.bin"), "wb") as file:
        file.write(data)
    run("scan", "--type", "u8", "--op", "bit_xor", "--memory", "16M", "a.bin", "--out", "b.bin")
    with open(os.path.join(folder, "b.bin"), "rb") as file:
        assert file.read() == bytes(itertools.accumulate(data, operator.xor)), "something else"


@case
def scan__chunks_in_order():
    dtype = [("a", "<u4"), ("b", "<u4")]
    items = [(draw.randrange(0, 2**32), draw.randrange(0, 2**32)) for _ in range(large())]
    write_npy("a.npy", dtype, items)
    chunked("scan", "--op-source", COMPOSE, "a.npy", out=list(itertools.accumulate(items, composed)))


@case
def scan__chunks_carry_accumulators():
    items = [draw.randrange(0, 100) for _ in range(large())]
    write_npy("a.npy", "u1", items)
    wanted = [total % 256 for total in itertools.accumulate(items)]
    chunked("scan", "--accum", "u32", "--out-type", "u8", "a.npy", out=wanted)


@case
def select__chunks():
    items = numbers("i4", large(), 100)
    kept = [item for item in items if item > 40]
    write_npy("a.npy", "i4", items)
    chunked("select", "--op-source", "return x > 40;", "a.npy", out=kept, count=[len(kept)])
    chunked("select", "--op-source", "return x > 1000;", "a.npy", out=[], count=[0])
    flags = [draw.randrange(0, 2) for _ in items]
    write_npy("f.npy", "u1", flags)
    kept = [item for item, flag in zip(items, flags) if flag]
    chunked("select", "a.npy", "--flags", "f.npy", out=kept, count=[len(kept)])
    assert run("select", "--memory", "64K", "a.npy", "--flags", "f.npy").decode().split() == ["%d" % x for x in kept]


@case
def select__chunks_of_two_lengths():
    items = numbers("i4", large(), 100)
    with open(os.path.join(folder, "a.bin"), "wb") as file:
        file.write(struct.pack("<%di" % len(items), *items))
    for name, count, message in ("more", len(items) + 1, "more.npy"), ("less", len(items) - 1, "standard input"):
        write_npy(name + ".npy", "u1", [1] * count)
        try:
            piped("a.bin", "select", "--type", "i32", "-", "--flags", name + ".npy", "--memory", "64K", "--out",
                  "b.bin")
        except AssertionError as problem:
            assert message + ": it has more items than" in str(problem), problem
        else:
            raise AssertionError("%d flags of %d items" % (count, len(items)))


@case
def histogram__chunks():
    items = [draw.randrange(0, 256) for _ in range(3 * large())]
    write_npy("a.npy", "u1", items)
    counts = [0] * 8
    for item in items:
        counts[item // 32] += 1
    chunked("histogram", "--bins", 8, "--lower", 0, "--upper", 256, "a.npy", counts=counts)
    levels = [0, 10, 200, 256]
    write_npy("l.npy", "i4", levels)
    counts = [sum(1 for item in items if low <= item < high) for low, high in zip(levels, levels[1:])]
    chunked("histogram", "--levels", "l.npy", "a.npy", counts=counts)
    counts = [sum(1 for item in items[channel::3] if item < 128) for channel in (0, 1)]
    rest = [len(items) // 3 - count for count in counts]
    chunked("histogram", "channels=3", "active_channels=2", "--bins", 2, "--lower", 0, "--upper", 256, "a.npy",
            counts=[counts[0], rest[0], counts[1], rest[1]])


@case
def radix_sort__chunks():
    items = numbers("u2", draw.randrange(10000, 12000), 300)
    write_npy("a.npy", "u2", items)
    order = sorted(range(len(items)), key=lambda i: -items[i])
    chunked("radix_sort", "--descending", "a.npy", "--values", "counting(u32)", memory="48K",
            keys=sorted(items, reverse=True), values=order)
    check("radix_sort", "--memory", "32K", "a.npy", keys=sorted(items))


@case
def radix_sort__chunks_in_order_already():
    for items in list(range(12000)), list(range(12000, 0, -1)), [3] * 12000:
        check("radix_sort", "--memory", "64K", write_npy("a.npy", "i4", items), keys=sorted(items))


@case
def merge_sort__chunks():
    dtype = [("d", "<f4"), ("id", "<u4")]
    items = [(float(draw.randrange(0, 50)), i) for i in range(draw.randrange(4000, 5000))]
    write_npy("a.npy", dtype, items)
    order = sorted(items, key=lambda item: item[0])
    chunked("merge_sort", "--op-source", "return a.d < b.d;", "a.npy", memory="64K", keys=order)
    values = numbers("u1", len(items))
    write_npy("v.npy", "u1", values)
    check("merge_sort", "--op-source", "return a.d < b.d;", "a.npy", "--values", "v.npy", "--memory", "64K",
          keys=order, values=[values[i] for _, i in order])


@case
def merge_sort__chunks_printed():
    items = numbers("i2", 9000)
    write_npy("a.npy", "i2", items)
    got = run("merge_sort", "a.npy", "--values", "counting(u16)", "--memory", "32K").decode().split("\n")
    order = sorted(range(len(items)), key=lambda i: items[i])
    assert got == ["%d %d" % (items[i], i) for i in order] + [""], got[:3]


@case
def radix_sort__chunks_that_fail():
    write_npy("a.npy", "i4", numbers("i4", 20000))
    nowhere = dict(os.environ, TMPDIR="/nowhere/at/all")
    fails("/nowhere/at/all: temporary files: No such file", "radix_sort", "--memory", "64K", "a.npy", env=nowhere)
    full = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (30000, 30000)), "restore_signals": False}
    empty = os.path.join(folder, "temporary")
    os.makedirs(empty, exist_ok=True)
    own = dict(os.environ, TMPDIR=empty, JIG_CACHE_DIR="")
    fails("temporary: temporary files: File too large", "radix_sort", "--memory", "64K", "a.npy", "--out", "b.npy",
          env=own, **full)
    assert os.listdir(empty) == []
    fails("/dev/full: No space left", "radix_sort", "--memory", "64K", "a.npy", "--out", "/dev/full")
    fails("are needed at least", "radix_sort", "--memory", "1K", "a.npy")
    fails("'lots' is no size", "radix_sort", "--memory", "lots", "a.npy")
    fails("arg_reduce has no such option", "arg_reduce", "--memory", "64K", "a.npy")


@case
def radix_sort__chunks_interrupted():
    write_npy("a.npy", "i4", numbers("i4", 60000))
    empty = os.path.join(folder, "temporary")
    os.makedirs(empty, exist_ok=True)
    command = [jig, "run"] + ([software] if software else []) + ["radix_sort", "--memory", "64K", "a.npy"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd=folder,
                          env=dict(os.environ, TMPDIR=empty)) as sort:
        time.sleep(1)
        sort.send_signal(signal.SIGINT)
        sort.wait()
    assert os.listdir(empty) == []


@case
def scan__chunks_of_a_pipe_that_goes_on():
    """What fails ends at once, whoever still reads."""
    args = ["scan", "--type", "u8", "--memory", "64K", "--out", "/dev/full", "-"]
    with subprocess.Popen([jig, "run"] + ([software] if software else []) + args, stdin=subprocess.PIPE,
                          stderr=subprocess.PIPE, cwd=folder) as process:
        process.stdin.write(b"\1" * 300000)
        process.stdin.flush()
        complaint = process.stderr.read()  # up to its end
        assert process.wait(60) == 1 and b"/dev/full: No space left" in complaint, complaint
        process.stdin.close()


@case
def scan__chunks_over_an_input():
    items = numbers("i8", 20000, 100)
    write_npy("a.npy", "i8", items)
    fails("a.npy is an input", "scan", "--memory", "64K", "a.npy", "--out", "a.npy")
    same("the input", read_npy(os.path.join(folder, "a.npy"))[1], items)
    fails("--out out=FILE", "scan", "--memory", "64K", "a.npy", "--json")


@case
def reduce__chunks_on_a_terminal():
    """A bar, as soon as it has taken a while; first, it compiles."""
    count = left = 4000000
    args = ["reduce", "--type", "u8", "--accum", "u64", "--memory", "64K", "--count", str(count), "-"]
    master, slave = pty.openpty()
    seen = b""
    with subprocess.Popen([jig, "run"] + ([software] if software else []) + args, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=slave, cwd=folder) as process:
        while left > 400000 and b" left" not in seen:
            process.stdin.write(b"\1" * 4000)
            process.stdin.flush()
            left -= 4000
            if is_ready([master], [], [], 0.1)[0]:
                seen += os.read(master, 4096)
        printed, _ = process.communicate(b"\1" * left)
    os.close(slave)
    try:
        while block := os.read(master, 4096):
            seen += block
    except OSError:
        pass  # what the other side's end looks like
    os.close(master)
    assert printed == b"%d\n" % count and process.returncode == 0
    assert re.search(rb"\rreduce \[#* *\] +[0-9]+ %  [0-9.]+ [KM]iB, [0-9.]+ GB/s, [0-9:]+ left", seen), seen
    assert seen.endswith(b"\r\x1b[K"), seen


# ---- each has been tried

if not only:
    listed = subprocess.run([jig, "run", "frobnicate"], capture_output=True, check=False).stderr.decode()
    listed = listed[listed.index("(there are: ") + 12 : listed.index(")")].split(", ")
    for name in listed:
        if name not in covered or name not in numpy_cases:
            failed += 1
            print("FAILED: no case %s %s" % ("compares with NumPy" if name in covered else "runs", name))
    if numpy is None:
        print("skipped: cli: NumPy's results, and files of its own (no NumPy)")
print("%d passed, %d failed" % (passed, failed))
sys.exit(failed > 0)
