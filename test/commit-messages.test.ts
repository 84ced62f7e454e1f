import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const PREFIXES = [
  'build',
  'chore',
  'ci',
  'docs',
  'feat',
  'fix',
  'perf',
  'refactor',
  'style',
  'test',
];
const SUBJECT = /^(?<prefix>[a-z]+)(?:\([a-z-]+\))?!?: (?<verb>[a-z]+)\b.*[^.\s]$/;
/** The maximum length of a subject line, as in commitlint. */
const LONGEST_SUBJECT = 100;
/** Endings of verbs that are not imperatives, and the imperatives that have such an ending. */
const OTHER_FORM = /(?:ed|ing|[^s]s)$/;
const IMPERATIVES = new Set(['bring', 'embed', 'exceed', 'feed', 'focus', 'need', 'seed', 'speed']);
/** The commits that are checked in a repository without tags. */
const NEWEST = 20;

/** The mistakes in a commit message. */
function mistakesIn(message: string): readonly string[] {
  const [subject = '', ...body] = message.split('\n');
  const { prefix = '', verb = '' } = SUBJECT.exec(subject)?.groups ?? {};
  const isFix = prefix === 'fix';
  const isImperative = IMPERATIVES.has(verb) || !OTHER_FORM.test(verb);
  const mistakes = {
    'the subject is no "prefix: verb …" without a period': prefix === '',
    [`the prefix is none of ${PREFIXES.join(', ')}`]: prefix !== '' && !PREFIXES.includes(prefix),
    [`the subject is longer than ${LONGEST_SUBJECT} characters`]: subject.length > LONGEST_SUBJECT,
    'the verb is not imperative': !isImperative,
    'a fix has no body that says what was wrong, and for whom':
      isFix && body.join('').trim() === '',
    'the second line is not empty': (body[0] ?? '') !== '',
  };
  return Object.entries(mistakes).flatMap(([mistake, isMade]) => (isMade ? [mistake] : []));
}

describe('commit messages', () => {
  const isCloned = existsSync('.git');
  if (!isCloned) process.stderr.write('SKIPPED: commit messages need a git repository\n');
  const git = (...args: readonly string[]) => execFileSync('git', args, { encoding: 'utf8' });

  it.skipIf(!isCloned)(
    'the commits since the last tag have a known prefix, an imperative subject, and a body if they fix something',
    () => {
      const [tag] = git('tag', '--merged', 'HEAD', '--sort=-creatordate').split('\n');
      const range = tag ? [`${tag}..HEAD`] : [`--max-count=${NEWEST}`];
      const messages = git('log', '--no-merges', '-z', '--format=%B', ...range).split('\0');
      const wrong = messages.flatMap((message) => {
        const mistakes = message === '' ? [] : mistakesIn(message.trimEnd());
        return mistakes.map((mistake) => `${message.split('\n')[0]}: ${mistake}`);
      });
      expect(wrong).toEqual([]);
    },
  );

  it.each([
    ['feat: add a mute', []],
    ['feat(console)!: embed the chart\n\nOld links break.', []],
    ['fix: retry a channel update\n\nA second worker lost the acknowledgement of a user.', []],
    ['fix: retry a channel update', ['a fix has no body that says what was wrong, and for whom']],
    ['feat: added a mute', ['the verb is not imperative']],
    ['feat: adds a mute', ['the verb is not imperative']],
    [
      'test: adding a mute\nIt was missing.',
      ['the verb is not imperative', 'the second line is not empty'],
    ],
    ['Add a mute', ['the subject is no "prefix: verb …" without a period']],
    ['feat: add a mute.', ['the subject is no "prefix: verb …" without a period']],
    ['feature: add a mute', [`the prefix is none of ${PREFIXES.join(', ')}`]],
    [`feat: add ${'a'.repeat(91)}`, ['the subject is longer than 100 characters']],
  ])('the mistakes in a commit message are found: %s', (message, mistakes) => {
    expect(mistakesIn(message)).toEqual(mistakes);
  });
});
