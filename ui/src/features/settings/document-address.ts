/** Whether a client may be known by this address: https with a path and no user, query or fragment; or none at all. */
export function isDocumentAddress(text: string): boolean {
  const address = text.trim();
  if (address === "") return true;
  if (!URL.canParse(address)) return false;
  const { protocol, pathname, username, password, search, hash } = new URL(address);
  return protocol === "https:" && pathname.length > 1 && username === "" && password === "" && search === "" && hash === "";
}
