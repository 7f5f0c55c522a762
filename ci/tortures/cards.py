# SPDX-License-Identifier: Apache-2.0
"""Hostile scorecards: published ones and golden ones, changed at random places, for every verb that reads them.

In addition to the requirements for all attacks: `validate` calls no changed card valid, `gate` accepts no invalid card,
JSON and XML stay well formed, and no markup of a card reaches HTML. A share of the cards gets a corrected digest, as an
attacker would compute it; those may be valid.
"""
import hashlib
import json
import pathlib
import xml.parsers.expat

from tortures.judge import ROOT

# As reports/digest.hpp lists them.
NOT_IN_DIGEST = ("digest", "environment", "fp16_operators", "roofs", "throughput", "times", "training_step", "true_fp16")
MARKUP = "<script>torture()</script>"
HOSTILE = ["\x1b[2J\x1b[31m", "\x1b]0;title\x07", "\x9b2J", "\x00", "\x07\x08\r", "\u202egpj.exe", "\u2066\u2069", "\x7f", "\x85",
           "\ud800", "\udfff\ud800", MARKUP, "]]>" + MARKUP, "'\"--><img src=x onerror=torture()>", "&amp;&#0;&x;", "| a | b |\n|---|",
           "[x](javascript:torture())", "```\n# no", "../../../../etc/passwd", "%s%s%n", "a\nhalfmark: b", "\ufeff", "\uffff", "é" * 300,
           "x" * 100_000, "A" * 2_000_000, "", " ", "$(touch injected)", "'; rm -rf injected; '"]
NO_UTF8 = ["\udcff", "\udcc0\udc80", "\udced\udca0\udc80", "\udc9b2J", "\udcf4\udc90\udc80\udc80", "\udce2\udc82"]
NUMBERS = ["1e999", "-1e999", "NaN", "Infinity", "-0.0", "1e-999", "18446744073709551616", "9" * 400, "-1", "0.1", "9223372036854775808",
           "-9223372036854775809", "4294967296", "1e308"]


class Raw:
    """JSON text that is kept verbatim, which no value of Python produces."""
    def __init__(self, text):
        self.text = text


