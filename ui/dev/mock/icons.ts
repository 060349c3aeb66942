// Servers' own icons, as in the result of `initialize`.

const svg = (shapes: string) =>
  `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">${shapes}</svg>`)}`;
const branch = (colour: string) =>
  svg(
    `<g fill="none" stroke="${colour}" stroke-width="1.5"><circle cx="4.5" cy="3.5" r="2"/><circle cx="4.5" cy="12.5" r="2"/><circle cx="11.5" cy="5.5" r="2"/><path d="M4.5 5.5v5M11.5 7.5c0 2.5-3 2.5-7 3"/></g>`,
  );

/** The icons at the URLs that servers name. */
export const remoteIcons: Readonly<Record<string, string>> = {
  "https://docs.acme.test/icon.svg": svg(
    '<path d="M3 2h7l3 3v9H3z" fill="#5b8def"/><path d="M5.5 8h5M5.5 10.5h5" stroke="#fff" stroke-width="1.2"/>',
  ),
};

/** The icons by the server's name. */
export const ownIcons: Readonly<Record<string, readonly object[]>> = {
  github: [
    { src: branch("#24292f"), mimeType: "image/svg+xml", theme: "light" },
    { src: branch("#f0f6fc"), mimeType: "image/svg+xml", theme: "dark" },
  ],
  "docs-search": Object.keys(remoteIcons).map((src) => ({ src, mimeType: "image/svg+xml" })),
  weather: [
    {
      src: svg(
        '<circle cx="6" cy="6" r="4" fill="#f5a623"/><path d="M5 13a3 3 0 0 1 .4-6 4 4 0 0 1 7.5 1.4A2.4 2.4 0 0 1 12.6 13z" fill="#7aa7d9"/>',
      ),
      sizes: ["any"],
    },
  ],
};

/** The hash of a server's icons in its view. */
export const iconsOf = (name: string): string | null => (Object.hasOwn(ownIcons, name) ? `icons of ${name}` : null);

/** Whether a server names icons by URL. */
export const namesIcons = (name: string): boolean => name === "docs-search";
