// The folders that apps declare are URIs; people know folders by their paths.

/** What would make the path another one, or isn't part of it. */
const OTHER = /[?#]|%(?:00|2f|5c)/i;

/** The path of a `file:` URI as the system writes it; any other text as it is. It is somebody else's text before and after. */
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
