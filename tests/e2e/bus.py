"""A connection to the bus at DBUS_SESSION_BUS_ADDRESS, for what stands in for parts of the desktop."""

import os
import socket
import struct
import sys

CALL, RETURN, ERROR, SIGNAL = 1, 2, 3, 4
FIXED = {"y": "B", "n": "h", "q": "H", "i": "i", "u": "I", "b": "I", "x": "q", "t": "Q", "d": "d"}
ALIGNED = {"y": 1, "g": 1, "v": 1, "n": 2, "q": 2, "x": 8, "t": 8, "d": 8, "(": 8, "{": 8}


def one(signature):
    """The length of the first complete type."""
    if signature[0] == "a":
        return 1 + one(signature[1:])
    if signature[0] not in "({":
        return 1
    depth = 0
    for at, sign in enumerate(signature):
        depth += (sign in "({") - (sign in ")}")
        if depth == 0:
            return at + 1
    raise ValueError(signature)


class Reader:
    """What a message holds, little-endian."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def skip(self, alignment):
        self.at += -self.at % alignment

    def fixed(self, kind):
        size = struct.calcsize(kind)
        self.skip(size)
        self.at += size
        return struct.unpack("<" + kind, self.data[self.at - size : self.at])[0]

    def text(self, length):
        self.at += length + 1
        return self.data[self.at - length - 1 : self.at - 1].decode()

    def value(self, signature):
        sign = signature[0]
        if sign in FIXED:
            return self.fixed(FIXED[sign])
        if sign in "so":
            return self.text(self.fixed("I"))
        if sign == "g":
            return self.text(self.fixed("B"))
        if sign == "v":
            return self.value(self.text(self.fixed("B")))
        if sign == "a":
            length, inner = self.fixed("I"), signature[1:]
            self.skip(ALIGNED.get(inner[0], 4))
            end, items = self.at + length, []
            while self.at < end:
                items.append(self.value(inner))
            return dict(items) if inner[0] == "{" else items
        self.skip(8)
        return self.values(signature[1:-1])

    def values(self, signature):
        values = []
        while signature:
            length = one(signature)
            values.append(self.value(signature[:length]))
            signature = signature[length:]
        return values


def written(values, start=b""):
    """The bytes of pairs of a type (`u`, `i`, `b`, `s`, `o`, `g`, `as`, `v`) and a value, after `start`. The value of a
    variant is such a pair."""
    data = start
    for kind, value in values:
        if kind == "g":
            data += bytes([len(value)]) + value.encode() + b"\0"
            continue
        if kind == "v":
            data = written([value], written([("g", value[0])], data))
            continue
        data += bytes(-len(data) % 4)
        if kind in "uib":
            data += struct.pack("<" + FIXED[kind], value)
        elif kind == "as":
            inner = written([("s", text) for text in value])
            data += struct.pack("<I", len(inner)) + inner
        else:
            data += struct.pack("<I", len(value.encode())) + value.encode() + b"\0"
    return data


class Bus:
    def __init__(self, address):
        how, _, rest = address.partition(":")
        options = dict(part.split("=", 1) for part in rest.split(","))
        assert how == "unix", address
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(options["path"] if "path" in options else "\0" + options["abstract"])
        self.stream = self.socket.makefile("rb")
        self.serial = 0
        self.socket.sendall(b"\0AUTH EXTERNAL " + str(os.getuid()).encode().hex().encode() + b"\r\n")
        answer = self.stream.readline()
        assert answer.startswith(b"OK"), answer
        self.socket.sendall(b"BEGIN\r\n")

    def send(self, kind, fields, values=()):
        """Header fields by their numbers: (kind of value, value)."""
        self.serial += 1
        body = written(values)
        signature = "".join(kind for kind, _ in values)
        if signature:
            fields = {**fields, 8: ("g", signature)}
        array = b""
        for number, (sign, value) in fields.items():
            array += bytes(-len(array) % 8) + bytes([number, 1]) + sign.encode() + b"\0"
            array = written([(sign, value)], array)
        head = struct.pack("<cBBBIII", b"l", kind, 0, 1, len(body), self.serial, len(array)) + array
        self.socket.sendall(head + bytes(-len(head) % 8) + body)

    def receive(self):
        start = self.stream.read(16)
        if len(start) < 16:
            sys.exit()
        order, kind, _, _, length, serial, fields = struct.unpack("<cBBBIII", start)
        assert order == b"l", order
        head = start + self.stream.read(fields + -fields % 8)
        reader = Reader(head)
        reader.at = 12
        named = {number: value for number, value in reader.value("a(yv)")}
        body = Reader(self.stream.read(length)).values(named.get(8, ""))
        return kind, serial, named, body

    def call_bus(self, member, *values):
        place = {1: ("o", "/org/freedesktop/DBus"), 2: ("s", "org.freedesktop.DBus"), 6: ("s", "org.freedesktop.DBus")}
        self.send(CALL, {**place, 3: ("s", member)}, values)
        while True:
            kind, _, named, body = self.receive()
            if kind in (RETURN, ERROR) and named.get(5) == self.serial:
                assert kind == RETURN, body
                return body

    def signal(self, to, path, interface, member, *values):
        self.send(SIGNAL, {1: ("o", path), 2: ("s", interface), 3: ("s", member), 6: ("s", to)}, values)
