import { expect, it } from 'vitest';
import { isPictureType, pictureTypeOf } from '#shared/domain/market/picture-type.ts';

it.each([
  ['image/png', '\x89PNG\r\n\x1a\n\0\0\0\rIHDR'],
  ['image/jpeg', '\xff\xd8\xff\xe0\0\x10JFIF'],
  ['image/gif', 'GIF89a\x01\0'],
  ['image/gif', 'GIF87a\x01\0'],
  ['image/webp', 'RIFF\x24\0\0\0WEBPVP8 '],
  ['image/avif', '\0\0\0\x20ftypavif\0\0\0\0'],
  [undefined, '<svg xmlns="http://www.w3.org/2000/svg">'],
  [undefined, '<!doctype html>'],
  [undefined, '\x89PNG'],
  [undefined, 'RIFF\x24\0\0\0WAVEfmt '],
  [undefined, ''],
])('detects the picture type %s from the first bytes %j', (type, bytes) => {
  expect(pictureTypeOf(Buffer.from(bytes, 'latin1'))).toBe(type);
});

it.each([
  ['image/png', true],
  ['IMAGE/PNG; q=1', true],
  ['image/svg+xml', false],
  ['text/html', false],
  ['constructor', false],
  ['', false],
  [undefined, false],
])('accepts the content type %s as a picture: %s', (type, isPicture) => {
  expect(isPictureType(type)).toBe(isPicture);
});
