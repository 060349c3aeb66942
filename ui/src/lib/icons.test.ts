import { describe, expect, it } from "vitest";
import { iconOf, iconUrls } from "./icons";

const base64 = (bytes: readonly number[] | string) => btoa(typeof bytes === "string" ? bytes : String.fromCharCode(...bytes));
const big = (value: number) => [value >>> 24, (value >> 16) & 255, (value >> 8) & 255, value & 255];
const letters = (text: string) => Array.from(text, (char) => char.charCodeAt(0));

const png = (width: number, height = width) =>
  `data:image/png;base64,${base64([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, ...letters("IHDR"), ...big(width), ...big(height), 8, 6])}`;
const jpeg = (width: number, height: number) =>
  `data:image/jpeg;base64,${base64([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc0, 0, 11, 8, height >> 8, height & 255, width >> 8, width & 255, 3, 0, 0, 0])}`;
const webp = (side: number) =>
  `data:image/webp;base64,${base64([...letters("RIFF"), 0, 0, 0, 0, ...letters("WEBPVP8X"), 10, 0, 0, 0, 0, 0, 0, 0, side - 1, 0, 0, side - 1, 0, 0])}`;
const svg = (inside: string, open = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8">') =>
  `data:image/svg+xml;base64,${base64(`${open}${inside}</svg>`)}`;
const shape = '<path d="M0 0h8v8z" fill="url(#g)"/>';

const tool = (...icons: unknown[]) => JSON.stringify({ name: "t", icons });
const shown = (...icons: unknown[]) => iconOf(tool(...icons), 16);

describe("an icon", () => {
  it("may be PNG, JPEG, WebP or SVG, as the definition brings it", () => {
    for (const src of [png(48), jpeg(64, 32), webp(96), svg(shape), `data:image/svg+xml,${encodeURIComponent(`<svg>${shape}</svg>`)}`])
      expect(shown({ src })).toEqual({ light: src, dark: src });
  });

  it("is absent where there is none, or where the definition is no JSON", () => {
    for (const raw of ["{}", '{"icons":[]}', '{"icons":7}', '{"icons":[7,null,{}]}', '{"icons":[{"src":7}]', "", '{"name":"\\"icons\\""}'])
      expect(iconOf(raw, 16)).toBeNull();
  });

  it("is never fetched, from wherever", () => {
    for (const src of [
      "https://a.example/i.png",
      "http://a.example/i.png",
      "file:///etc/passwd",
      "ws://a",
      "//a/i.png",
      "i.png",
      "blob:x",
      "javascript:1",
    ])
      expect(shown({ src, mimeType: "image/png" })).toBeNull();
  });

  it("is what it says that it is", () => {
    expect(shown({ src: png(48).replace("image/png", "image/jpeg") })).toBeNull();
    expect(shown({ src: png(48), mimeType: "image/svg+xml" })).toBeNull();
    expect(shown({ src: jpeg(32, 32), mimeType: "image/jpg" })).not.toBeNull();
    for (const type of ["image/gif", "text/html", "application/pdf", "image/x-icon", ""])
      expect(shown({ src: png(48).replace("image/png", type) })).toBeNull();
    expect(shown({ src: "data:image/png;base64,iVBOR%%" })).toBeNull();
    expect(shown({ src: `data:image/svg+xml;base64,${base64("<html><svg/></html>")}` })).toBeNull();
  });

  it("is small", () => {
    expect(shown({ src: png(1_024) })).not.toBeNull();
    expect(shown({ src: png(1_025, 1) })).toBeNull();
    expect(shown({ src: png(0) })).toBeNull();
    expect(shown({ src: jpeg(30_000, 8) })).toBeNull();
    expect(shown({ src: svg(" ".repeat(300_000)) })).toBeNull();
  });

  it.each([
    ["runs", "<script>1</script>"],
    ["runs on an event", '<path onload="x()"/>'],
    ["is of another language", "<foreignObject><p/></foreignObject>"],
    ["loads a picture", '<image href="https://a.example/x.png"/>'],
    ["loads by a prefix", '<x:image xlink:href="#a"/>'],
    ["refers to the outside", '<use href="https://a.example/x.svg#a"/>'],
    ["refers to the outside without quotes", "<use href=//a.example/x/>"],
    ["styles from the outside", "<style>@import 'x';</style>"],
    ["fills from the outside", '<path fill="url(https://a.example/x)"/>'],
    ["leads somewhere", '<a href="#x"><path/></a>'],
    ["moves", '<animateTransform attributeName="x"/>'],
    ["moves by style", "<style>@keyframes a{}</style>"],
    ["is slow", '<filter id="a"/>'],
    ["hides what it does", '<path x="&#106;avascript"/>'],
    ["doubles itself", '<use href="#a"/>'.repeat(13)],
  ])("that %s is not shown", (_, inside) => {
    expect(shown({ src: svg(inside + shape) })).toBeNull();
  });

  it("declares no entities", () => {
    expect(shown({ src: svg("&a;", '<!DOCTYPE svg [<!ENTITY a "b">]><svg>') })).toBeNull();
  });

  // Requirements: INFO-09.
  it("is the one for the theme and the size", () => {
    const [small, fitting, large] = [png(16), png(32), png(512)];
    expect(shown({ src: large }, { src: small }, { src: fitting })?.light).toBe(fitting);
    expect(shown({ src: small }, { src: svg(shape) })?.light).toBe(svg(shape));
    const [day, night] = [
      { src: png(40), theme: "light" },
      { src: png(41), theme: "dark" },
    ];
    expect(shown(day, night)).toEqual({ light: day.src, dark: night.src });
    // An icon for the other theme is better than none.
    expect(shown(night)).toEqual({ light: night.src, dark: night.src });
    expect(shown(night, { src: png(42) })).toEqual({ light: png(42), dark: night.src });
  });
});

describe("icons at URLs", () => {
  const url = "https://mcp.test/icon.png";
  const raw = JSON.stringify({
    icons: [{ src: url, mimeType: "image/png" }, { src: url, mimeType: "image/png" }, { src: "http://mcp.test/x" }, { src: png(8) }],
  });
  it("are named once each, and only https", () => {
    expect(iconUrls(raw)).toEqual([url]);
    expect(iconUrls('{"icons":"https://mcp.test/x"}')).toEqual([]);
  });
  it("are checked like others once they are loaded", () => {
    expect(iconOf(raw, 8)?.light).toBe(png(8));
    expect(iconOf(raw, 8, new Map([[url, png(64)]]))?.light).toBe(png(64));
    for (const bad of [jpeg(64, 64), png(4_096), "data:text/html,x", "https://mcp.test/other"])
      expect(iconOf(raw, 8, new Map([[url, bad]]))?.light).not.toBe(bad);
  });
});
