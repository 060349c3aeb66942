/** Words before something else on the same line: full-width punctuation brings its own space. */
export const leadIn = (words: string): string => (/[：。？]$/.test(words) ? words : `${words} `);

/** What stands between our words and a name in quotation marks, which in Chinese bring their own space. */
export const besideQuotes = (language: string): string => (language.startsWith("zh") ? "" : " ");
