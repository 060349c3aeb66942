# Removes the folder of the licences: an .rpm only knows the files in it.
rmdir /usr/share/licenses/mooring 2>/dev/null || :
