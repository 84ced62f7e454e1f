import { generateKeyPairSync } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { publicHalfOf } from '#shared/clients/channel-key.ts';
import { createOpen, createSeal, SealError } from '#shared/clients/sealer.ts';
import { MissingSecretError } from '#shared/clients/secrets.ts';
import { ChannelKeyError } from '#shared/domain/channels/channel-secret.ts';
import { CHANNEL_KEY, OTHER_CHANNEL_KEY } from '#test/support/channel-keys.ts';
import { casesOf } from '#test/support/extent.ts';
import { aSealer } from '#test/support/sealer.ts';

const PLACE = { tenant: 'acme', list: 'punks', channel: 'desk' };
const SECRET = 'https://hooks.slack.com/services/T0/B0/Ξ';
/** The length of the part before the encrypted bytes. */
const HEAD = 'v2.01234567.'.length + 25;

describe('a sealed secret', () => {
  it.each(['', SECRET, 'x'.repeat(318), 'y'.repeat(319), 'z'.repeat(1200)])(
    'opens a sealed secret',
    async (secret) => {
      const { seal, open } = aSealer();

      expect(await open(PLACE, await seal(PLACE, secret))).toBe(secret);
    },
  );

  it('seals a secret differently each time, and reveals no part of it', async () => {
    const { seal } = aSealer();

    const [first, second] = [await seal(PLACE, SECRET), await seal(PLACE, SECRET)];

    expect(first).toMatch(/^v2\.[0-9a-f]{8}\.[\w-]{24}\.[\w-]{512}$/);
    expect(Buffer.from(first.slice(HEAD), 'base64url').toString('latin1')).not.toContain('slack');
    expect(first.slice(HEAD)).not.toBe(second.slice(HEAD));
    expect(first.slice(0, HEAD)).toBe(second.slice(0, HEAD));
  });

  it.each([
    { tenant: 'umbrella' },
    { list: 'others' },
    { channel: 'others' },
    { tenant: 'acme","punks', list: '' },
  ])(
    'does not open a secret that was copied to another channel, list or tenant: %j',
    async (elsewhere) => {
      const { seal, open } = aSealer();
      const sealed = await seal(PLACE, SECRET);

      const opened = open({ ...PLACE, ...elsewhere }, sealed);

      await expect(opened).rejects.toThrow(SealError);
    },
  );

  it('does not open a sealed secret if a single bit was changed', async () => {
    const { seal, open } = aSealer();
    const sealed = await seal(PLACE, SECRET);
    const withBit = (text: string, bit: number) => {
      const changed = Buffer.from(text, 'base64url');
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      return changed.toString('base64url');
    };
    const [version, key, digest = '', bytes = ''] = sealed.split('.');

    for (const bit of casesOf([...Array(439).keys()], 60).map((place) => 7 * place)) {
      const otherDigest = [version, key, withBit(digest, bit % 144), bytes].join('.');
      const otherBytes = [version, key, digest, withBit(bytes, bit)].join('.');
      await expect(open(PLACE, otherDigest)).rejects.toThrow(SealError);
      await expect(open(PLACE, otherBytes)).rejects.toThrow(SealError);
    }
  });

  it.each(['', 'x', 'v2.01234567.AAAA', 'v1.01234567.AAAA', 'v2.01234567.AAAA.AAAA'])(
    'rejects a sealed secret of another form: %j',
    async (sealed) => {
      await expect(aSealer().open(PLACE, sealed)).rejects.toThrow(SealError);
    },
  );

  it('does not open a truncated secret', async () => {
    const { seal, open } = aSealer();
    const sealed = await seal(PLACE, SECRET);

    for (const length of [13, 20, 40, HEAD, sealed.length - 4]) {
      await expect(open(PLACE, sealed.slice(0, length))).rejects.toThrow(SealError);
    }
  });

  it('reports a secret that is sealed with another key', async () => {
    const sealed = await aSealer(OTHER_CHANNEL_KEY).seal(PLACE, SECRET);

    const opened = aSealer().open(PLACE, sealed);

    await expect(opened).rejects.toThrow(
      'the secret was encrypted with another key: enter the secret again',
    );
  });

  it('opens a secret with a new key that has replaced the cached one', async () => {
    const sealed = await aSealer(OTHER_CHANNEL_KEY).seal(PLACE, SECRET);
    const open = createOpen(async (refresh) => (refresh ? OTHER_CHANNEL_KEY : CHANNEL_KEY));

    expect(await open(PLACE, sealed)).toBe(SECRET);
  });
});

