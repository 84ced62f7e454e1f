import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findChain } from '#shared/domain/market/chains.ts';
import { ContractKey } from '#shared/domain/market/contract.ts';
import { unitOf } from '#shared/domain/market/currency.ts';
import { formatDecimal, parseDecimal, readDecimal } from '#shared/domain/market/decimal.ts';
import { durationInWords, formatDuration, readDuration } from '#shared/domain/market/duration.ts';
import { formatInstant, readInstant } from '#shared/domain/market/instant.ts';
import { onOneLine } from '#shared/domain/words.ts';
import { runsOf } from '#test/support/extent.ts';
import { garbage, garbled, growthOf } from '#test/support/garbage.ts';

const amount = fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n });
const moment = fc.integer({ min: Date.UTC(0), max: Date.UTC(9999, 11, 31) });

describe('decimals', () => {
  it('reads back every formatted decimal', () => {
    fc.assert(
      fc.property(amount, (value) => {
        expect(parseDecimal(formatDecimal(value))).toBe(value);
        expect(readDecimal(formatDecimal(value))).toBe(value);
      }),
    );
  });

  it('reads a decimal in exponent notation exactly', () => {
    const written = fc.tuple(fc.nat(10 ** 9), fc.integer({ min: -18, max: 18 }));

    fc.assert(
      fc.property(written, ([digits, exponent]) => {
        const exact = BigInt(digits) * 10n ** BigInt(18 + exponent);

        expect(readDecimal(`${digits}e${exponent}`)).toBe(exact);
        expect(readDecimal(`${digits}.000E${exponent}`)).toBe(exact);
        expect(parseDecimal(`${digits}`)).toBe(BigInt(digits) * 10n ** 18n);
      }),
    );
  });

  it('reads a decimal only from text that is a number', () => {
    fc.assert(
      fc.property(
        fc.oneof(garbage, garbled('59.900000000000000001'), garbled('-1e-18')),
        (text) => {
          for (const value of [parseDecimal(text), readDecimal(text)]) {
            if (value === undefined) continue;
            expect(text.trim()).toMatch(/^-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$/);
            const [found, reported] = [Number(value) / 1e18, Number(text)];
            expect(Math.abs(found - reported)).toBeLessThanOrEqual(
              1e-9 * Math.abs(reported) + 1e-18,
            );
          }
        },
      ),
      runsOf(1000),
    );
  });
});

describe('durations', () => {
  it('reads back every formatted duration', () => {
    fc.assert(
      fc.property(fc.nat(9999), fc.constantFrom('m', 'h', 'd'), (count, unit) => {
        const read = readDuration(`${count}${unit}`);

        if (count === 0) expect(read).toBeUndefined();
        else expect(readDuration(formatDuration(read ?? 0))).toBe(read);
      }),
    );
  });

  it('reads a text as a duration of whole minutes, or rejects the text', () => {
    fc.assert(
      fc.property(fc.oneof(garbage, garbled('30m'), garbled('7d')), (text) => {
        const read = readDuration(text) ?? 60_000;

        expect(Number.isSafeInteger(read / 60_000)).toBe(true);
        expect(durationInWords(text)).not.toMatch(/NaN|Infinity|undefined/);
      }),
      runsOf(1000),
    );
  });
});

describe('instants', () => {
  it('reads back every formatted instant', () => {
    fc.assert(
      fc.property(moment, (instant) => {
        const reported = formatInstant(instant);

        expect(readInstant(reported)).toBe(instant);
        expect(readInstant(reported.replace('Z', ''))).toBe(instant);
        expect(readInstant(reported.replace('Z', '+00:00'))).toBe(instant);
      }),
    );
  });

  it('reads a text as an instant on the day that it names, or rejects the text', () => {
    const texts = fc.oneof(
      garbage,
      garbled('2026-11-21T11:00:00.000Z'),
      garbled('2026-02-29 11:00'),
    );

    fc.assert(
      fc.property(texts, (text) => {
        const read = readInstant(text);

        if (read === undefined) return;
        expect(Number.isSafeInteger(read)).toBe(true);
        const day = /\d{4}-\d\d-\d\d/.exec(text)?.[0];
        const near = [-1, 0, 1].map((days) => formatInstant(read + days * 86_400_000).slice(0, 10));
        expect(near).toContain(day);
      }),
      runsOf(1000),
    );
  });
});

describe('unknown names', () => {
  it('treats the names of built-in object properties as unknown', () => {
    const names = fc.oneof(garbage, fc.constantFrom('__proto__', 'constructor', 'toString'));

    fc.assert(
      fc.property(names, (name) => {
        expect(findChain(name)?.name ?? 'eth').toBeTypeOf('string');
        expect(unitOf(name)).toBeTypeOf('string');
        expect(ContractKey.safeParse(`${name}:0x1`).success).toBe(false);
        expect(onOneLine(name)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
      }),
    );
  });
});

describe('long input', () => {
  it.each<[name: string, read: (text: string) => unknown, of: string]>([
    ['decimal', parseDecimal, '1'],
    ['decimal', readDecimal, ' '],
    ['decimal', readDecimal, '1.0'],
    ['duration', readDuration, '1'],
    ['worded duration', durationInWords, '1'],
    ['instant', readInstant, '2026-11-21T'],
    ['instant', readInstant, ' '],
    ['unit', unitOf, ' '],
    ['line', onOneLine, '\n '],
    ['line', onOneLine, 'e\u0301'],
    ['contract', (text) => ContractKey.safeParse(text), 'eth:'],
  ])('rejects a long text as a %s in linear time', (_, read, of) => {
    expect(growthOf(read, (size) => of.repeat(size / of.length))).toBeLessThan(32);
  });
});
