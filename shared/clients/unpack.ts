import { promisify } from 'node:util';
import * as zlib from 'node:zlib';

type Unpack = (packed: Buffer, options: zlib.ZlibOptions) => Promise<Buffer>;

const gunzip = promisify(zlib.gunzip);
const inflate = promisify(zlib.inflate);
const inflateRaw = promisify(zlib.inflateRaw);
const brotliDecompress = promisify(zlib.brotliDecompress);

const UNPACKERS: ReadonlyMap<string, Unpack> = new Map<string, Unpack>([
  ['gzip', gunzip],
  ['x-gzip', gunzip],
  ['br', brotliDecompress],
  ['deflate', inflateAny],
]);

/**
 * Decodes a content encoding; rejects if it is unknown, does not match, or produces more than
 * `maxBytes`.
 */
export async function unpack(packed: Buffer, encoding: string, maxBytes: number): Promise<Buffer> {
  const unpacker = UNPACKERS.get(encoding.toLowerCase());
  if (unpacker === undefined) throw new TypeError(`unsupported content encoding: ${encoding}`);
  return await unpacker(packed, { maxOutputLength: maxBytes });
}

/** "deflate" means the zlib format, but some servers send raw deflate. */
function inflateAny(packed: Buffer, options: zlib.ZlibOptions): Promise<Buffer> {
  const isWrapped = (packed.readUInt8(0) & 0x0f) === 8;
  return isWrapped ? inflate(packed, options) : inflateRaw(packed, options);
}
