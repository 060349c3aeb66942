"""Stands in for a desktop's panel with a tray, on the bus at DBUS_SESSION_BUS_ADDRESS.

Prints `null` when it is there, then, for each line on its input, a line of JSON about the one icon it was told of:
`look`: its state, tooltip, the sizes of its icon and its menu, each entry by its label; null without an icon.
`press LABEL`: presses the entry; `press LABEL > LABEL`: one in a menu.
`activate`: presses the icon."""

import json
import os
import queue
import sys
import threading

from bus import CALL, ERROR, RETURN, Bus

NAME = "org.kde.StatusNotifierWatcher"
ITEM, ITEM_PATH = "org.kde.StatusNotifierItem", "/StatusNotifierItem"
MENU, MENU_PATH = "com.canonical.dbusmenu", "/MenuBar"
PROPERTIES = "org.freedesktop.DBus.Properties"
ANSWER_S = 10


class Panel:
    def __init__(self):
        self.bus = Bus(os.environ["DBUS_SESSION_BUS_ADDRESS"])
        self.bus.call_bus("Hello")
        assert self.bus.call_bus("RequestName", ("s", NAME), ("u", 0)) == [1]
        self.sending = threading.Lock()
        self.answers = queue.Queue()
        self.item = None

    def send(self, *message):
        with self.sending:
            self.bus.send(*message)
            return self.bus.serial

    def listen(self):
        while True:
            kind, serial, named, body = self.bus.receive()
            if kind in (RETURN, ERROR):
                self.answers.put((named.get(5), kind, body))
            if kind != CALL:
                continue
            back = {5: ("u", serial), 6: ("s", named[7])}
            if named.get(3) == "RegisterStatusNotifierItem":
                self.item = named[7]
                self.send(RETURN, back)
            elif named.get(3) == "Get" and body == [NAME, "IsStatusNotifierHostRegistered"]:
                self.send(RETURN, back, [("v", ("b", 1))])
            else:
                self.send(ERROR, {**back, 4: ("s", "org.freedesktop.DBus.Error.UnknownMethod")})

    def call(self, path, interface, member, *values):
        where = {1: ("o", path), 2: ("s", interface), 3: ("s", member), 6: ("s", self.item)}
        asked = self.send(CALL, where, values)
        while True:
            serial, kind, body = self.answers.get(timeout=ANSWER_S)
            if serial == asked:
                assert kind == RETURN, (member, body)
                return body

    def menu(self):
        """The entries below the root, as `(id, properties, children)`."""
        found = self.call(MENU_PATH, MENU, "GetLayout", ("i", 0), ("i", -1), ("as", []))
        return found[1][2]

    def look(self):
        if self.item is None:
            return None
        said = {name: self.call(ITEM_PATH, PROPERTIES, "Get", ("s", ITEM), ("s", name))[0] for name in WANTED}
        return {
            "status": said["Status"],
            "tooltip": said["ToolTip"][2:],
            "icons": [icon[:2] for icon in said["IconPixmap"]],
            "menu": labels(self.menu()),
        }

    def press(self, path):
        entries = self.menu()
        for label in path.split(" > "):
            entry = next((entry for entry in entries if label_of(entry) == label), None)
            if entry is None:
                return f"no entry {label}"
            entries = entry[2]
        self.call(MENU_PATH, MENU, "Event", ("i", entry[0]), ("s", "clicked"), ("v", ("i", 0)), ("u", 0))
        return None


WANTED = ["Status", "ToolTip", "IconPixmap"]


def label_of(entry):
    return entry[1].get("label", "-").replace("__", "_")


def labels(entries):
    return [[label_of(entry), labels(entry[2])] if entry[2] else label_of(entry) for entry in entries]


def main():
    panel = Panel()
    threading.Thread(target=panel.listen, daemon=True).start()
    print("null", flush=True)
    for line in sys.stdin:
        verb, _, rest = line.strip().partition(" ")
        if verb == "look":
            said = panel.look()
        elif verb == "press":
            said = panel.press(rest)
        else:
            said = panel.call(ITEM_PATH, ITEM, "Activate", ("i", 0), ("i", 0))
        print(json.dumps(said), flush=True)


main()
