// Apps declare folders as URIs, but people know their paths.

/** Characters that would change the path, or aren't part of it. */
const OTHER = /[?#]|%(?:00|2f|5c)/i;

/** The path of a `file:` URI in the system's notation. Other text stays unchanged. Both are foreign text. */
export function folderPath(uri: string): string {
  const url = URL.parse(uri);
  if (url?.protocol !== "file:" || OTHER.test(uri)) return uri;
  try {
    const path = decodeURIComponent(url.pathname);
    if (/^\/[a-z]:/i.test(path)) return path.slice(1).replaceAll("/", "\\");
    return url.host === "" ? path : `\\\\${url.host}${path.replaceAll("/", "\\")}`;
  } catch {
    return uri;
  }
}
