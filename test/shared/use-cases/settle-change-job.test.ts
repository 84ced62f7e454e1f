import { expect, it } from 'vitest';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { settleUnlessReplaced } from '#shared/use-cases/settle-change-job.ts';

it('a job stays when another has taken its place, and other failures are thrown', async () => {
  const failing = (error: Error) => settleUnlessReplaced(() => Promise.reject(error));

  await expect(failing(new VersionConflictError('job'))).resolves.toBeUndefined();
  await expect(failing(new Error('no table'))).rejects.toThrow('no table');
});