describe('sealing of an already sealed secret', () => {
  it('returns the existing sealed text for the same secret', async () => {
    const { seal } = aSealer();
    const known = await seal(PLACE, SECRET);

    expect(await seal(PLACE, SECRET, known)).toBe(known);
  });

  it.each([
    ['the secret differs', PLACE, CHANNEL_KEY, 'another'],
    ['the place differs', { ...PLACE, channel: 'x' }, CHANNEL_KEY, SECRET],
    ['the key has changed', PLACE, OTHER_CHANNEL_KEY, SECRET],
  ])('seals a secret again if %s', async (_what, place, key, secret) => {
    const known = await aSealer(key).seal(place, secret);
    const { seal, open } = aSealer();

    const sealed = await seal(PLACE, SECRET, known);

    expect(sealed).not.toBe(known);
    expect(await open(PLACE, sealed)).toBe(SECRET);
  });
});

it('seals with the public half of a channel key, which cannot open secrets', async () => {
  const half = publicHalfOf(CHANNEL_KEY);

  const sealed = await createSeal(async () => half)(PLACE, SECRET);

  await expect(createOpen(async () => half)(PLACE, sealed)).rejects.toThrow(ChannelKeyError);
  expect(await createOpen(async () => CHANNEL_KEY)(PLACE, sealed)).toBe(SECRET);
});

describe('the key of a sealer', () => {
  it('accepts a channel key that ends with a line break', async () => {
    const seal = createSeal(async () => `${publicHalfOf(CHANNEL_KEY)}\n`);
    const open = createOpen(async () => `${CHANNEL_KEY}\n`);

    expect(await open(PLACE, await seal(PLACE, SECRET))).toBe(SECRET);
  });

  it.each([
    ['too short', aKeyOf(2048)],
    ['of another kind', anEllipticKey()],
    ['in hex', Buffer.from(CHANNEL_KEY, 'base64').toString('hex')],
    ['32 random bytes', Buffer.alloc(32, 'k').toString('base64')],
    ['cut off', CHANNEL_KEY.slice(0, -40)],
    ['two lines', `${CHANNEL_KEY}\n${CHANNEL_KEY}`],
  ])('rejects a channel key that is %s without revealing it', async (_what, key) => {
    const sealed = await aSealer().seal(PLACE, SECRET);
    const errors: readonly unknown[] = await Promise.all([
      createSeal(async () => key)(PLACE, SECRET).catch((thrown: unknown) => thrown),
      createOpen(async () => key)(PLACE, sealed).catch((thrown: unknown) => thrown),
    ]);

    for (const error of errors) {
      expect(error).toBeInstanceOf(ChannelKeyError);
      expect(inspect(error, { depth: Number.POSITIVE_INFINITY })).not.toContain(key.slice(0, 20));
    }
  });

  it('reports a missing channel key with the cause', async () => {
    const cause = new MissingSecretError('parameter /x does not exist');
    const seal = createSeal(() => Promise.reject(cause));

    await expect(seal(PLACE, SECRET)).rejects.toMatchObject({
      code: 'channel_key_unusable',
      cause,
    });
  });
});

function aKeyOf(modulusLength: number): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength });
  return privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');
}

function anEllipticKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');
}
