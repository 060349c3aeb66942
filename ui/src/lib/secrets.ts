// Which values look like secrets, so that they are masked until somebody wants to see them.

const telling = /pass(?:word|wd|phrase)?|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|credential|auth|cookie|session|bearer|^key$|_key$|-key$/i;
const harmless = /^(?:.*_)?(?:PATH|FILE|DIR|URL_PATH|AUTHOR|AUTHORS)$/i;
const shaped =
  /^(?:Bearer|Basic)\s|^gh[pousr]_\w{10,}|^github_pat_|^sk-[\w-]{10,}|^xox[abprs]-|^AKIA[0-9A-Z]{12,}|^eyJ[\w-]{10,}\.|^glpat-|^AIza[\w-]{20,}|-----BEGIN|^[a-z][a-z0-9+.-]*:\/\/[^/@\s]*:[^/@\s]+@/;

/** Whether a variable or header holds a secret, by its name or by the shape of its value. */
export function looksSecret(name: string, value: string): boolean {
  return shaped.test(value.trim()) || (telling.test(name) && !harmless.test(name));
}

/** Arguments that look like secrets: every program on the machine can read them. */
export function secretArguments(args: readonly string[]): string[] {
  return args.filter((arg, index) => {
    const [flag, value] = arg.includes("=") ? [arg.slice(0, arg.indexOf("=")), arg.slice(arg.indexOf("=") + 1)] : ["", arg];
    const before = args[index - 1] ?? "";
    const named = flag === "" && before.startsWith("-") ? before : flag;
    return shaped.test(value) || (named.startsWith("-") && !arg.startsWith("--no-") && value !== "" && !value.startsWith("-") && telling.test(named.replace(/^-+/, "")));
  });
}
