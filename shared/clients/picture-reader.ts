import {
  isPictureType,
  pictureTypeOf,
  type ReadPicture,
} from '#shared/domain/market/picture-type.ts';
import { createBinaryRequest, HttpError, type HttpGuard } from './http-client.ts';

/**
 * The deadline is short, because people see only the initials of the collection until the picture
 * arrives.
 */
const LIMITS = { deadlineMs: 3000, maxBodyBytes: 1024 * 1024, maxConnections: 10 };

/**
 * Reads pictures from URLs that strangers chose, with limits of time and size and without
 * redirects. Only pictures are accepted, according to both their content type and their bytes. The
 * guard allows only public addresses.
 */
export function createPictureReader(
  guard: HttpGuard,
): (address: string, signal: AbortSignal) => Promise<ReadPicture> {
  const request = createBinaryRequest(LIMITS, guard);
  return async (address, signal) => {
    try {
      const { status, headers, body } = await request({
        ...{ method: 'GET', url: new URL(address), signal },
        headers: { accept: 'image/avif,image/webp,image/png,image/jpeg,image/gif' },
      });
      if (status !== 200) return failed(`the host returned HTTP ${status}`);
      const type = pictureTypeOf(body);
      if (!isPictureType(headers['content-type']) || type === undefined) {
        return failed('the host did not return an AVIF, WebP, PNG, JPEG or GIF image');
      }
      return { kind: 'ok', type, bytes: body };
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      return failed(REASONS[error.reason]);
    }
  };
}

const failed = (reason: string): ReadPicture => ({ kind: 'failed', reason });

const REASONS: Readonly<Record<HttpError['reason'], string>> = {
  timeout: 'the request timed out',
  network: 'the host could not be reached',
  too_large: 'the picture is larger than 1 MB',
  garbage: 'the host returned no usable response',
  not_public: 'the address of the host is not public',
  not_loopback: 'a local stack connects only to this machine',
};
