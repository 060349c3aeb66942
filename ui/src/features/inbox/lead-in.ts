/** Words before something else on the same line: a full-width colon brings its own space. */
export const leadIn = (words: string): string => (words.endsWith("：") ? words : `${words} `);
