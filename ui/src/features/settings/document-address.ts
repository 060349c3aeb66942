/** Whether this URL can identify a client: https with a path, without user, query or fragment. Or an empty text. */
export function isDocumentAddress(text: string): boolean {
  const address = text.trim();
  if (address === "") return true;
  if (!URL.canParse(address)) return false;
  const { protocol, pathname, username, password, search, hash } = new URL(address);
  return protocol === "https:" && pathname.length > 1 && username === "" && password === "" && search === "" && hash === "";
}
