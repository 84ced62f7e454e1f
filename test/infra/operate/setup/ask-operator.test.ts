import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { askOperator } from '#infra/operate/setup/ask-operator.ts';
import type { SetupAnswers } from '#infra/operate/setup/setup-answers.ts';
import { createTerminal } from '#infra/operate/terminal.ts';
import type { Settings } from '#infra/stack/stages.ts';

const KEY = 'eyJhbGciOiJIUzI1NiJ9.secret';

/** A terminal that answers each question with the next line, and then ends its input. */
function somebodyAnswering(...lines: readonly string[]) {
  const input = new PassThrough();
  const output = new PassThrough();
  let screen = '';
  let answered = 0;
  output.setEncoding('utf8').on('data', (text: string) => {
    screen += stripVTControlCharacters(text);
    if (!text.includes(': ')) return;
    const line = lines[answered];
    answered += 1;
    setImmediate(() => (line === undefined ? input.end() : input.write(`${line}\n`)));
  });
  return { terminal: createTerminal(input, output), input, screen: () => screen };
}

async function ask(
  lines: readonly string[],
  {
    given = {},
    settings,
    secrets = {},
  }: {
    given?: SetupAnswers;
    settings?: Settings;
    secrets?: Readonly<Record<string, string>>;
  } = {},
) {
  const { terminal, screen } = somebodyAnswering(...lines);
  const secret = async (name: string) => secrets[name];
  const answers = await askOperator(terminal, 'dev', given, { settings, secret }).catch(
    (cause: unknown) => {
      throw new Error(`no answer to: ${screen().trimEnd().split('\n').at(-1)}`, { cause });
    },
  );
  terminal.close();
  return { answers, screen: screen() };
}

/** The answers to all questions before the second provider. */
const UNTIL_SECOND = ['', '', '', KEY, '', ''];

describe('the questions of npm run operate -- setup', () => {
  it('setup asks only for missing options, and shows no secret', async () => {
    const { answers, screen } = await ask(
      ['a@example.com, b@example.com', '', KEY, '', '1500000', '', '20', '9000', '', ''],
      {
        given: { upstreamUrl: 'https://prices.example.com' },
      },
    );

    expect(answers).toEqual({
      operatorEmails: ['a@example.com', 'b@example.com'],
      upstreamProvider: undefined,
      ...{ upstreamUrl: 'https://prices.example.com', upstreamKey: KEY },
      ...{ upstreamBudgetPerDay: undefined, upstreamBudgetPerMonth: 1_500_000 },
      ...{ secondProvider: undefined, emailSender: undefined, slackWebhook: undefined },
      ...{ awsBudget: 20, firewall: 9000 },
    });
    expect(screen).toContain('Its daily budget in cost units [100000]: ');
    expect(screen).not.toContain('secret');
    expect(screen).not.toContain('Its URL');
  });

  it('setup keeps the values of options for which it has no question', async () => {
    const given = { operatorAlerts: 'all', table: 'new' } as const;
    const { answers } = await ask(['', '', '', KEY, '', '', '', '', '', '', ''], { given });

    expect(answers).toMatchObject(given);
  });

  it('setup shows current values, and keeps them after an empty answer', async () => {
    const { answers, screen } = await ask(['', '', '', '', '', '', '', '', '', '', ''], {
      settings: {
        ...{ operatorEmails: ['ops@example.com'], upstreamBudgetPerDay: 7 },
        firewallRequestsPerAddress: 5000,
      },
      secrets: { '/floorwatch/dev/upstream-key': KEY },
    });

    expect(Object.values(answers).filter((answer) => answer !== undefined)).toEqual([]);
    expect(screen).toContain('[ops@example.com]');
    expect(screen).toContain('Its API key [keep the stored value]: ');
    expect(screen).toContain('daily budget in cost units [7]: ');
    expect(screen).toContain('$6 a month and $0.60 per million requests) [5000]: ');
  });

  it('setup offers to create a key without an account if none is stored and the provider supports it', async () => {
    const { answers, screen } = await ask(['', 'opensea', '', '', '', '', '', '', '', '', '']);
    const { answers: other } = await ask(['', 'opensea', '', '', '', '', '', '', '', '', ''], {
      secrets: { '/floorwatch/dev/opensea-key': KEY },
    });

    expect(answers).toMatchObject({ upstreamProvider: 'opensea', instantKey: true });
    expect(screen).toContain('Its API key [a new key that works for a week, without an account]: ');
    expect(other).not.toHaveProperty('instantKey');
  });

  it('setup shows the URL and limits of the chosen provider', async () => {
    const { answers, screen } = await ask(['', 'opensea', '', KEY, '', '', '', '', '', '', ''], {
      settings: { upstreamUrl: 'https://prices.example.com', upstreamBudgetPerDay: 7 },
    });

    expect(answers).toMatchObject({ upstreamProvider: 'opensea', upstreamUrl: undefined });
    expect(screen).toContain('Price provider, nft-data or opensea [nft-data]: ');
    expect(screen).toContain('Its URL [https://api.opensea.io]: ');
    expect(screen).toContain('daily budget in cost units [12960]: ');
  });

  it('setup offers a second provider with its own key', async () => {
    const { answers, screen } = await ask([...UNTIL_SECOND, 'coingecko', 'second', '', '', '', '']);

    expect(answers).toMatchObject({ secondProvider: 'coingecko', secondKey: 'second' });
    expect(screen).toContain(
      'nft-data, opensea, coingecko, alchemy, ethereum-node or none [none]: ',
    );
    expect(screen).not.toContain('second\n');
  });

  it('setup accepts the URL of a node as its key', async () => {
    const address = 'https://node.example/v3/secret';
    const { answers, screen } = await ask([
      ...UNTIL_SECOND,
      'ethereum-node',
      address,
      '',
      '',
      '',
      '',
    ]);

    expect(answers).toMatchObject({ secondProvider: 'ethereum-node', secondKey: address });
    expect(screen).toContain('Its URL (stored as a secret): ');
    expect(screen).not.toContain(address);
  });

  it('setup repeats a question until the answer is valid', async () => {
    const { answers, screen } = await ask([
      'nobody',
      'ops@example.com',
      '',
      '',
      '',
      KEY,
      'much',
      '9',
      '',
      '',
      'twenty',
      'none',
      '9',
      'none',
      'example.com',
      'alerts@example.com',
      '',
    ]);

    expect(answers).toMatchObject({ operatorEmails: ['ops@example.com'], upstreamBudgetPerDay: 9 });
    expect(answers).toMatchObject({ upstreamKey: KEY, emailSender: 'alerts@example.com' });
    expect(screen).toContain('expected email addresses such as ops@example.com');
    expect(screen).toContain('expected a whole number such as 50000');
    expect(answers).toMatchObject({ awsBudget: 'none', firewall: 'none' });
    expect(screen).toContain('expected a whole number of at least 10, such as 10000, or none');
    expect(screen).toContain('expected a whole number of dollars such as 20, or none');
    expect(screen).toContain('expected an email address such as alerts@example.com, or none');
  });

  it.each(['\u0003', '\u0004'])(
    'setup ends without changes after Ctrl-C or Ctrl-D (%j)',
    async (key) => {
      const { terminal, input } = somebodyAnswering();
      const asked = terminal.ask('Apply this plan? ');
      input.write(key);

      await expect(asked).rejects.toThrow('nothing was changed');
    },
  );
});
