import { expect, it } from "vitest";
import { isLookAlike } from "./look-alike";

it.each([
  ["mcp.acme.com", "mcp.acrne.com", true],
  ["paypal.com", "paypa1.com", true],
  ["google.com", "g00gle.com", true],
  ["github.com", "githib.com", true],
  ["acme.co.uk", "acrne.co.uk", true],
  ["api1.example.com", "api2.example.com", false],
  ["example.com", "example.com", false],
  ["acme.com", "weather.org", false],
])("tells whether %s and %s look alike", (before, now, alike) => {
  expect(isLookAlike(before, now)).toBe(alike);
});
