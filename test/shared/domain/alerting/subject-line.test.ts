import { describe, expect, it } from 'vitest';
import { alertText } from '#shared/domain/alerting/alert-text.ts';
import { inert } from '#shared/domain/alerting/inert-text.ts';
import { digestOf } from '#shared/domain/alerting/notification.ts';
import { subjectLine } from '#shared/domain/alerting/subject-line.ts';
import { anAlert } from '#test/support/builders.ts';
import { growthOf } from '#test/support/garbage.ts';

type Given = Parameters<typeof anAlert>[0];

function subjectOf(given: Given, label?: string): string {
  const alert = anAlert(given);
  const text = alertText(alert, { label, condition: 'at or below 60 ETH' });
  return subjectLine({ kind: 'alert', alert: { ...alert, text } });
}

/** All characters that stand for a mark in an address or for a bracket, and some that get lost. */
const characters = [
  ...Array.from({ length: 0x110000 }, (_, point) => String.fromCodePoint(point)).filter(
    (character) => /[.。:/[\]]/.test(character.normalize('NFKD')),
  ),
  ...['🧟', '猿', '\u0301', 'ㅤ', '⠀'],
];
const ADDRESS = /[a-z0-9]\.[a-z]{2,}|:\/\//i;

describe('no evaluation-alike of a character', () => {
  it('makes an address of a name', () => {
    const subjects = characters.flatMap((character) => [
      subjectOf({ name: `evil${character}com` }),
      subjectOf({ name: `evil.${character}com` }),
      subjectOf({ name: `http${character}//evil` }),
    ]);

    expect(subjects.filter((subject) => ADDRESS.test(subject))).toEqual([]);
  });

  it('makes the mark of a severity of a name', () => {
    const subjects = characters.flatMap((character) => [
      subjectOf({ name: `${character}critical] Punks` }),
      subjectOf({ name: `${character}[critical] Punks` }),
    ]);

    expect(subjects.filter((subject) => subject.startsWith('['))).toEqual([]);
  });

  it.each(['．', '。', '｡', '․', '﹒'])('%s passes for a dot in a text', (dot) => {
    expect(inert(`see evil${dot}com`)).toBe('see evil[.]com');
  });
});

it('what is no address stays as it is written', () => {
  expect(inert('Ｐｕｎｋｓ ½ No. 5。')).toBe('Ｐｕｎｋｓ ½ No. 5。');
});

it.each([
  ['notifications', (size: number) => 'a'.repeat(size)],
  ['schemes', (size: number) => 'a:'.repeat(size / 2)],
  ['links', (size: number) => 'a://'.repeat(size / 4)],
  ['mailboxes', (size: number) => 'a:b@'.repeat(size / 4)],
  ['hosts', (size: number) => 'a.bc'.repeat(size / 4)],
])('a text of %s is made inert in time in proportion to its length', (_, textOf) => {
  expect(growthOf(inert, textOf)).toBeLessThan(32);
});

it.each([
  ['mailto:me@evil.example', 'mailto[:]me@evil[.]example'],
  ['a:b:c@evil.example:9', 'a[:]b[:]c@evil[.]example:9'],
  ['see https://evil.example/', 'see https[:]//evil[.]example/'],
  ['12:30 at the desk: now', '12:30 at the desk: now'],
])('of %s nothing makes a link', (text, expected) => {
  expect(inert(text)).toBe(expected);
});

describe('a name that is too long', () => {
  it('does not push out the news, nor the severity', () => {
    const name = 'P'.repeat(100);

    expect(subjectOf({ name, severity: 'critical' })).toBe(
      `[critical] ${'P'.repeat(44)}...: floor price 59.9 ETH, at or below 60 ETH`,
    );
    expect(subjectOf({ name })).toHaveLength(100);
  });

  it('is cut at a hundred characters all the same, when the news are longer', () => {
    const news = { value: `${'9'.repeat(20)}.${'9'.repeat(18)}`, threshold: '60' };
    const subject = subjectOf({ ...news, name: 'Punks', metric: 'm'.repeat(90) });

    expect(subject).toMatch(/^\.\.\.: m{90}/);
    expect(subject).toHaveLength(100);
  });
});

it.each(['日本語', '🧟', '…', '「」'])('%s gives way to the contract', (name) => {
  expect(subjectOf({ name })).toBe('eth:0xb47e3c...3bbb: floor price 59.9 ETH, at or below 60 ETH');
});

it('of a digest is its own, to the notification', () => {
  const alerts = [anAlert({ severity: 'critical' }), anAlert()];

  expect(subjectLine(digestOf('d1', alerts))).toBe(
    '[critical] 2 alerts of watchlist "punks": 1 critical, 1 warning',
  );
});

it('names no critical alert where there is none, whatever a name or label says', () => {
  const alert = anAlert({ name: '[critical] CryptoPunks' });
  const text = alertText(alert, { label: '[critical] sell', condition: 'at or below 60 ETH' });

  expect(text).toMatch(/^\(critical\) CryptoPunks: /);
  expect(text).not.toContain('[critical]');
});
