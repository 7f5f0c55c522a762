# SPDX-License-Identifier: Apache-2.0
"""One attack: its random numbers, its folder, the processes that it starts, and the requirements for each when it ends.

Decides nothing about verdicts (runs.py). Assumes: 1. /proc is Linux's. 2. A child's peak RSS includes that of the process
which forked it, so figures of memory are never below that of this harness.
"""
import dataclasses
import fcntl
import os
import pathlib
import random
import re
import resource
import select
import shlex
import signal
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SECONDS, MIB = 5.0, 512
DOCUMENTED = range(5)
# Name of a fault -> its name in the line of figures, in the order of that line.
FAULTS = {"lost": "lost", "false": "false", "signal": "signals", "code": "undocumented exit codes", "error": "unclear errors",
          "unsafe": "unsafe outputs", "silent": "silent losses", "left": "left behind", "slow": "over 5 s",
          "large": "over 512 MiB", "harness": "broken attacks"}
UNCAUGHT = re.compile(rb"unexpected: |terminate called|what\(\): |AddressSanitizer|runtime error: |Assertion .* failed")
# C0 except line feed and tab, DEL, C1, and characters that change the direction of text.
UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
MOST_READ = 32 << 20
PAGE = os.sysconf("SC_PAGESIZE")


def patience():
    """The factor by which things may take longer because of other load on this machine."""
    return max(1.0, os.getloadavg()[0] / os.cpu_count())


def unsafe(text):
    """The first control character or invalid UTF-8 in the text, or None."""
    try:
        found = UNSAFE.search(text.decode())
    except UnicodeDecodeError as error:
        return f"byte {error.start} is 0x{text[error.start]:02x}, which is no UTF-8"
    return found and f"U+{ord(found[0]):04X} after {found.string[max(0, found.start() - 20):found.start()]!r}"


def harmless(text):
    """One line that is safe to show on a terminal."""
    text = re.sub(UNSAFE.pattern + "|[\n\t\ud800-\udfff]", lambda found: repr(found[0])[1:-1], text)
    return text if len(text) < 1200 else text[:900] + " ... " + text[-250:]


