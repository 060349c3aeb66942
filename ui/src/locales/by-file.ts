/** Texts by the name of their file. */
export const byFile = (files: Readonly<Record<string, object>>): Record<string, object> =>
  Object.fromEntries(Object.entries(files).map(([path, texts]) => [path.slice(path.lastIndexOf("/") + 1, -".json".length), texts]));
