// Tools in rules: a pattern in which * matches any characters, and \* a star.

/** The pattern that matches only this tool. */
export const patternOf = (name: string): string => name.replaceAll("*", String.raw`\*`);

/** The only tool that a pattern matches. Null if it may match several. */
export function nameOf(pattern: string): string | null {
  const [first = "", ...rest] = pattern.split(String.raw`\*`);
  return [first, ...rest].some((part) => part.includes("*")) ? null : [first, ...rest].join("*");
}
