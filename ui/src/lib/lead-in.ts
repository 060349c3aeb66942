/** Words before something else on the same line: full-width punctuation brings its own space. */
export const leadIn = (words: string): string => (/[：。？]$/.test(words) ? words : `${words} `);
