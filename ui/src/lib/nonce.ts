// The page's style nonce. The window puts it on the inline style of index.html; libraries that must
// insert a style element at run time (scroll lock, editor, select) are given it, so the policy stays strict.
declare global {
  // Read by get-nonce, which the scroll lock of the dialogs and menus uses.
  var __webpack_nonce__: string | undefined;
}

const found = document.querySelector("style")?.nonce;

/** Undefined where no policy applies (development, tests). */
export const styleNonce: string | undefined = found === "" ? undefined : found;

globalThis.__webpack_nonce__ = styleNonce;
