import { describe, expect, it } from 'vitest';
import { createPrinter } from '#infra/command-line/printer.ts';
import { readUnanswered } from '#infra/local/log-lines.ts';
import { reportInJson, reportInWords } from '#infra/local/report.ts';

it('npm start prints one screen when it is ready: the console, the API and a command to paste', () => {
  const { lines, printer } = aPage();
  const url = 'http://127.0.0.1:4000';

  reportInWords(printer).ready({ url, apiKey: 'KEY', neighbourKey: 'OTHER', market: 'a market' });

  const text = lines.join('');
  expect(text).toContain(`console  ${url}/app#key=KEY\n`);
  expect(text).toContain(`API      ${url}\n`);
  expect(text.match(/^ *curl .*$/gm)).toEqual([`  curl -H 'X-API-Key: KEY' ${url}/v1/overview`]);
  expect(text).not.toContain('OTHER');
  expect(text.split('\n').length).toBeLessThan(24);
});

it('npm start prints how many contracts a minute polled, and how many values are new', () => {
  const { lines, printer } = aPage();
  const { round } = reportInWords(printer);

  round({ instant: Date.parse('2022-01-10T12:00:00Z'), polled: 5, values: 6 });
  round({ instant: Date.parse('2022-01-10T12:01:00Z'), polled: 0, values: 0 });

  expect(lines).toEqual(['2022-01-10 12:00  polled 5 contracts: 6 new values\n']);
});

it('npm start prints each reason for a missing answer once per contract', () => {
  const { lines, printer } = aPage();
  const read = readUnanswered(reportInWords(printer).unanswered);

  read(logLine({ series: 'floor', kind: 'failed', reason: 'network' }));
  read(logLine({ series: 'floor', kind: 'failed', reason: 'network' }));
  read(logLine({ series: 'floor', kind: 'not_found' }));
  read(logLine({ contract: 'eth:0xcd', series: 'floor', kind: 'failed', reason: 'network' }));

  expect(lines).toEqual([
    '  eth:0xab floor: failed, network\n',
    '  eth:0xab floor: not found\n',
    '  eth:0xcd floor: failed, network\n',
  ]);
});

it('npm start --json prints neither polls nor missing answers', () => {
  const { lines, printer } = aPage();
  const report = reportInJson(printer);

  report.round({ instant: 0, polled: 5, values: 6 });
  readUnanswered(report.unanswered)(logLine({ series: 'floor', kind: 'failed' }));

  expect(lines).toEqual([]);
});

it('npm start ignores log lines about other events', () => {
  const { lines, printer } = aPage();
  const read = readUnanswered(reportInWords(printer).unanswered);

  read('a stack trace with "series_not_answered" in it');
  read(JSON.stringify({ event: 'run_contracts_ended', note: 'series_not_answered' }));

  expect(lines).toEqual([]);
});

describe('a delivered message', () => {
  const at = '2022-01-10T12:00:00.000Z';
  const subject = '🟢 Resolved: Apes: floor';
  const chat = { kind: 'discord', to: '123', subject, message: {}, at } as const;
  const email = {
    kind: 'email',
    to: 'desk@example.com',
    subject: '[resolved] Apes: floor',
    at,
  } as const;

  const round = { instant: Date.parse(at), polled: 0, values: 0 };

  it('a message to several receivers is printed once, a minute later, with its reason and receivers', () => {
    const { lines, printer } = aPage();
    const report = reportInWords(printer);
    const message = { title: 'Resolved: Apes: floor' };

    report.notification({ kind: 'webhook', to: '/hook', subject: 'recovered', message, at });
    report.notification({ ...email, text: `${subject}\n\na\nb\n\nhttps://long.example/\n` });
    report.round(round);
    report.notification(chat);
    expect(lines).toEqual([]);
    report.round(round);

    expect(lines).toEqual([`\n  ${subject}\n     a\n     → email, Discord, webhook\n`]);
  });

  it('a printed message has the number of receivers of each kind', () => {
    const { lines, printer } = aPage();
    const report = reportInWords(printer);
    const kinds = [
      'sqs',
      'slack',
      'pagerduty',
      'teams',
      'telegram',
      'slack_bot',
      'webhook',
    ] as const;

    for (const kind of kinds) {
      report.notification({ kind, to: 'anyone', subject, message: {}, at });
    }
    report.notification({ ...chat, edits: 'm1' });
    report.ended();

    expect(lines[0]).toBe(
      `\n  ${subject}\n     → SQS queue, Slack (2), Discord, Teams, Telegram, PagerDuty, webhook\n`,
    );
  });

  it('a message that is printed again for a later receiver has no reason', () => {
    const { lines, printer } = aPage();
    const report = reportInWords(printer);
    report.notification({ ...email, text: `${subject}\n\na\n` });
    for (let rounds = 0; rounds < 3; rounds += 1) report.round(round);

    report.notification(chat);
    report.ended();

    expect(lines.slice(1)).toEqual([
      `\n  ${subject}\n     → Discord\n`,
      expect.stringContaining('End of the data'),
    ]);
  });

  it('npm start --json prints a message unchanged', () => {
    const { lines, printer } = aPage();

    reportInJson(printer).notification(chat);

    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { event: 'notification', notification: chat },
    ]);
  });

  it('npm start prints a message that a receiver rejected, as text and as JSON', () => {
    const { lines, printer } = aPage();

    reportInWords(printer).refused('Slack: too long');
    reportInJson(printer).refused('Slack: too long');

    expect(lines).toEqual([
      '  Message rejected: Slack: too long\n',
      '{"event":"refused","reason":"Slack: too long"}\n',
    ]);
  });
});

function logLine(fields: object): string {
  return JSON.stringify({ event: 'series_not_answered', contract: 'eth:0xab', ...fields });
}

function aPage() {
  const lines: string[] = [];
  const write = (text: string) => void lines.push(text);
  return { lines, printer: createPrinter({ write, writeError: write, isTerminal: false }) };
}
