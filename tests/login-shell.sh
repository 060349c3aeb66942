#!/bin/sh
# The login shell of the tests: answers what it is asked (`-ilc QUESTION`) without the start-up files of whoever runs them.
eval "$2"
