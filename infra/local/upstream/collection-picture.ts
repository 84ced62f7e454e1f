import { createHash } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';

/** Cells per side, and pixels per cell. */
const CELLS = 8;
const CELL = 16;
const SIDE = CELLS * CELL;

/**
 * A PNG picture of a simulated collection: a symmetric pattern in two colours, derived from its
 * name.
 */
export function collectionPicture(name: string): Buffer {
  const bytes = createHash('sha256').update(name).digest();
  const [hue = 0, ...pattern] = bytes;
  const palette = Buffer.from([...colour(hue, 0.9), ...colour(hue + 96, 0.45)]);
  const row = (y: number) => {
    const cells = Array.from({ length: CELLS }, (_, x) => {
      const mirrored = Math.min(x, CELLS - 1 - x);
      return (pattern[Math.floor(y / CELL) * (CELLS / 2) + mirrored] ?? 0) & 1;
    });
    // Each row of a PNG begins with its filter type; 0 means no filter.
    return [0, ...cells.flatMap((cell) => new Array<number>(CELL).fill(cell))];
  };
  const pixels = Buffer.from(Array.from({ length: SIDE }, (_, y) => row(y)).flat());
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', Buffer.concat([uint32(SIDE), uint32(SIDE), HEADER])),
    chunk('PLTE', palette),
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
/** Eight bits per pixel as an index of the palette; no interlacing. */
const HEADER = Buffer.from([8, 3, 0, 0, 0]);

/** The RGB values of a hue between 0 and 255. */
function colour(hue: number, brightness: number): readonly number[] {
  return [0, 1, 2].map((part) => {
    const turn = (hue / 256 + part / 3) * 2 * Math.PI;
    return Math.round(255 * brightness * (0.7 + 0.3 * Math.cos(turn)));
  });
}

function chunk(type: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'ascii'), content]);
  return Buffer.concat([uint32(content.length), named, uint32(crc32(named))]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
