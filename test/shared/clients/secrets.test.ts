import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createSecretReader, MissingSecretError } from '#shared/clients/secrets.ts';
import { MINUTE } from '#shared/domain/market/instant.ts';
import { NOON } from '#test/support/builders.ts';

const NAME = '/floorwatch/upstream-key';

describe('a secret', () => {
  it('is asked for by its name', async () => {
    const { read, asked } = world('s3cret');

    const value = await read(false);

    expect([value, asked]).toEqual(['s3cret', [NAME]]);
  });

  it('is remembered for five minutes, and then read anew', async () => {
    const { read, asked, clock } = world('old', 'young');

    const first = await read(false);
    clock.now += 5 * MINUTE - 1;
    const second = await read(false);
    clock.now += 1;
    const third = await read(false);

    expect([first, second, third]).toEqual(['old', 'old', 'young']);
    expect(asked).toHaveLength(2);
  });

  it('is read anew at once where the reader says that the old one is refused', async () => {
    const { read, asked } = world('old', 'young');

    const first = await read(false);
    const refreshed = await read(true);
    const later = await read(false);

    expect([first, refreshed, later]).toEqual(['old', 'young', 'young']);
    expect(asked).toHaveLength(2);
  });

  it.each([
    ['is not there', undefined],
    ['is empty', ''],
  ])('that %s is missing, by its name', async (_, answer) => {
    const { read } = world(answer);

    const missing = read(false);

    await expect(missing).rejects.toThrow(MissingSecretError);
    await expect(missing).rejects.toMatchObject({
      code: 'missing_secret',
      message: expect.stringContaining(NAME),
    });
  });

  it('that cannot be read just now is not said to be missing', async () => {
    const { read } = world(new Error('ThrottlingException'));

    await expect(read(false)).rejects.toThrow('ThrottlingException');
  });

  it('that could not be read is asked for again', async () => {
    const { read } = world(new Error('ThrottlingException'), 's3cret');
    await expect(read(false)).rejects.toThrow();

    expect(await read(false)).toBe('s3cret');
  });

  it.each([
    ['could not be read again', new Error('ThrottlingException')],
    ['was taken away', undefined],
    ['was emptied', ''],
  ])('that %s is in no error', async (_, answer) => {
    const { read } = world('s3cret', answer);
    await read(false);

    const error: unknown = await read(true).catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(Error);
    expect(inspect(error, { depth: Number.POSITIVE_INFINITY })).not.toContain('s3cret');
  });
});

/** A reader whose questions are answered one after the other, with a value, with none or an error. */
function world(...answers: readonly (string | undefined | Error)[]) {
  const asked: string[] = [];
  const getParameter = async (name: string) => {
    const answer = answers[asked.length];
    if (asked.length === answers.length) throw new Error('asked too often');
    asked.push(name);
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const clock = { now: NOON };
  return { asked, clock, read: createSecretReader(getParameter, NAME, () => clock.now) };
}
