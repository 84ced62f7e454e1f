import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createSealer, SealError } from '#shared/clients/sealer.ts';
import { MissingSecretError } from '#shared/clients/secrets.ts';
import { ChannelKeyError } from '#shared/domain/channels/channel-secret.ts';
import { aSealer, CHANNEL_KEY } from '#test/support/sealer.ts';

const PLACE = { tenant: 'acme', list: 'punks', channel: 'desk' };
const SECRET = 'https://hooks.slack.com/services/T0/B0/Ξ';
const OTHER_KEY = Buffer.alloc(32, 'o').toString('base64');

describe('a sealed secret', () => {
  it.each(['', SECRET, 'x'.repeat(10_000)])('opens to what it was', async (secret) => {
    const { seal, open } = aSealer();

    expect(await open(PLACE, await seal(PLACE, secret))).toBe(secret);
  });

  it('shows nothing of itself, and is never twice the same', async () => {
    const { seal } = createSealer(async () => CHANNEL_KEY, randomBytes);

    const [first, second] = [await seal(PLACE, SECRET), await seal(PLACE, SECRET)];

    expect(first).toMatch(/^v1\.[0-9a-f]{8}\.[\w-]+$/);
    expect(Buffer.from(first.slice(12), 'base64url').toString('latin1')).not.toContain('slack');
    expect(first).not.toBe(second);
    expect(first.slice(0, 12)).toBe(second.slice(0, 12));
  });

  it.each([
    { tenant: 'umbrella' },
    { list: 'others' },
    { channel: 'others' },
    { tenant: 'acme","punks', list: '' },
  ])('does not open in another place: %j', async (elsewhere) => {
    const { seal, open } = aSealer();
    const sealed = await seal(PLACE, SECRET);

    const opened = open({ ...PLACE, ...elsewhere }, sealed);

    await expect(opened).rejects.toThrow(SealError);
  });

  it('does not open when a single bit of it is another', async () => {
    const { seal, open } = aSealer();
    const sealed = await seal(PLACE, SECRET);
    const bytes = Buffer.from(sealed.slice(12), 'base64url');

    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      const opened = open(PLACE, `${sealed.slice(0, 12)}${changed.toString('base64url')}`);
      await expect(opened).rejects.toThrow(SealError);
    }
  });

  it.each(['', 'x', 'v2.01234567.AAAA', 'v1.01234567.'])(
    'is not one where it has another form: %j',
    async (sealed) => {
      await expect(aSealer().open(PLACE, sealed)).rejects.toThrow(SealError);
    },
  );

  it('cut short does not open', async () => {
    const { seal, open } = aSealer();
    const sealed = await seal(PLACE, SECRET);

    for (const length of [13, 20, 40, sealed.length - 4]) {
      await expect(open(PLACE, sealed.slice(0, length))).rejects.toThrow(SealError);
    }
  });

  it('says that it is under another key', async () => {
    const sealed = await aSealer(OTHER_KEY).seal(PLACE, SECRET);

    const opened = aSealer().open(PLACE, sealed);

    await expect(opened).rejects.toThrow('sealed under another key: give the secret again');
  });

  it('opens under a key that has just been put in the place of the remembered one', async () => {
    const sealed = await aSealer(OTHER_KEY).seal(PLACE, SECRET);
    const { open } = createSealer(
      async (refresh) => (refresh ? OTHER_KEY : CHANNEL_KEY),
      randomBytes,
    );

    expect(await open(PLACE, sealed)).toBe(SECRET);
  });
});

describe('what is sealed already', () => {
  it('is given back for the same secret', async () => {
    const { seal } = aSealer();
    const known = await seal(PLACE, SECRET);

    expect(await seal(PLACE, SECRET, known)).toBe(known);
  });

  it.each([
    ['it is another secret', PLACE, CHANNEL_KEY, 'another'],
    ['it is of another place', { ...PLACE, channel: 'x' }, CHANNEL_KEY, SECRET],
    ['the key has changed', PLACE, OTHER_KEY, SECRET],
  ])('is sealed anew where %s', async (_what, place, key, secret) => {
    const known = await aSealer(key).seal(place, secret);
    const { seal, open } = aSealer();

    const sealed = await seal(PLACE, SECRET, known);

    expect(sealed).not.toBe(known);
    expect(await open(PLACE, sealed)).toBe(SECRET);
  });
});

describe('a key', () => {
  it('may end with a line break', async () => {
    const sealed = await aSealer(`${CHANNEL_KEY}\n`).seal(PLACE, SECRET);

    expect(await aSealer().open(PLACE, sealed)).toBe(SECRET);
  });

  it.each([
    ['too short', Buffer.alloc(31).toString('base64')],
    ['too long', Buffer.alloc(33).toString('base64')],
    ['in hex', Buffer.alloc(32).toString('hex')],
    ['no base64', `${'!'.repeat(43)}=`],
    ['two lines', `${CHANNEL_KEY}\n${CHANNEL_KEY}`],
  ])('that is %s is told as such, and is in no error', async (_what, key) => {
    const error: unknown = await aSealer(key)
      .seal(PLACE, SECRET)
      .catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(ChannelKeyError);
    expect(inspect(error, { depth: Number.POSITIVE_INFINITY })).not.toContain(key.slice(0, 20));
  });

  it('that is missing is told as such, with the cause', async () => {
    const cause = new MissingSecretError('parameter /x is not there');
    const { seal } = createSealer(() => Promise.reject(cause), randomBytes);

    await expect(seal(PLACE, SECRET)).rejects.toMatchObject({
      code: 'channel_key_unusable',
      cause,
    });
  });
});
