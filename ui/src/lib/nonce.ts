// The page's style nonce. The window puts it on the inline style of index.html; libraries that must
// insert a style element at run time (editor, select) are given it, so the policy stays strict.
const found = document.querySelector("style")?.nonce;

/** Undefined where no policy applies (development, tests). */
export const styleNonce: string | undefined = found === "" ? undefined : found;