def places(value, path=()):
    """Every (holder, key, path) in a value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, below in items:
        yield value, key, path + (key,)
        yield from places(below, path + (key,))


def text_of(value):
    """JSON text with raw parts in place."""
    raws = []

    def named(raw):
        raws.append(raw)
        return f"raw-{len(raws) - 1}-torture"

    data = json.dumps(value, ensure_ascii=False, default=named).encode(errors="surrogatepass")
    for i, raw in enumerate(raws):
        data = data.replace(f'"raw-{i}-torture"'.encode(), raw.text.encode(errors="surrogateescape"))
    return data


def plain(value):
    return text_of(value).decode(errors="surrogateescape")


def change(attack, holder, key):
    """Changes one place, and describes the change."""
    rng, old = attack.rng, holder[key]
    depth = rng.choice([500, 50_000, 50_000, 1_000_000])
    ways = {
        "deleted": lambda: holder.__delitem__(key),
        "another type": lambda: holder.__setitem__(key, rng.choice([None, True, 0, -1, 0.5, "", [], {}, [[]], "x", 2**64, 2**63])),
        "hostile text": lambda: holder.__setitem__(key, rng.choice(["", str(old)[:40]]) + rng.choice(HOSTILE)),
        "escaped text": lambda: holder.__setitem__(key, Raw(json.dumps("x" + rng.choice(HOSTILE), ensure_ascii=True))),
        "bytes that are no UTF-8": lambda: holder.__setitem__(key, Raw(f'"{rng.choice(NO_UTF8)}"')),
        "an odd number": lambda: holder.__setitem__(key, Raw(rng.choice(NUMBERS))),
        "deep": lambda: holder.__setitem__(key, Raw(rng.choice(["[" * depth + "]" * depth, '{"a":' * depth + "1" + "}" * depth]))),
        "long": lambda: holder.__setitem__(key, [old] * rng.choice([2, 1000, 20_000 if len(str(old)) < 30 else 3])),
    }
    if isinstance(holder, dict):
        ways["a deep member"] = lambda: holder.__setitem__("x", Raw("[" * depth + "]" * depth))
        ways["a hostile key"] = lambda: holder.__setitem__(rng.choice(HOSTILE), old)
        ways["a key twice"] = lambda: holder.__setitem__(key, Raw(f"{plain(old)},{json.dumps(key)}:{plain(rng.choice([old, None, 'x']))}"))
    if isinstance(old, str):
        ways["hostile text "] = ways["hostile text  "] = ways["hostile text"]
    how = rng.choice(list(ways))
    ways[how]()
    return how.strip()


def digest_of(card):
    kept = {key: value for key, value in card.items() if key not in NOT_IN_DIGEST}
    for mark in kept.get("marks", []):
        if mark.get("id") == "TF16":
            for key in ("held", "reasons", "scope"):
                mark.pop(key, None)
    for case in kept.get("cases", []):
        for key in ("process", "attempt"):
            case.pop(key, None)
    text = json.dumps(kept, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()


def is_as(data, digest):
    """Whether the members that the digest covers are unchanged."""
    try:
        return digest_of(json.loads(data)) == digest
    except (ValueError, RecursionError, AttributeError, TypeError):
        return False


def changed_card(attack, card):
    """(bytes, whether it may be valid) of a card with changes in some places."""
    before = card["digest"]
    all_places = list(places(card))
    for _ in range(attack.rng.choice([1, 1, 1, 2, 5])):
        # Cases are most of a card, so half of the changes that would hit them go elsewhere, and every part is reached.
        holder, key, path = attack.rng.choice(all_places)
        if path[0] == "cases" and attack.rng.random() < 0.5:
            part = attack.rng.choice([name for name in card if name != "cases"])
            holder, key, path = attack.rng.choice([place for place in all_places if place[2][0] == part] or all_places)
        if isinstance(holder, dict) and key in holder or isinstance(holder, list) and key < len(holder):
            attack.deed += f"{change(attack, holder, key)} at /{'/'.join(str(part)[:30] for part in path)}; "
    sealed = attack.rng.random() < 0.4
    if sealed:
        try:
            card["digest"] = digest_of(json.loads(text_of(card)))
            attack.deed += "the digest is right again; "
        except (ValueError, AttributeError, RecursionError, TypeError):
            sealed = False
    data = text_of(card)
    return data, sealed or is_as(data, before)


def damaged_bytes(attack, data):
    """(bytes, whether it may be valid) of a card that is damaged without regard to its structure."""
    rng, before = attack.rng, json.loads(data)["digest"]
    how = rng.choice(["cut", "flipped", "overwritten", "repeated", "replaced", "prefixed"])
    attack.deed += f"bytes {how}; "
    at = rng.randrange(len(data))
    if how == "cut":
        data = data[:at]
    elif how == "flipped":
        data = data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1:]
    elif how == "overwritten":
        data = data[:at] + rng.randbytes(20) + data[at + 20:]
    elif how == "repeated":
        data = data[:at] + data[at // 2:]
    elif how == "replaced":
        data = rng.choice([b"", b"null", b"[]", b"{}", b"7", b'"x"', b"[" * 100_000, b'{"a":' * 100_000, bytes(5000),
                           b"\xef\xbb\xbf" + data,
                           b'{"schema":"other/1"}', rng.randbytes(5000), b"-" * 100_000, b'"' + b"x" * 3_000_000])
    else:
        data = rng.choice([b"\xef\xbb\xbf", b" " * 100_000, b"\n", b"//\n", b"\x00"]) + data
    return data, is_as(data, before)


def judge_form(attack, ended, form):
    """Checks what a program that reads the output relies on."""
    if ended.code != 0:
        return
    try:
        if form == "json":
            json.loads(ended.out)
        elif form == "junit":
            xml.parsers.expat.ParserCreate().Parse(ended.out, True)
        elif form == "html" and (MARKUP.encode() in ended.out or b"<img src=x" in ended.out):
            attack.fault("unsafe", "the markup of a card reaches HTML", ended)
    except (ValueError, xml.parsers.expat.ExpatError) as error:
        attack.fault("unsafe", f"{form} that is not well formed: {error}", ended)


def verbs(attack, card, whole):
    """(words, the format of the output) of every way to read a card."""
    text = [(["report", form, card], form) for form in ("console", "markdown", "html", "json", "junit")]
    pair = [whole, card] if attack.rng.random() < 0.5 else [card, whole]
    outputs = ["--junit", attack.folder / "gate.xml", "--markdown", attack.folder / "gate.md"]
    return text + [(["validate", card], "console"), (["explain", card], "console"), (["explain", f"{card}#F001"], "console"),
                   (["compare", *pair], "console"), (["gate", *outputs, "--baseline", *pair], "gate"),
                   (["replay", f"{card}#F001", "--device", "host"], "console")]


def judge_card(attack, words, form, may_be_valid):
    ended = attack.call(*words, rules={"text": form in ("console", "markdown", "gate")})
    judge_form(attack, ended, form)
    if ended.code == 0 and not may_be_valid and words[0] in ("validate", "gate"):
        attack.fault("false", f"`{words[0]}` admits a changed card", ended)
    if form == "gate" and (attack.folder / "gate.xml").exists():
        ended.code, ended.out = 0, (attack.folder / "gate.xml").read_bytes()
        judge_form(attack, ended, "junit")


def card(attack, bench):
    source = attack.rng.choices(bench.cards, [1 / path.stat().st_size for path in bench.cards])[0]
    whole = source.read_bytes()
    attack.deed = f"{source.relative_to(ROOT)}: "
    data, may_be_valid = damaged_bytes(attack, whole) if attack.rng.random() < 0.2 else changed_card(attack, json.loads(whole))
    path = attack.folder / "card.json"
    path.write_bytes(data)
    if attack.rng.random() < 0.03:
        path.unlink()
        path.symlink_to(attack.rng.choice(["/dev/zero", "/dev/null", "/nonexistent", "card.json", ".", "/dev/full"]))
        attack.deed, may_be_valid = f"a card that links to {path.readlink()}", False
    validate = (["validate", path], "console")
    one = attack.rng.choice(verbs(attack, path, source))
    for words, form in [validate, one] if one[0][0] != "validate" else [validate]:
        judge_card(attack, words, form, may_be_valid)


def all_cards():
    return sorted(path for room in ("golden", "published") for path in pathlib.Path(ROOT, "reports", room).rglob("*.json"))
