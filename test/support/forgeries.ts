import { hasOpenEpisode } from '#shared/domain/alerting/alert-action.ts';
import { digestOf, type Notification } from '#shared/domain/alerting/notification.ts';
import { Line, onOneLine } from '#shared/domain/words.ts';
import { alertsCalled, type Called } from '#test/messages/examples.ts';
import { anAlertInWords } from '#test/support/builders.ts';
import { createSeededRandom } from '#test/support/seeded-random.ts';

const NASTY = [
  ...['<!channel>', '<!here|x>', '<@U012AB3CD>', '<#C012AB3CD>', '<http://evil.example|safe>'],
  ...['@everyone', '@here', '<@123456789012345678>', '<@&1>', '<#1>', '<t:0:R>', '<:a:1>', ':x:'],
  ...['[x](http://evil.example)', 'https://evil.example', '<https://evil.example>', 'steam://x'],
  ...['*b*', '**b**', '_i_', '~s~', '`c`', '```', '> q', '>>> q', '# h', '-# s', '- l', '1. l'],
  ...['||s||', '\\', '\\\\', '\\*', '&amp;', '&lt;!channel&gt;', '&', '"', "'", '`'],
  ...['\n', '\r\n', '\r\nBcc: x@evil.example', '\n\nAlert: forged', '\u2028', '\u2029', '\u0085'],
  ...['\u202e', '\u200f', '\u2066', '\u0000', '\u0007', '\ud800', '🦍', 'é', 'ﬁ', ' ', 'a', '0x1'],
];

const random = createSeededRandom(20261121);
/** Hostile texts. A provider may report any of them as the name of a marketplace. */
const texts = Array.from({ length: 400 }, () =>
  Array.from({ length: 1 + random.below(4) }, () => random.pick(NASTY)).join(''),
);
/** Names that `Line` accepts, so people may choose them. */
const lines = ['Cats <3 <!channel>', ...texts.flatMap((text) => Line.safeParse(text).data ?? [])];

/** A message with forged names, and the same message with plain names. */
type Forgery = { readonly notification: Notification; readonly plain: Notification };

const PLAIN: Called = {
  ...{ collection: 'Punks', another: 'Apes', list: 'Blue chips', label: 'low' },
  ...{ person: 'Ada', note: 'on it', source: 'opensea' },
};

/** Messages of each kind with forged names of people and providers. */
export const forgeries: readonly Forgery[] = lines.flatMap((_line, index) => {
  const name = (offset: number) => lines[(index + offset) % lines.length] ?? 'x';
  const called = {
    ...{ collection: name(0), another: name(1), list: name(2), label: name(3) },
    ...{ person: name(4), note: name(5), source: onOneLine(texts[index] ?? '') || 'x' },
  };
  const isOfEachKind = index % 8 === 0;
  const [forged, plain] = [called, PLAIN].map((one) =>
    isOfEachKind ? everyMessage(one) : someMessages(one),
  );
  return (forged ?? []).flatMap((notification, at) => {
    const same = plain?.[at];
    return same === undefined ? [] : [{ notification, plain: same }];
  });
});

function someMessages(called: Called): readonly Notification[] {
  const alert = alertAbout(called.collection, called);
  return [{ kind: 'alert', alert }, digestOf('d1', [alert, alert])];
}

function everyMessage(called: Called): readonly Notification[] {
  const { collection, another, label, list } = called;
  const crash = [collection, another, label].map((name, index) => ({
    ...alertAbout(name, called),
    ...{ id: `w${index}.1.1`, contract: `eth:0x${String(index).repeat(40)}` },
  }));
  return [
    ...someMessages(called),
    { ...digestOf('d2', crash), of: { name: list, contracts: 40 } },
    ...alertsCalled(called).map(({ alert }) => ({
      ...{ kind: 'alert' as const, alert },
      ...(hasOpenEpisode(alert) ? { actions: 'https://api.example.com/v1/actions/x.y' } : {}),
    })),
  ];
}

function alertAbout(name: string, { label, source }: Called) {
  return anAlertInWords({ name, source }, { label });
}

export const linesIn = (text: string | undefined) =>
  text?.split(/\r\n|[\n\r\u0085\u2028\u2029]/).length;
