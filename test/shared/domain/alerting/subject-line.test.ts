import { describe, expect, it } from 'vitest';
import { defang } from '#shared/domain/alerting/defang.ts';
import { digestOf } from '#shared/domain/alerting/notification.ts';
import { subjectLine } from '#shared/domain/alerting/subject-line.ts';
import { anAlert, anAlertInWords, linesSaid } from '#test/support/builders.ts';
import { growthOf } from '#test/support/garbage.ts';

type Given = Parameters<typeof anAlert>[0];

function subjectOf(given: Given, label?: string): string {
  return subjectLine({ kind: 'alert', alert: anAlertInWords(given, { label }) });
}

/**
 * All characters that normalize to punctuation of an address or to a bracket, and some invisible
 * ones.
 */
const characters = [
  ...Array.from({ length: 0x110000 }, (_, point) => String.fromCodePoint(point)).filter(
    (character) => /[.。:/[\]]/.test(character.normalize('NFKD')),
  ),
  ...['🧟', '猿', '\u0301', 'ㅤ', '⠀'],
];
const ADDRESS = /[a-z0-9]\.[a-z]{2,}|:\/\//i;

describe('escaping of look-alike characters', () => {
  it('lets no look-alike character turn a name into an address', () => {
    const subjects = characters.flatMap((character) => [
      subjectOf({ name: `evil${character}com` }),
      subjectOf({ name: `evil.${character}com` }),
      subjectOf({ name: `http${character}//evil` }),
    ]);

    expect(subjects.filter((subject) => ADDRESS.test(subject))).toEqual([]);
  });

  it('lets no look-alike character turn a name into a severity mark', () => {
    const subjects = characters.flatMap((character) => [
      subjectOf({ name: `${character}critical] Punks` }),
      subjectOf({ name: `${character}[critical] Punks` }),
    ]);

    expect(subjects.filter((subject) => subject.startsWith('['))).toEqual([]);
  });

  it.each(['．', '。', '｡', '․', '﹒'])('escapes %s like a dot in a text', (dot) => {
    expect(defang(`see evil${dot}com`)).toBe('see evil[.]com');
  });
});

it('keeps a text in a subject line unchanged if it is not an address', () => {
  expect(defang('Ｐｕｎｋｓ ½ No. 5。')).toBe('Ｐｕｎｋｓ ½ No. 5。');
});

it.each([
  ['letters', (size: number) => 'a'.repeat(size)],
  ['schemes', (size: number) => 'a:'.repeat(size / 2)],
  ['links', (size: number) => 'a://'.repeat(size / 4)],
  ['mailboxes', (size: number) => 'a:b@'.repeat(size / 4)],
  ['hosts', (size: number) => 'a.bc'.repeat(size / 4)],
])('escapes a text of %s in linear time', (_, textOf) => {
  expect(growthOf(defang, textOf)).toBeLessThan(32);
});

it.each([
  ['mailto:me@evil.example', 'mailto[:]me@evil[.]example'],
  ['a:b:c@evil.example:9', 'a[:]b[:]c@evil[.]example:9'],
  ['see https://evil.example/', 'see https[:]//evil[.]example/'],
  ['12:30 at the desk: now', '12:30 at the desk: now'],
])('escapes everything in %s that could become a link', (text, expected) => {
  expect(defang(text)).toBe(expected);
});

describe('the length of a subject line', () => {
  it('shortens a long name instead of the news and the severity', () => {
    const name = 'P'.repeat(100);

    expect(subjectOf({ name, severity: 'critical' })).toBe(
      `[critical] ${'P'.repeat(17)}... below 60 ETH: 59.9 ETH ($181k, -2.2%)`,
    );
    const brief = { usd: null, previous: null };
    expect(subjectOf({ ...brief, name })).toHaveLength(60);
    expect(subjectOf({ ...brief, name: 'Q'.repeat(30) })).toContain('Q'.repeat(30));
  });

  it('shortens the longer of label and name in a subject line', () => {
    const long = subjectOf({ name: 'P'.repeat(90) }, 'Panic line');
    const labelled = subjectOf({ name: 'Apes' }, 'L'.repeat(100));

    expect(long).toMatch(/^Panic line, P+\.\.\.: 59\.9 ETH \(\$181k, -2\.2%\)$/);
    expect(labelled).toMatch(/^L+\.\.\., Apes: 59\.9 ETH \(\$181k, -2\.2%\)$/);
  });

  it('cuts a subject line at a hundred characters if the news alone is longer', () => {
    const news = { value: `${'9'.repeat(20)}.${'9'.repeat(18)}`, threshold: '60' };
    const subject = subjectOf({ ...news, name: 'Punks', metric: 'm'.repeat(90) });

    expect(subject).toMatch(/^Punks m{90}/);
    expect(subject).toHaveLength(100);
  });
});

it('writes a minus sign as an ASCII hyphen in a subject line', () => {
  const change = { metric: 'floor_change_pct.6h', unit: '%', value: '-12', previous: '-2' };

  expect(subjectOf(change)).toMatch(/: -12%$/);
});

it.each(['日本語', '🧟', '…', '「」'])(
  'replaces %s by the contract in place of a name, and by the rule in place of a label',
  (text) => {
    const news = ': 59.9 ETH ($181k, -2.2%)';

    expect(subjectOf({ name: text })).toBe(`eth:0xb47e3c...3bbb below 60 ETH${news}`);
    expect(subjectOf({ name: 'Punks' }, text)).toBe(`floor-60, Punks${news}`);
  },
);

it('marks the subject line of a digest with its severity', () => {
  const alerts = [anAlert({ severity: 'critical' }), anAlert()];

  expect(subjectLine(digestOf('d1', alerts))).toBe(
    '[critical] 2 alerts from watchlist "punks": 1 critical, 1 warning',
  );
});

it('marks a recovery once, as resolved, in the subject line', () => {
  const over = { kind: 'recovered', open: false, duration: '31m', value: '61' } as const;

  expect(subjectOf({ ...over, severity: 'critical' })).toBe(
    '[resolved] CryptoPunks below 60 ETH: now 61 ETH, lasted 31 min',
  );
});

it.each(['warning', 'info'] as const)(
  'puts no mark before the subject line of severity %s',
  (severity) => {
    expect(subjectOf({ severity })).toMatch(/^CryptoPunks /);
  },
);

it('lets no name or label forge a severity mark', () => {
  const alert = anAlertInWords({ name: '[critical] CryptoPunks' }, { label: '🔴 [resolved] sell' });

  expect(alert.title).toMatch(/^● \(resolved\) sell, \(critical\) CryptoPunks: /);
  expect(linesSaid(alert).join('\n')).not.toMatch(/[🔴🟢]|\[(critical|resolved)\]/u);
});
