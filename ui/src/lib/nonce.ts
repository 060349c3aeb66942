// The page's style nonce. The window sets it on the inline style of index.html. Libraries that insert style elements at
// run time (editor, select) get it, so that the policy stays strict.
const found = document.querySelector("style")?.nonce;

/** Undefined without a policy (development, tests). */
export const styleNonce: string | undefined = found === "" ? undefined : found;
