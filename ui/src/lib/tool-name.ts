// Tools as rules name them: a pattern, in which * stands for any characters and \* for a star.

/** The pattern that means this tool and no other. */
export const patternOf = (name: string): string => name.replaceAll("*", String.raw`\*`);

/** The one tool that a pattern means; null: it may mean several. */
export function nameOf(pattern: string): string | null {
  const [first = "", ...rest] = pattern.split(String.raw`\*`);
  return [first, ...rest].some((part) => part.includes("*")) ? null : [first, ...rest].join("*");
}
