import { expect, it } from 'vitest';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { unlessConflict } from '#shared/use-cases/unless-conflict.ts';

it('unlessConflict ignores a version conflict, and throws other errors', async () => {
  const failing = (error: Error) => unlessConflict(() => Promise.reject(error));

  await expect(failing(new VersionConflictError('job'))).resolves.toBeUndefined();
  await expect(failing(new Error('no table'))).rejects.toThrow('no table');
});
