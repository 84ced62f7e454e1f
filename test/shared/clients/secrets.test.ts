import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createSecretReaders, MissingSecretError } from '#shared/clients/secrets.ts';
import { MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import { NOON } from '#test/support/builders.ts';

const NAME = '/floorwatch/upstream-key';

describe('a secret of the parameter store', () => {
  it('reads a secret by its name', async () => {
    const { read, asked } = world('s3cret');

    const value = await read(false);

    expect([value, asked]).toEqual(['s3cret', [[NAME]]]);
  });

  it('caches a secret for five minutes at most', async () => {
    const { read, asked, clock } = world('old', 'young');

    const first = await read(false);
    clock.now += 5 * MINUTE - 1;
    const second = await read(false);
    clock.now += 1;
    const third = await read(false);

    expect([first, second, third]).toEqual(['old', 'old', 'young']);
    expect(asked).toHaveLength(2);
  });

  it('reads a secret again at once if the caller reports the old one as rejected', async () => {
    const { read, asked } = world('old', 'young');

    const first = await read(false);
    const refreshed = await read(true);
    const later = await read(false);

    expect([first, refreshed, later]).toEqual(['old', 'young', 'young']);
    expect(asked).toHaveLength(2);
  });

  it.each([
    ['does not exist', undefined],
    ['is empty', ''],
  ])('throws an error with the name of a secret that %s', async (_, answer) => {
    const { read } = world(answer);

    const missing = read(false);

    await expect(missing).rejects.toThrow(MissingSecretError);
    await expect(missing).rejects.toMatchObject({
      code: 'missing_secret',
      message: expect.stringContaining(NAME),
    });
  });

  it('does not report a secret as missing if a read fails temporarily', async () => {
    const { read } = world(new Error('ThrottlingException'));

    await expect(read(false)).rejects.toThrow('ThrottlingException');
  });

  it('reads a secret again after a failed read', async () => {
    const { read } = world(new Error('ThrottlingException'), 's3cret');
    await expect(read(false)).rejects.toThrow();

    expect(await read(false)).toBe('s3cret');
  });

  it.each([
    ['could not be read again', new Error('ThrottlingException')],
    ['was taken away', undefined],
    ['was emptied', ''],
  ])('throws an error without the value of a secret that %s', async (_, answer) => {
    const { read } = world('s3cret', answer);
    await read(false);

    const error: unknown = await read(true).catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(Error);
    expect(inspect(error, { depth: Number.POSITIVE_INFINITY })).not.toContain('s3cret');
  });
});

describe('the secrets of a function', () => {
  const OTHER = '/floorwatch/link-key';
  const values = new Map([
    [NAME, 's3cret'],
    [OTHER, 'k3y'],
  ]);

  it('reads all secrets of a function in one call for concurrent and later readers', async () => {
    const asked: (readonly string[])[] = [];
    const getParameters = async (names: readonly string[]) => {
      asked.push(names);
      return values;
    };
    const secret = createSecretReaders(getParameters, { now: () => NOON, random: () => 0 });
    const [read, readOther] = [secret(NAME), secret(OTHER)];

    const first = await Promise.all([read(false), read(false), readOther(false)]);
    const later = await readOther(false);

    expect([...first, later]).toEqual(['s3cret', 's3cret', 'k3y', 'k3y']);
    expect(asked).toEqual([[NAME, OTHER]]);
  });

  it('reads the other secrets while one is missing', async () => {
    const secret = createSecretReaders(async () => new Map([[OTHER, 'k3y']]), {
      now: () => NOON,
      random: () => 0,
    });
    const [read, readOther] = [secret(NAME), secret(OTHER)];

    await expect(read(false)).rejects.toThrow(MissingSecretError);
    expect(await readOther(false)).toBe('k3y');
  });

  it('expires cached secrets after four to five minutes, spread at random', async () => {
    const kept = [0, 0.5, 0.999].map(async (random) => {
      let now = NOON;
      let reads = 0;
      const getParameters = async () => {
        reads += 1;
        return values;
      };
      const read = createSecretReaders(getParameters, { now: () => now, random: () => random })(
        NAME,
      );
      while (reads < 2) {
        await read(false);
        now += SECOND;
      }
      return now - SECOND - NOON;
    });

    expect(await Promise.all(kept)).toEqual([5 * MINUTE, 4.5 * MINUTE, 4 * MINUTE + SECOND]);
  });
});

/** A reader whose reads return these answers in turn: a value, none, or an error. */
function world(...answers: readonly (string | undefined | Error)[]) {
  const asked: (readonly string[])[] = [];
  const getParameters = async (names: readonly string[]) => {
    const answer = answers[asked.length];
    if (asked.length === answers.length) throw new Error('asked too often');
    asked.push(names);
    if (answer instanceof Error) throw answer;
    return new Map(answer === undefined ? [] : [[NAME, answer]]);
  };
  const clock = { now: NOON };
  const secret = createSecretReaders(getParameters, { now: () => clock.now, random: () => 0 });
  return { asked, clock, read: secret(NAME) };
}
