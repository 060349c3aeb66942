// Formats bytes: the offset, the bytes in hexadecimal, and their printable characters.
export interface HexRow {
  readonly place: string;
  readonly bytes: string;
  readonly letters: string;
}

const hex = (value: number, digits: number) => value.toString(16).padStart(digits, "0");

/** Row `index` with `width` bytes. A gap in the middle helps counting. */
export function hexRow(bytes: Uint8Array, index: number, width: number): HexRow {
  const from = index * width;
  const part = [...bytes.subarray(from, from + width)];
  const cells = part.map((byte) => hex(byte, 2));
  while (cells.length < width) cells.push("  ");
  return {
    place: hex(from, 8),
    bytes: `${cells.slice(0, width / 2).join(" ")}  ${cells.slice(width / 2).join(" ")}`,
    letters: part.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : "·")).join(""),
  };
}

/** All rows of the first bytes as text, for copying. */
export function hexText(bytes: Uint8Array, width: number): string {
  return Array.from({ length: Math.ceil(bytes.length / width) }, (_, index) => {
    const row = hexRow(bytes, index, width);
    return `${row.place}  ${row.bytes}  ${row.letters}`;
  }).join("\n");
}

const SIGNS: readonly (readonly [string, string])[] = [
  ["89504e470d0a1a0a", "PNG"],
  ["ffd8ff", "JPEG"],
  ["47494638", "GIF"],
  ["25504446", "PDF"],
  ["504b0304", "ZIP"],
  ["1f8b", "gzip"],
  ["7f454c46", "ELF"],
  ["0061736d", "WebAssembly"],
  ["4f676753", "Ogg"],
  ["664c6143", "FLAC"],
  ["53514c69746520666f726d6174203300", "SQLite"],
  ["28b52ffd", "Zstandard"],
  ["fd377a585a00", "xz"],
  ["cafebabe", "Java class"],
  ["774f4632", "WOFF2"],
  ["49492a00", "TIFF"],
  ["4d4d002a", "TIFF"],
];

/** The file type by the first bytes, whatever the server claims. Null if unknown. */
export function signOf(bytes: Uint8Array): string | null {
  const head = [...bytes.subarray(0, 16)].map((byte) => hex(byte, 2)).join("");
  return SIGNS.find(([sign]) => head.startsWith(sign))?.[1] ?? null;
}
