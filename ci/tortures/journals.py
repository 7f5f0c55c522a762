# SPDX-License-Identifier: Apache-2.0
"""Journals that are truncated, damaged, mixed or no journals at all, and hostile caches and environments.

The requirements: --resume arrives at the undisturbed scorecard, or refuses with a line that names the file, the line and a
remedy; a run with a hostile cache or environment arrives at the undisturbed scorecard, or ends with exit code 3.
"""
import hashlib
import json
import os
import re
import shutil

from tortures import runs
from tortures.judge import patience


def flip(attack, data, count=None):
    data = bytearray(data)
    for _ in range(count or attack.rng.choice([1, 1, 1, 2, 20])):
        if data:
            data[attack.rng.randrange(len(data))] ^= 1 << attack.rng.randrange(8)
    return bytes(data)


def lines_of(journal):
    return journal.split(b"\n")[:-1]


def joined(lines):
    return b"".join(line + b"\n" for line in lines)


def truncate(attack, journal, _):
    return journal[:attack.rng.randrange(len(journal))]


def flip_bits(attack, journal, _):
    return flip(attack, journal)


def delete_line(attack, journal, _):
    lines = lines_of(journal)
    del lines[attack.rng.randrange(len(lines))]
    return joined(lines)


def duplicate_line(attack, journal, _):
    lines = lines_of(journal)
    lines.insert(attack.rng.randrange(len(lines) + 1), attack.rng.choice(lines))
    return joined(lines)


def swap_lines(attack, journal, _):
    lines = lines_of(journal)
    a, b = attack.rng.randrange(len(lines)), attack.rng.randrange(len(lines))
    lines[a], lines[b] = lines[b], lines[a]
    return joined(lines)


def swap_files(attack, journal, other):
    return other


def concatenate(attack, journal, other):
    cut = attack.rng.choice([len(journal), attack.rng.randrange(len(journal))])
    return journal[:cut] + other if attack.rng.random() < 0.5 else other + journal[:cut]


def mix_lines(attack, journal, other):
    lines = lines_of(journal)
    lines[attack.rng.randrange(len(lines))] = attack.rng.choice(lines_of(other))
    return joined(lines)


def other_device(attack, journal, _):
    lines = lines_of(journal)
    entry = json.loads(lines[1])
    entry["device"][attack.rng.choice(["name", "driver_version", "vendor", "compute_units"])] = attack.rng.choice(["other", 7, None])
    lines[1] = json.dumps(entry, separators=(",", ":"), sort_keys=True).encode()
    return joined(lines)


def odd_line(attack, journal, _):
    lines = lines_of(journal)
    odd = attack.rng.choice([b"", b"null", b"[]", b"{}", b'{"kind":"case"}', b'{"kind":"case","result":{}}', b'{"kind":7}',
                             b'{"kind":"end"}', b"[" * 50000, b'{"a":' * 50000, b'{"kind":"' + b"x" * 5_000_000 + b'"}',
                             bytes(3000), attack.rng.randbytes(300), b'{"kind":"case","result":"\xff\x1b[2J"}'])
    place = attack.rng.randrange(len(lines) + 1)
    lines[place:place + attack.rng.randrange(2)] = [odd]
    return joined(lines)


def resealed(attack, journal, _):
    """Lines that are complete and consecutive, but do not fit together."""
    damage = attack.rng.choice([delete_line, duplicate_line, swap_lines, other_device])
    lines = lines_of(damage(attack, journal, journal))
    if attack.rng.random() < 0.3:
        lines.insert(attack.rng.randrange(len(lines) + 1), attack.rng.choice(
            [b'{"kind":"case"}', b'{"kind":"case","result":{}}', b'{"kind":"end"}', b'{"kind":"odd"}', b'{"a":' * 500 + b"1" + b"}" * 500]))
    check, sealed = b"", []
    for line in lines:
        rest = re.sub(rb'^{("check":"[0-9a-f]*",)?', b"", line)
        check = hashlib.blake2b(check + rest, digest_size=32).hexdigest().encode()
        sealed.append(b'{"check":"' + check + b'",' + rest)
    return joined(sealed)


def no_journal(attack, _, __):
    return attack.rng.choice([b"", b"\n", bytes(100000), attack.rng.randbytes(4000), b"\xef\xbb\xbf{}\n", b"[" * 200000])


def cut_and_damage(attack, journal, other):
    return flip(attack, truncate(attack, journal, other))


DAMAGES = [truncate, flip_bits, delete_line, duplicate_line, swap_lines, swap_files, concatenate, mix_lines, other_device,
           odd_line, resealed, no_journal, cut_and_damage]


def journal(attack, bench):
    run = bench.any_run(attack)
    out = attack.folder / "out"
    damage = attack.rng.choice(DAMAGES)
    damaged = damage(attack, run.journal, bench.any_run(attack).journal)
    attack.deed = f"a journal of '{run.name}' after {damage.__name__.replace('_', ' ')}"
    (out / "host").mkdir(parents=True)
    (out / "host" / "journal.jsonl").write_bytes(damaged)
    ended = runs.call_run(attack, run, out, "--resume")
    if ended.code in (2, 3):
        runs.judge_refusal(attack, ended, r"journal\.jsonl", r"line \d+|jsonl:\d+|another run|another device|empty|not a journal")
        left = (out / "host" / "journal.jsonl").read_bytes()
        if not left.startswith(damaged[:damaged.rfind(b"\n") + 1]):
            attack.fault("lost", "a run that refuses a journal changes it", ended)
    else:
        runs.judge_end(attack, run, out, ended)


