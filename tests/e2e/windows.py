"""Looks at the windows on DISPLAY that have a close button, as a window manager does.

`look` prints each as a line of JSON: its title, the class that desktops find its entry by, whether it is marked as wanting
to be looked at, and whether the keyboard is at it.
`close` presses their close buttons: it sends WM_DELETE_WINDOW.
`focus` gives the keyboard to the first, `blur` to none."""

import ctypes
import json
import sys

CLIENT_MESSAGE = 33
VIEWABLE = 2
URGENT = 1 << 8
NONE, TO_PARENT = 0, 2

Window = Atom = ctypes.c_ulong
Display = ctypes.c_void_p


class ClientMessage(ctypes.Structure):
    """XClientMessageEvent with data of format 32, padded to the size of XEvent."""

    _fields_ = [
        ("type", ctypes.c_int),
        ("serial", ctypes.c_ulong),
        ("send_event", ctypes.c_int),
        ("display", Display),
        ("window", Window),
        ("message_type", Atom),
        ("format", ctypes.c_int),
        ("data", ctypes.c_long * 5),
        ("pad", ctypes.c_long * 12),
    ]


class Attributes(ctypes.Structure):
    """XWindowAttributes."""

    _fields_ = [
        ("geometry", ctypes.c_int * 6),
        ("visual", ctypes.c_void_p),
        ("root", Window),
        ("kind_gravity_backing", ctypes.c_int * 4),
        ("backing_planes", ctypes.c_ulong),
        ("backing_pixel", ctypes.c_ulong),
        ("save_under", ctypes.c_int),
        ("colormap", ctypes.c_ulong),
        ("map_installed", ctypes.c_int),
        ("map_state", ctypes.c_int),
        ("masks", ctypes.c_long * 3),
        ("override_redirect", ctypes.c_int),
        ("screen", ctypes.c_void_p),
    ]


class ClassHint(ctypes.Structure):
    """XClassHint."""

    _fields_ = [("name", ctypes.c_char_p), ("class_name", ctypes.c_char_p)]


x = ctypes.CDLL("libX11.so.6")
x.XOpenDisplay.restype = Display
x.XDefaultRootWindow.restype = Window
x.XInternAtom.restype = Atom
x.XDefaultRootWindow.argtypes = x.XCloseDisplay.argtypes = [Display]
x.XInternAtom.argtypes = [Display, ctypes.c_char_p, ctypes.c_int]
x.XSync.argtypes = [Display, ctypes.c_int]
x.XQueryTree.argtypes = [Display, Window] + [ctypes.c_void_p] * 4
x.XGetWMProtocols.argtypes = [Display, Window, ctypes.c_void_p, ctypes.c_void_p]
x.XGetWindowAttributes.argtypes = [Display, Window, ctypes.c_void_p]
x.XGetWMHints.restype = ctypes.POINTER(ctypes.c_long)
x.XGetWMHints.argtypes = [Display, Window]
x.XSetInputFocus.argtypes = [Display, Window, ctypes.c_int, ctypes.c_ulong]
x.XGetInputFocus.argtypes = [Display, ctypes.c_void_p, ctypes.c_void_p]
x.XGetClassHint.argtypes = x.XFetchName.argtypes = [Display, Window, ctypes.c_void_p]
x.XSendEvent.argtypes = [Display, Window, ctypes.c_int, ctypes.c_long, ctypes.c_void_p]


def children(display, window):
    root, parent, count = Window(), Window(), ctypes.c_uint()
    found = ctypes.POINTER(Window)()
    out = [ctypes.byref(place) for place in (root, parent, found, count)]
    return found[: count.value] if x.XQueryTree(display, window, *out) else []


def protocols(display, window):
    found, count = ctypes.POINTER(Atom)(), ctypes.c_int()
    known = x.XGetWMProtocols(display, window, ctypes.byref(found), ctypes.byref(count))
    return found[: count.value] if known else []


def is_shown(display, window):
    attributes = Attributes()
    known = x.XGetWindowAttributes(display, window, ctypes.byref(attributes))
    return bool(known) and attributes.map_state == VIEWABLE


def is_marked(display, window):
    hints = x.XGetWMHints(display, window)
    return bool(hints) and bool(hints[0] & URGENT)


def has_keyboard(display, window):
    focus, revert = Window(), ctypes.c_int()
    x.XGetInputFocus(display, ctypes.byref(focus), ctypes.byref(revert))
    return focus.value == window or focus.value in children(display, window)


def described(display, window):
    hint, title = ClassHint(), ctypes.c_char_p()
    x.XGetClassHint(display, window, ctypes.byref(hint))
    x.XFetchName(display, window, ctypes.byref(title))
    text = [(value or b"").decode(errors="replace") for value in (title.value, hint.name, hint.class_name)]
    marks = {"marked": is_marked(display, window), "focused": has_keyboard(display, window)}
    return json.dumps({"title": text[0], "class": text[1:], **marks})


def press_close(display, window, wm_protocols, delete):
    event = ClientMessage(type=CLIENT_MESSAGE, window=window, message_type=wm_protocols, format=32)
    event.data[0] = delete
    x.XSendEvent(display, window, 0, 0, ctypes.byref(event))


def main(verb):
    display = x.XOpenDisplay(None)
    if not display:
        sys.exit("no display")
    wm_protocols = x.XInternAtom(display, b"WM_PROTOCOLS", 0)
    delete = x.XInternAtom(display, b"WM_DELETE_WINDOW", 0)
    candidates = children(display, x.XDefaultRootWindow(display))
    windows = [window for window in candidates if is_shown(display, window) and delete in protocols(display, window)]
    if verb in ("focus", "blur"):
        x.XSetInputFocus(display, windows[0] if verb == "focus" else NONE, TO_PARENT, 0)
        windows = []
    for window in windows:
        if verb == "close":
            press_close(display, window, wm_protocols, delete)
        else:
            print(described(display, window))
    x.XSync(display, 0)
    x.XCloseDisplay(display)
    if verb == "close" and not windows:
        sys.exit("no window to close")


main(*sys.argv[1:])