def descendants(pid):
    """The ids of all processes below one, nearest first."""
    try:
        children = [int(word) for word in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []
    return children + [below for child in children for below in descendants(child)]


def alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def send(pid, number):
    try:
        os.kill(pid, number)
        return True
    except ProcessLookupError:
        return False


@dataclasses.dataclass
class Ended:
    """The result of one process. `code` is negative if a signal ended it."""
    words: list
    code: int
    out: bytes
    err: bytes
    seconds: float
    mib: float
    stopped: str  # why this harness killed it: "time", "memory" or ""

    def shown(self):
        words = [word if len(word) < 200 else f"{word[:60]}...({len(word)} characters)" for word in self.words]
        return shlex.join(words)

    def last_error(self):
        lines = self.err.decode(errors="replace").strip().splitlines()
        return repr(lines[-1][:300]) if lines else "nothing"


class Running:
    def __init__(self, words, process, out, err):
        self.words, self.process, self.out, self.err = words, process, out, err
        self.pid = process.pid
        self.begun = time.monotonic()
        self.exit = os.pidfd_open(self.pid)

    def wait(self, seconds):
        """Whether it has ended within that time."""
        return bool(select.select([self.exit], [], [], max(0, seconds))[0])

    def too_large(self):
        try:
            return int(pathlib.Path(f"/proc/{self.pid}/statm").read_text().split()[1]) * PAGE > 2 * MIB << 20
        except (OSError, IndexError):
            return False

    def end(self, seconds):
        """Waits for its end, and kills it if it takes too long or so much memory that other processes would suffer."""
        deadline, stopped = time.monotonic() + seconds, ""
        while not stopped and not self.wait(min(0.05, deadline - time.monotonic())):
            stopped = "memory" if self.too_large() else "time" if time.monotonic() > deadline else ""
        if stopped:
            for pid in descendants(self.pid) + [self.pid]:
                send(pid, signal.SIGKILL)
        _, status, usage = os.wait4(self.pid, 0)
        took = time.monotonic() - self.begun
        os.close(self.exit)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        return Ended(self.words, self.process.returncode, all_of(self.out), all_of(self.err), took, usage.ru_maxrss / 1024, stopped)


def all_of(output):
    """What was printed, to a file or to a pipe that has not been read yet."""
    if isinstance(output, pathlib.Path):
        return output.read_bytes()[:MOST_READ] if output.exists() else b""
    os.set_blocking(output, False)
    text = b""
    try:
        while piece := os.read(output, 1 << 16):
            text += piece
    except BlockingIOError:  # a process that outlives its runner holds the other end
        pass
    os.close(output)
    return text


class Attack:
    """The random numbers of an attack depend only on the seed, its kind and its number, so it can be repeated by itself."""

    def __init__(self, seed, kind, number, folder, halfmark):
        self.rng = random.Random(f"{seed}:{kind}:{number}")
        self.name = f"{kind}:{number}"
        self.folder = pathlib.Path(folder)
        self.halfmark = halfmark
        self.deed = ""  # a description of the attack
        self.weight = 1  # number of attacks that it counts as in the figures
        self.faults = []  # (name of the fault, what happened)
        self.slowest = self.largest = 0.0
        self.files = 0
        self.environment = {**os.environ, "TMPDIR": str(folder), "LC_ALL": "C.UTF-8"}

    def fault(self, name, text, ended=None):
        where = f" from `{ended.shown()}`" if ended else ""
        self.faults.append((name, f"{text}{where}; {self.deed}" if self.deed else text + where))

    def start(self, *words, environment=None, stdin=None, stdout=None, stderr=None, file_limit=None, piped=False,
              closed=()):
        """Starts the program, with output to files unless a descriptor is given. `closed`: of descriptors 0, 1, 2. `piped`:
        output goes to pipes, so that a file size limit does not affect it."""
        self.files += 1
        files = [self.folder / f"{self.files}.{name}" for name in ("out", "err", "in")]
        if isinstance(stdin, bytes):
            files[2].write_bytes(stdin)
            stdin = open(files[2], "rb")
        if piped:
            pipes = [os.pipe() for _ in "oe"]
            for _, writer in pipes:
                fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 1 << 20)
            files[:2], (stdout, stderr) = [reader for reader, _ in pipes], [os.fdopen(writer, "wb") for _, writer in pipes]
        given = [open(file, "wb") if there is None else there for file, there in zip(files, (stdout, stderr))]

        def prepare():
            for number in closed:
                os.close(number)
            if file_limit is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (file_limit, file_limit))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        words = [os.fspath(word) for word in words]
        merged = {name: value for name, value in {**self.environment, **(environment or {})}.items() if value is not None}
        process = subprocess.Popen([*self.halfmark, *words], cwd=self.folder, env=merged, stdin=stdin or subprocess.DEVNULL,
                                   stdout=given[0], stderr=given[1], preexec_fn=prepare)
        for file in (stdin, *given):
            if hasattr(file, "close"):
                file.close()
        return Running(["halfmark", *words], process, *files[:2])

    def call(self, *words, seconds=SECONDS, rules=None, **options):
        """Runs the program to its end and judges it."""
        ended = self.start(*words, **options).end(seconds * patience() * 2)
        self.judge(ended, seconds, **(rules or {}))
        return ended

    def judge(self, ended, seconds, codes=DOCUMENTED, sent=(), one_line=True, text=True, timed=True):
        """Checks the requirements for every process. `sent`: signals sent to it. `text`: its output is for people."""
        if timed:
            self.slowest = max(self.slowest, ended.seconds)
        self.largest = max(self.largest, ended.mib)
        if ended.stopped == "memory":
            self.fault("large", f"{ended.mib:.0f} MiB after {ended.seconds:.1f} s", ended)
            return
        if ended.stopped or ended.seconds > seconds * patience():
            self.fault("slow", f"{'hangs' if ended.stopped else 'ends'} after {ended.seconds:.1f} s", ended)
        elif ended.code < 0 and -ended.code not in sent:
            self.fault("signal", f"{signal.Signals(-ended.code).name}", ended)
        elif ended.code >= 0 and ended.code not in codes:
            self.fault("code", f"exit code {ended.code} (says {ended.last_error()})", ended)
        if ended.mib > MIB:
            self.fault("large", f"{ended.mib:.0f} MiB", ended)
        if UNCAUGHT.search(ended.err):
            self.fault("error", f"an uncaught error: {ended.last_error()}", ended)
        if ended.code in (2, 3) and one_line and (ended.err.count(b"\n") != 1 or not ended.err.startswith(b"halfmark")):
            lines = ended.err.count(b"\n")
            self.fault("error", f"exit code {ended.code} with {lines} lines of error: {ended.last_error()}", ended)
        for name, written in (("standard output", ended.out), ("standard error", ended.err)):
            found = unsafe(written) if text or name == "standard error" else None
            if found:
                self.fault("unsafe", f"{name} holds {found}", ended)
