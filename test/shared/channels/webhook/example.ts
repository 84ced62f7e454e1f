import type { ChannelExample } from '#test/support/channel-example.ts';

const secret = (bytes: number) => `whsec_${Buffer.alloc(bytes, 's').toString('base64')}`;
const secrets = [secret(24), secret(25)];
const of = (...secrets: readonly string[]) => ({ secrets });

export const webhookExample: ChannelExample<'webhook'> = {
  written: { id: 'a', kind: 'webhook', url: 'https://example.com/hook?token=1', secrets },
  elsewhere: { id: 'a', kind: 'webhook', url: 'https://example.com/hook?token=2', secrets },
  ...{ secrets, isForPeople: false, isByTopic: false },
  refused: [
    [of(), 'secrets', 'one or two'],
    [of(secret(24), secret(25), secret(26)), 'secrets', 'one or two'],
    [of(secret(24), secret(24)), 'secrets', 'two different'],
    [of(secret(23)), 'secrets.0', '24 to 64'],
    [of(secret(65)), 'secrets.0', '24 to 64'],
    [of(secret(24).slice(6)), 'secrets.0', 'whsec_'],
    [of(`${secret(24)}-`), 'secrets.0', 'base64'],
    [of(secret(25).slice(0, -1)), 'secrets.0', 'base64'],
    [of('kept:1'), 'secrets.0', 'kept:…'],
    [{ url: 'http://example.com/' }, 'url', 'an https URL'],
  ],
};
