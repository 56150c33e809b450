#!/usr/bin/env python3
"""Checks a tape of Pintle without Pintle. Needs Python 3.8, and nothing else.

    verify_tape.py TAPE [--key KEY] [--witness FILE]      chain, checkpoints, signatures, witness
    verify_tape.py --proof FILE --key KEY                 one record, without its tape

KEY is what `pintle tape key` prints, or a file with it. Prints JSON; exits with 1 if there is an objection.
https://c2sp.org/signed-note and https://c2sp.org/tlog-checkpoint define the notes, RFC 6962 the tree, RFC 8032 Ed25519.
"""
import argparse, base64, hashlib, json, os, sys

P, L = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
BASE_Y = 4 * pow(5, P - 2, P) % P


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def point(data):
    """The point that 32 bytes encode, or None."""
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & (2**255 - 1)
    x2 = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(x2, (P + 3) // 8, P)
    x = x if (x * x - x2) % P == 0 else x * pow(2, (P - 1) // 4, P) % P
    if y >= P or (x * x - x2) % P or (x == 0 and sign):
        return None
    x = P - x if x & 1 != sign else x
    return (x, y, 1, x * y % P)


def add(p, q):
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % P, (p[1] + p[0]) * (q[1] + q[0]) % P
    c, d = 2 * p[3] * q[3] * D % P, 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def multiply(n, p):
    result = (0, 1, 1, 0)
    while n:
        result, p, n = add(result, p) if n & 1 else result, add(p, p), n >> 1
    return result


def is_signature(public, text, signature):
    a, s = point(public), int.from_bytes(signature[32:], "little")
    if len(signature) != 64 or a is None or s >= L:
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + public + text).digest(), "little") % L
    minus_a = (P - a[0], a[1], 1, P - a[3])
    x, y, z, _ = add(multiply(s, point(BASE_Y.to_bytes(32, "little"))), multiply(k, minus_a))
    x, y = x * pow(z, P - 2, P) % P, y * pow(z, P - 2, P) % P
    return (y | (x & 1) << 255).to_bytes(32, "little") == signature[:32]


def read_key(text):
    text = open(text).read() if os.path.exists(text) else text
    name, key_id, key = text.strip().split("+", 2)
    key = base64.b64decode(key, validate=True)
    if key[0] != 1 or len(key) != 33 or sha256(name.encode(), b"\n", key)[:4].hex() != key_id:
        sys.exit("not a public key as `pintle tape key` prints it")
    return name, bytes.fromhex(key_id), key[1:]


def read_note(note, key):
    """The origin, size and root of a checkpoint, whether the key has signed it, and whether it is the last one."""
    text, signatures = note[: note.rindex("\n\n") + 1], note[note.rindex("\n\n") + 2 :]
    origin, size, root = text.split("\n")[:3]
    signed = False
    for line in signatures.splitlines():
        name, data = line[2:].rsplit(" ", 1)
        data = base64.b64decode(data)
        signed |= key is not None and (name, data[:4]) == key[:2] and is_signature(key[2], text.encode(), data[4:])
    return origin, int(size), base64.b64decode(root, validate=True), signed, "end" in text.split("\n")[3:]


def root_of(frontier):
    root = frontier[-1]
    for left in reversed(frontier[:-1]):
        root = sha256(b"\x01", left, root)
    return root


def check_tape(path, key, witness):
    objections, roots, frontier, prev, proved, signed_count, closed = [], {}, [], None, 0, 0, False
    object_to, checkpoints, origin = objections.append, {}, None
    lines = open(path, "rb").read().split(b"\n")
    torn = lines.pop()
    for seq, line in enumerate(lines):
        record = json.loads(line)
        if (record["seq"], record["prev"]) != (seq, prev):
            object_to(f"line {seq + 1}: it does not follow from the line before")
        if record["kind"] == "checkpoint":
            try:
                said, size, root, signed, is_end = read_note(record["note"], key)
                checkpoints[size] = is_end
                if (said, size, root) != (origin, seq, root_of(frontier)):
                    object_to(f"line {seq + 1}: the checkpoint is not about the records before it")
                elif key and not signed:
                    object_to(f"line {seq + 1}: the key has not signed this checkpoint")
                else:
                    proved, signed_count = (size, signed_count + 1) if key else (0, 0)
            except ValueError:
                object_to(f"line {seq + 1}: not a checkpoint")
        closed = record["kind"] == "closed"
        if closed:
            start, _, end = line.rpartition(b',"digest":"')
            if record["records"] != seq or sha256(start, b"}").hex() + '"}' != end.decode():
                object_to(f"line {seq + 1}: `closed` is not about this tape")
        digest = sha256(line)
        prev, origin = digest.hex(), origin or "pintle.tape/" + digest.hex()
        leaf, size = sha256(b"\x00", digest), seq
        while size & 1:
            leaf, size = sha256(b"\x01", frontier.pop(), leaf), size >> 1
        frontier.append(leaf)
        roots[seq + 1] = root_of(frontier)
    if key and not signed_count:
        object_to("the tape has no checkpoint that the key signed")
    if witness is not None:
        blocks = [block + "\n" for block in witness.replace("\n\n\u2014", "\0\u2014").split("\n\n")]
        notes = [block.replace("\0", "\n\n").lstrip("\n").rstrip("\n") + "\n" for block in blocks if "\0" in block]
        own = [note for note in notes if note.startswith(f"{origin}\n")]
        for note in own:
            _, size, root, signed, _ = read_note(note, key)
            if key and not signed:
                object_to("the key has not signed a checkpoint of the witness file")
            elif roots.get(size) != root:
                object_to(f"the first {size} records are not those that were witnessed")
            else:
                proved = max(proved, size)
        if not own:
            object_to("the witness file has no checkpoint of this tape")
    unproved = max(0, len(lines) - proved - (proved in checkpoints))
    if key and signed_count and closed and (unproved != 1 or not checkpoints.get(proved)):
        object_to("the tape is closed, and what was signed does not end there")
    return {"records": len(lines), "proved": proved, "unproved": unproved, "torn": bool(torn), "objections": objections}


def check_proof(proof, key):
    _, size, root, signed, _ = read_note(proof["checkpoint"], key)
    node, index, last = sha256(b"\x00", sha256(proof["line"].encode())), proof["index"], proof["size"] - 1
    for sibling in (base64.b64decode(text) for text in proof["hashes"]):
        if index & 1 or index == last:
            node = sha256(b"\x01", sibling, node)
            while index and not index & 1:
                index, last = index >> 1, last >> 1
        else:
            node = sha256(b"\x01", node, sibling)
        index, last = index >> 1, last >> 1
    is_included = last == 0 and node == root and size == proof["size"] and proof["index"] < size
    right = is_included and json.loads(proof["line"])["seq"] == proof["index"]
    objections = ([] if signed else ["the key has not signed the checkpoint"]) + ([] if right else ["not on the tape"])
    return {"index": proof["index"], "size": size, "objections": objections}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tape", nargs="?")
    for option in ("--key", "--witness", "--proof"):
        parser.add_argument(option)
    args = parser.parse_args()
    key = read_key(args.key) if args.key else None
    if args.proof:
        report = check_proof(json.load(open(args.proof, encoding="utf-8")), key)
    else:
        witness = open(args.witness, encoding="utf-8").read() if args.witness else None
        report = check_tape(args.tape, key, witness)
    print(json.dumps(report))
    sys.exit(1 if report["objections"] else 0)


main()
