/** Adds a space after a text, unless its full-width punctuation already looks like one. */
export const leadIn = (words: string): string => (/[：。？]$/.test(words) ? words : `${words} `);

/** The separator between our text and a quoted name. Chinese quotation marks need no space. */
export const besideQuotes = (language: string): string => (language.startsWith("zh") ? "" : " ");