# --- caches: one of these is done to an entry or to the folder

def replace(path, make):
    shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    make(path)


def entry_damages(attack, entries):
    entry, other = attack.rng.choice(entries), attack.rng.choice(entries)
    data = entry.read_bytes()
    return entry, {
        "truncated": lambda: entry.write_bytes(data[:attack.rng.randrange(len(data))]),
        "with flipped bits": lambda: entry.write_bytes(flip(attack, data)),
        "with many flipped bits": lambda: entry.write_bytes(flip(attack, data, 2000)),
        "of zeros": lambda: entry.write_bytes(bytes(len(data))),
        "that is another": lambda: replace(entry, lambda path: shutil.copy(other, path) if other != entry else path.write_bytes(b"")),
        "that is a FIFO": lambda: replace(entry, os.mkfifo),
        "that is a folder": lambda: replace(entry, os.mkdir),
        "that is /dev/zero": lambda: replace(entry, lambda path: path.symlink_to("/dev/zero")),
        "that is a loop": lambda: replace(entry, lambda path: path.symlink_to(path)),
        "that is a dangling link": lambda: replace(entry, lambda path: path.symlink_to("/nonexistent/x")),
        "of another user": lambda: os.chown(entry, 12345, 12345) if os.geteuid() == 0 else entry.chmod(0),
        "without permissions": lambda: entry.chmod(0),
    }


def folder_damages(attack, cache):
    host = cache / "host"
    return host, {
        "that is a file": lambda: replace(host, lambda path: path.write_bytes(b"x")),
        "that is a FIFO": lambda: replace(host, os.mkfifo),
        "that is a loop": lambda: replace(host, lambda path: path.symlink_to(path)),
        "that is a dangling link": lambda: replace(host, lambda path: path.symlink_to("/nonexistent/x")),
        "that others may write": lambda: host.chmod(0o777),
        "of another user": lambda: os.chown(host, 12345, 12345) if os.geteuid() == 0 else host.chmod(0o500),
    }


def odd_variables(attack):
    """(variable, value) that a user may have set by mistake, or an attacker on purpose."""
    file = attack.folder / "file"
    file.write_bytes(b"x")
    odd = ["", "/nonexistent", str(file), "/dev/full", "/proc", "relative/../x", "x" * 300, "/x" * 3000, "a\nb", "\x1b[2J", " ",
           "\udcff\udcfe", "/dev/null", "%s%n", f"$(touch {attack.folder}/injected)", "'\"`;&|"]
    name = attack.rng.choice(["HALFMARK_CACHE_DIR", "TMPDIR", "HALFMARK_CXX", "PATH", "HOME", "HALFMARK_HOST_CXXFLAGS",
                              "HALFMARK_PLUGIN_PATH", "HALFMARK_HOST_THREADS", "LD_LIBRARY_PATH", "LANG"])
    if name == "HALFMARK_CXX":
        odd += ["/bin/true", "/bin/false", "cat", "sleep 1"]
    if name == "HALFMARK_HOST_THREADS":
        odd += ["-1", "99999999999999999999", "1e9", "4x"]
    return name, attack.rng.choice(odd)


def cache(attack, bench):
    run = bench.any_run(attack)
    own = attack.folder / "cache"
    environment = {"HALFMARK_CACHE_DIR": str(own)}
    shutil.copytree(bench.compiled, own)
    what = attack.rng.choice(["entry", "entry", "folder", "variable", "variable"])
    if what == "variable":
        name, value = odd_variables(attack)
        attack.deed = f"{name}={value[:40]!r}"
        environment[name] = value
        if name == "HOME":
            environment["HALFMARK_CACHE_DIR"] = None
        if attack.rng.random() < 0.5 and name != "HALFMARK_CACHE_DIR":
            shutil.rmtree(own)
            attack.deed += " and an empty cache"
    else:
        of = sorted((own / "host").glob("*.so"))
        place, ways = entry_damages(attack, of) if what == "entry" else folder_damages(attack, own)
        way = attack.rng.choice(list(ways))
        ways[way]()
        attack.deed = f"a cache with {'an' if what == 'entry' else 'a'} {what} {way}"
    out = attack.folder / "out"
    # Some variables make every compilation hang until its time is up.
    seconds = (4 if what == "variable" else 1) * runs.SECONDS_OF_A_RUN
    ended = runs.call_run(attack, run, out, "--timeout", f"{5 * patience():g}", environment=environment, seconds=seconds)
    if (attack.folder / "injected").exists():
        attack.fault("unsafe", "the shell obeys a variable", ended)
    if ended.code != 3 and (ended.code != 2 or what != "variable"):
        runs.judge_end(attack, run, out, ended)
