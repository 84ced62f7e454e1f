import {
  isPictureType,
  pictureTypeOf,
  type ReadPicture,
} from '#shared/domain/market/picture-type.ts';
import { createBinaryRequest, HttpError, type HttpGuard } from './http-client.ts';

/** A person looks at a page, and has the initials of the collection meanwhile. */
const LIMITS = { deadlineMs: 3000, maxBodyBytes: 1024 * 1024, maxConnections: 10 };

/**
 * Reads pictures at addresses of strangers: within time and size, without redirects, and only what is
 * a picture by its type and by its bytes. The guard keeps it away from all that is not public.
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
      if (status !== 200) return failed(`its host answered ${status}`);
      const type = pictureTypeOf(body);
      if (!isPictureType(headers['content-type']) || type === undefined) {
        return failed('its host answered with no picture that may be shown');
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
  timeout: 'its host did not answer in time',
  network: 'its host could not be reached',
  too_large: 'it is larger than a megabyte',
  garbage: 'its host gave no usable answer',
  not_public: 'its address is not public',
  not_loopback: 'a local stack asks only this machine',
};
