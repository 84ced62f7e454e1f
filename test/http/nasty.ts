/** Invalid bodies by name; reports contain the name instead of the body. */
export const NASTY_BODIES: Readonly<Record<string, () => string | Uint8Array>> = {
  nothing: () => '',
  blanks: () => ' \r\n\t',
  null: () => 'null',
  'a list': () => '[]',
  'a text': () => '"name"',
  'a number': () => '0',
  NaN: () => 'NaN',
  'an infinite number': () => '{"name":1e999}',
  'a trailing comma': () => '{"name":"a",}',
  'a comment': () => '{"name":"a"}// b',
  'half a body': () => '{"name":"a","contracts":[',
  'two bodies': () => '{"name":"a"}{"name":"b"}',
  'single quotes': () => "{'name':'a'}",
  'a member twice': () => '{"name":"a","name":"b"}',
  'a prototype': () => '{"name":"a","__proto__":{"name":"b","tenant":"globex"}}',
  'a constructor': () => '{"name":"a","constructor":{"prototype":{"tenant":"globex"}}}',
  'ten thousand brackets': () => '['.repeat(10_000),
  'ten thousand brackets, closed': () => `${'['.repeat(10_000)}${']'.repeat(10_000)}`,
  'ten thousand objects': () => `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
  'a deep member': () => `{"name":${'['.repeat(10_000)}${']'.repeat(10_000)}}`,
  'a megabyte': () => `{"name":"${'x'.repeat(1_000_000)}"}`,
  'a megabyte of members': () =>
    `{${Array.from({ length: 60_000 }, (_, index) => `"member-${index}":0`).join()}}`,
  'a byte order mark': () => '\ufeff{"name":"a"}',
  'no UTF-8': () => Buffer.from([0x7b, 0x22, 0x6e, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
  'a cut character': () => Buffer.from('{"name":"é"}').subarray(0, 10),
  'UTF-16': () => Buffer.from('{"name":"a"}', 'utf16le'),
  'a NUL': () => '{"name":"a\0"}',
  'a form': () => 'name=a&contracts=',
  markup: () => '<list name="a"/>',
};

/** Values that are invalid almost everywhere in JSON. */
export const NASTY_VALUES: readonly unknown[] = [
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', '', ' ', '\0', '*', '..', '~'],
  ...['\ud800', '\udc00x', 'a\u202eb', '\u2066', '\u200b', 'e\u0301', '\uffff', '\u{10ffff}', '’'],
  ...[
    'A'.repeat(41),
    'x'.repeat(5000),
    '-0',
    '1e5',
    '0x10',
    '1'.repeat(50),
    '0.1234567890123456789',
  ],
  ...[' 1', '٣', 'NaN', 'Infinity', '{{7*7}}', "' OR 1=1", '<script>', 'kept:00000000'],
  ...['javascript:alert(1)', 'file:///etc/passwd', 'http://169.254.169.254/', 'http://[::1]/'],
  ...['http://127.0.0.1:9/../..', '9999-12-31T23:59:59Z', '2026-02-30T00:00:00Z', '90d', '0m'],
  ...[-0, -1, 0.1, 1e308, -1e308, 5e-324, 2 ** 53 + 2, true, false, null, [], {}, [[]], [null]],
  ...[{ __proto__: null, constructor: 1 }, JSON.parse('{"__proto__":{"id":"x"}}'), { length: 1 }],
  ...[Array.from({ length: 600 }, (_, index) => index), ['a', 'a'], { toString: 'x' }],
];

/**
 * Texts that are invalid almost everywhere in a path or a query, encoded as a client sends them.
 */
export const NASTY_PARTS = [
  ...['%', '%zz', '%00', '%0A', '%2F', '%2e%2e', '..', '.', '%252F', '%c0%80', '%ed%a0%80', '%ff'],
  ...['%F0%9F%92%A9', '%E2%80%AE', '__proto__', 'constructor', 'toString', '*', '~', '~~', '%7E'],
  ...['%23', '%3F', 'null', 'undefined', '-1', '1e9', '+', '%20', '%20punks', 'PUNKS', 'punks%00'],
  ...[
    'a%7Eb',
    '9999-99-99T99:99:99.999Z~x',
    `${'a'.repeat(41)}`,
    'x'.repeat(1500),
    'eth:0x',
    'eth:',
  ],
  ...[
    '2026-11-21T12:00:00.000Z~',
    '~x',
    'LIST%23',
    'ACK%23',
    '%F4%8F%BF%BF',
    '%EF%BF%BF',
    '-',
    'a-',
  ],
];

/** Invalid header values that do not break the request itself. */
export const NASTY_HEADERS = [
  ...[
    '',
    ' ',
    '*',
    '"',
    '""',
    '"1',
    '1',
    'W/"1"',
    '"1.',
    '"-1"',
    '"999999999999999999999"',
    '"1","2"',
  ],
  ...[
    '*, "1"',
    ',',
    '"\u00e9"',
    'x'.repeat(4000),
    '"__proto__"',
    '"1.x"',
    "'1'",
    '"1" "2"',
    '\u00ff',
  ],
];
