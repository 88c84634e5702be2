"""Restores every version from a conductd journal (journal.md), with only `zstandard` and `msgpack` beside Python 3.9.

python reader.py STATE_DIR/journal OUT_DIR     OUT_DIR/newest/... and OUT_DIR/versions/.../SEQUENCE
python reader.py STATE_DIR/journal --list      sequence, time, state, size, digest, path
"""

import datetime
import hashlib
import os
import re
import struct
import sys

import msgpack
import zstandard

RECORD, DEFINITIONS, WAYPOINT, ACK, VERSION = 0xC1, 0xC2, 0xC3, 0xC5, 2
HEADER = struct.Struct("<8sHHIIQQqqQQI16s16s32s32s32s24s24s")
STARTS = re.compile(rb"[\xc1-\xcf]")
STATES = ("file", "absent", "unreadable", "symlink", "oversize", "special")


def parse(kind, flags, header):
    """(digest of the body or None, the header's value); raises when it makes no sense."""
    if kind == ACK or not 0xC1 <= kind <= 0xCF or flags > 31:
        raise ValueError
    at = 2 * (flags & 8) + 2 * (flags & 16)  # nonce: 16 bytes, commitment: 32
    digest = header[at : at + 32] if flags & 4 else None
    value = msgpack.unpackb(header[at + (32 if digest else 0) :], raw=True, strict_map_key=False)
    if kind == RECORD and len(value) not in (6, 10):
        raise ValueError
    return digest, value


def frames(data):
    """(type, digest, header value, content) of whatever is a frame; steps over what is not."""
    at = 1024
    while at + 16 <= len(data):
        word = int.from_bytes(data[at : at + 8], "little")
        kind, flags, content = word & 255, word >> 8 & 255, at + 16 + (word >> 16 & 0x3FFFFF)
        end = content + (word >> 38)
        try:
            digest, value = parse(kind, flags, data[at + 16 : content])
            yield kind, digest, value, data[content:end]
            at = end + (8 if end > content else 0)
        except (ValueError, TypeError, msgpack.UnpackException):
            at = next((found.start() for found in STARTS.finditer(data, at + 1)), len(data))


def load(directory):
    """({sequence: version}, {sequence: body in its delta form})."""
    segments, versions, bodies = [], {}, {}
    for name in sorted(name for name in os.listdir(directory) if name.endswith(".seg")):
        with open(os.path.join(directory, name), "rb") as file:
            data = file.read()
        copies = [data[at : at + HEADER.size] for at in (0, 512) if data[at : at + 8] == b"CONDUCTJ"]
        segments += [(HEADER.unpack(copy)[6], data) for copy in copies[:1]]
    ends = [first for first, _ in segments[1:]] + [1 << 63]  # what is beyond was never acknowledged
    for (first, data), end in zip(segments, ends):  # noqa: B905 - Python 3.9 has no strict
        words, records = {}, []
        for kind, digest, value, content in frames(data):
            if kind in (DEFINITIONS, WAYPOINT):
                words.update(value if kind == DEFINITIONS else value[2])
            elif kind == RECORD and first + value[0] < end:
                records.append((first + value[0], digest, value, content))
        for seq, digest, value, content in records:
            if digest is not None:
                bodies[seq] = (digest, content, value[6], value[7])
            if value[1] == VERSION and value[4] in words:
                workspace, _, path = msgpack.unpackb(words[value[4]], raw=True)[:3]
                versions[seq] = (workspace, path, STATES[value[5][0] >> 4], value[2])
    return versions, bodies


def body(seq, bodies, cache):
    """The bytes of one record, every step's digest checked; raises ValueError when they cannot be had."""
    steps = []
    while seq and seq not in cache:
        if seq not in bodies:
            raise ValueError(f"record {seq} is missing")
        steps.append(seq)
        seq = seq - bodies[seq][3] if bodies[seq][3] > 0 else 0
    known = cache.get(seq, b"")
    for step in reversed(steps):
        digest, content, size, base = bodies[step]
        if base >= 0 and size:
            words = zstandard.ZstdCompressionDict(known, dict_type=1) if base and known else None
            content = zstandard.ZstdDecompressor(words, format=1).decompress(content, max_output_size=size)  # magicless
        if hashlib.sha256(content).digest() != digest:
            raise ValueError(f"record {step} does not have its digest")
        known = cache[step] = content
    return known


def main(journal, out):
    (versions, bodies), cache, failed = load(journal), {}, 0
    for seq, (workspace, path, state, wall) in versions.items():
        digest, _, size, _ = bodies.get(seq, (b"", b"", "-", 0))
        if out == "--list":
            when = datetime.datetime.fromtimestamp(wall / 1e9).isoformat(" ", "seconds")
            print(seq, when, state, size, digest.hex()[:12] or "-", os.fsdecode(workspace), path)
        elif digest:
            parts = [part for part in path.split(b"/") if part not in (b"", b".", b"..")]
            try:
                data = body(seq, bodies, cache)
                for top in ([b"newest", workspace, *parts], [b"versions", workspace, *parts, b"%d" % seq]):
                    target = os.path.join(os.fsencode(out), *top)
                    os.makedirs(os.path.dirname(target), exist_ok=True)
                    with open(target, "wb") as restored:
                        restored.write(data)
            except (ValueError, OSError, zstandard.ZstdError) as error:
                failed = 1
                print(f"version {seq} of {path!r}: {error}", file=sys.stderr)
            if len(cache) > 200:
                cache.clear()
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]) if len(sys.argv) == 3 else __doc__)
