import fc from 'fast-check';

/** JSON values that are easily confused with others. */
const TOKENS = [
  ...[
    'null',
    'true',
    'false',
    '{}',
    '[]',
    '[[]]',
    '[null]',
    '{"":""}',
    '{"__proto__":{"price":"1"}}',
  ],
  ...['{"constructor":{"prototype":1}}', '0', '-0', '-1', '1', '0.1', '1e400', '-1e400', '1e-400'],
  ...['5e-324', '1.7976931348623157e308', '9'.repeat(100), `0.${'0'.repeat(30)}1`, '1e2'],
  ...['""', '" "', '"0"', '"-0.0"', '"-1"', '"1"', '"NaN"', '"Infinity"', '"-"', '"n/a"', '"null"'],
  ...[
    '"0x10"',
    '"0b1"',
    '"1_000"',
    '"1,5"',
    '"+7"',
    '" 7 "',
    '".5"',
    '"5."',
    '"١٢"',
    '"１"',
    '"∞"',
  ],
  ...['"1e-19"', '"1e400"', '"1e99999999999"', `"${'9'.repeat(100)}"`, '"\\u0000"', '"\\ud800"'],
  ...['"\\u202e"', '"2026-02-30T00:00:00Z"', '"2026-13-45T99:99:99Z"', '"9999-12-31T23:59:59Z"'],
  ...['"0000-01-01T00:00:00Z"', '"1969-12-31T23:59:59Z"', '1795262400', '"1795262400000"'],
  ...['"2026-11-21T11:00:00+99:99"', '"-002026-11-21T11:00:00Z"', '"2026-11-21T24:00:00Z"'],
];

const token = fc.constantFrom(...TOKENS);

/**
 * Meaningless texts, some of any characters (including halves of surrogate pairs), some of JSON.
 */
export const garbage: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary', size: 'medium' }),
  fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)) }),
  fc.string({ unit: fc.constantFrom(...'{}[]":,\\0123456789eE+-.ntf u') }),
  fc.json(),
  token,
);

/** A text with some parts cut out or replaced. */
export function garbled(text: string): fc.Arbitrary<string> {
  const edit = fc.record({
    at: fc.nat(text.length),
    length: fc.nat(20),
    patch: fc.oneof(fc.constant(''), fc.constantFrom('"', '}', ',', '\\', '\0', '<'), token),
  });
  return fc
    .array(edit, { minLength: 1, maxLength: 3 })
    .map((edits) =>
      edits.reduce(
        (torn, { at, length, patch }) => torn.slice(0, at) + patch + torn.slice(at + length),
        text,
      ),
    );
}

/** The JSON of a document with some of its values, at any depth, replaced. */
export function altered(document: unknown): fc.Arbitrary<string> {
  const places = placesIn(document, []);
  const change = fc.tuple(fc.constantFrom(...places), token);
  return fc.array(change, { minLength: 1, maxLength: 3 }).map((changes) => {
    const marked = changes.reduce<unknown>(
      (whole, [place], index) => replaced(whole, place, `\u0001${index}\u0001`),
      document,
    );
    return changes.reduce(
      (text, [, other], index) => text.replace(`"\\u0001${index}\\u0001"`, () => other),
      JSON.stringify(marked),
    );
  });
}

/** A document with every kind of damage, or undamaged. */
export function anyFormOf(document: unknown): fc.Arbitrary<string> {
  const text = JSON.stringify(document);
  return fc.oneof(garbage, garbled(text), altered(document), fc.constant(text));
}

type Path = readonly string[];

function placesIn(value: unknown, path: Path): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  const below = Object.entries(value).flatMap(([name, member]) =>
    placesIn(member, [...path, name]),
  );
  return [path, ...below];
}

/** A place inside an already replaced value is ignored. */
function replaced(value: unknown, [name, ...rest]: Path, other: string): unknown {
  if (name === undefined) return other;
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(
    ([own, member]) => [own, own === name ? replaced(member, rest, other) : member] as const,
  );
  return Array.isArray(value) ? members.map(([, member]) => member) : Object.fromEntries(members);
}

/** All numbers in a value, at any depth. */
export function numbersIn(value: unknown): readonly number[] {
  if (typeof value === 'number') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersIn) : [];
}

/**
 * The factor by which the run time grows for a text of eight times the size: about 8 for linear
 * work, 64 for quadratic work.
 */
export function growthOf(
  work: (text: string) => unknown,
  textOf: (size: number) => string,
): number {
  const [short, long] = [textOf(4000), textOf(32_000)];
  work(short);
  return (
    secondsOf(() => work(long)) /
    Math.max(
      secondsOf(() => work(short)),
      0.001,
    )
  );
}

/** CPU time, which other processes do not affect; the minimum of three runs. */
function secondsOf(work: () => unknown): number {
  const measured = [1, 2, 3].map(() => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1e6;
  });
  return Math.min(...measured);
}
