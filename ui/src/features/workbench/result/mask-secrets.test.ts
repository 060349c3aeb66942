import { expect, it } from "vitest";
import { maskSecrets } from "./mask-secrets";

it.each([
  ['{"api_key":"abc","city":"Kiel"}', '{"api_key":"•••","city":"Kiel"}'],
  ['{"a":[{"token":7}],"pin":12345678901234567890}', '{"a":[{"token":"•••"}],"pin":12345678901234567890}'],
  ['{"tokens":["a","b"],"to":"Bearer x"}', '{"tokens":["•••","•••"],"to":"•••"}'],
  ['{"token":"","password":null}', '{"token":"","password":null}'],
  [
    '{"credentials":{"user":"a","more":[{"value":7}]},"city":"Kiel"}',
    '{"credentials":{"user":"•••","more":[{"value":"•••"}]},"city":"Kiel"}',
  ],
  ["{broken", "{broken"],
])("of %s what looks like a secret is masked", (text, expected) => {
  expect(maskSecrets(text)).toBe(expected);
});
