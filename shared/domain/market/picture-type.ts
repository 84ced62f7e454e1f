/** The types of pictures that are shown, and how their files begin. Drawings (SVG) are programs: none. */
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

/** The type of a picture by its bytes; undefined for what is none that may be shown. */
export function pictureTypeOf(bytes: Uint8Array): PictureType | undefined {
  const beginning = [...bytes.subarray(0, LONGEST_BEGINNING)]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
  const types = Object.keys(BEGINNINGS) as readonly PictureType[];
  return types.find((type) => BEGINNINGS[type].test(beginning));
}

/** Whether a `Content-Type` says that a picture of these types comes. */
export function isPictureType(contentType = ''): boolean {
  const [type = ''] = contentType.split(';');
  return Object.hasOwn(BEGINNINGS, type.trim().toLowerCase());
}

/** What came of reading a picture: it, or why there is none, for people. */
export type ReadPicture =
  | { readonly kind: 'ok'; readonly type: PictureType; readonly bytes: Buffer }
  | { readonly kind: 'failed'; readonly reason: string };
