/**
 * Accepted image types, by the first bytes of a file. SVG is rejected, because it can run scripts.
 */
const BEGINNINGS = {
  'image/png': /^89504e470d0a1a0a/,
  'image/jpeg': /^ffd8ff/,
  // GIF87a and GIF89a.
  'image/gif': /^474946383[79]61/,
  // RIFF, four bytes of length, WEBP.
  'image/webp': /^52494646.{8}57454250/,
  // Four bytes of length, ftyp, avif or avis.
  'image/avif': /^.{8}66747970617669(66|73)/,
} as const satisfies Record<string, RegExp>;

export type PictureType = keyof typeof BEGINNINGS;

const LONGEST_BEGINNING = 12;

/** The type of a picture by its first bytes; undefined if it is not an accepted type. */
export function pictureTypeOf(bytes: Uint8Array): PictureType | undefined {
  const beginning = [...bytes.subarray(0, LONGEST_BEGINNING)]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
  const types = Object.keys(BEGINNINGS) as readonly PictureType[];
  return types.find((type) => BEGINNINGS[type].test(beginning));
}

/** Whether a `Content-Type` is an accepted image type. */
export function isPictureType(contentType = ''): boolean {
  const [type = ''] = contentType.split(';');
  return Object.hasOwn(BEGINNINGS, type.trim().toLowerCase());
}

/** The result of reading a picture. `reason` is a text for people. */
export type ReadPicture =
  | { readonly kind: 'ok'; readonly type: PictureType; readonly bytes: Buffer }
  | { readonly kind: 'failed'; readonly reason: string };
