"""Stands in for the desktop's notifications (`org.freedesktop.Notifications`) on the bus at DBUS_SESSION_BUS_ADDRESS.

Prints `null` when it is there, then each notification as a line of JSON. To whoever sent one it says at once that the person
pressed an action of it that approves; with `--press`, that they pressed the notification itself."""

import json
import os
import sys
import time

from bus import CALL, ERROR, RETURN, Bus

NAME = "org.freedesktop.Notifications"
PATH = "/org/freedesktop/Notifications"
# A person presses only after whoever sent it listens.
PERSON_S = 1


def main():
    bus = Bus(os.environ["DBUS_SESSION_BUS_ADDRESS"])
    bus.call_bus("Hello")
    assert bus.call_bus("RequestName", ("s", NAME), ("u", 0)) == [1]
    print("null", flush=True)
    count = 0
    while True:
        kind, serial, named, body = bus.receive()
        if kind != CALL:
            continue
        sender, back = named[7], {5: ("u", serial), 6: ("s", named[7])}
        if named.get(3) == "Notify":
            count += 1
            names = ["application", "replaces", "icon", "title", "body", "actions", "hints", "expires"]
            print(json.dumps(dict(zip(names, body))), flush=True)
            bus.send(RETURN, back, [("u", count)])
            if "--press" in sys.argv:
                time.sleep(PERSON_S)
            pressed = [action for action in body[5][::2] if action != "default" or "--press" in sys.argv]
            for action in [*pressed, "approve", "accept", "allow", "open", "yes"]:
                bus.signal(sender, PATH, NAME, "ActionInvoked", ("u", count), ("s", action))
            bus.signal(sender, PATH, NAME, "NotificationClosed", ("u", count), ("u", 2))
        elif named.get(3) == "GetCapabilities":
            bus.send(RETURN, back, [("as", ["actions", "body", "body-markup", "inline-reply", "persistence"])])
        elif named.get(3) == "GetServerInformation":
            bus.send(RETURN, back, [("s", "fake"), ("s", "tests"), ("s", "1"), ("s", "1.2")])
        else:
            bus.send(ERROR, {**back, 4: ("s", "org.freedesktop.DBus.Error.UnknownMethod")})


main()
