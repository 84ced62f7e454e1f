import { describe, expect, it } from 'vitest';
import { type InboxEntry, mutedWith, unmuted } from '#shared/domain/channels/alert-record.ts';
import { formatInstant, HOUR, MINUTE } from '#shared/domain/market/instant.ts';
import { anAlert, anInboxEntry, NOON } from '#test/support/builders.ts';

const DESK = 'acme#punks#desk';
const UNTIL = NOON + HOUR;

/** The inbox entry of an alert from the given minute. */
const entry = (minute: number, given: Partial<InboxEntry> = {}) =>
  anInboxEntry(
    DESK,
    anAlert({ id: `a.1.${minute}`, at: formatInstant(NOON + minute * MINUTE) }),
    given,
  );
const entries = (count: number) => Array.from({ length: count }, (_, minute) => entry(minute));
const namesIn = (all: readonly { readonly id: string }[]) => all.map(({ id }) => id);

describe('the inbox entry of a muted watch', () => {
  it('keeps the last alert, the counts by kind, and the twenty oldest alerts of a muted watch', () => {
    const { muted, counted } = mutedWith(undefined, entries(23).toReversed(), UNTIL);

    expect(muted.alert.id).toBe('a.1.22');
    expect(muted.heldBack.counts).toEqual({ fired: 23 });
    expect(namesIn(muted.heldBack.alerts)).toEqual(
      Array.from({ length: 20 }, (_, minute) => `a.1.${minute}`),
    );
    expect(namesIn(counted.map(({ alert }) => alert))).toEqual(['a.1.20', 'a.1.21']);
  });

  it('counts the former last alert of a muted watch without naming it if the entry already names twenty others', () => {
    const { muted: before } = mutedWith(undefined, entries(21), UNTIL);

    const { muted, counted } = mutedWith(before, [entry(21)], UNTIL);

    expect(muted.alert.id).toBe('a.1.21');
    expect(namesIn(counted.map(({ alert }) => alert))).toEqual(['a.1.20']);
  });

  it('keeps the last alert of a muted watch if an older alert, which quiet hours held, is added', () => {
    const { muted: before } = mutedWith(undefined, [entry(5)], UNTIL);

    const { muted } = mutedWith(before, [entry(1)], UNTIL);

    expect(muted.alert.id).toBe('a.1.5');
    expect(namesIn(muted.heldBack.alerts)).toEqual(['a.1.1', 'a.1.5']);
  });

  it('counts an alert once if a crash left its entry in two places', () => {
    const held = entry(1, { held: { for: 'quiet', until: NOON + 2 * MINUTE } });

    const together = mutedWith(undefined, [held, entry(1)], UNTIL).muted;
    const oneByOne = mutedWith(mutedWith(undefined, [held], UNTIL).muted, [entry(1)], UNTIL).muted;

    expect(together.heldBack).toEqual({ counts: { fired: 1 }, alerts: oneByOne.heldBack.alerts });
    expect(oneByOne.heldBack.counts).toEqual({ fired: 1 });
    // If the last alert arrives again, it is not counted again, even if the entry holds more alerts
    // than it names.
    const many = mutedWith(undefined, entries(22), UNTIL).muted;
    expect(mutedWith(many, [entry(21)], UNTIL).muted.heldBack).toEqual(many.heldBack);
  });

  it('keeps the alerts of an earlier mute when a second mute holds the summary of these alerts', () => {
    const released = unmuted(mutedWith(undefined, entries(3), UNTIL).muted, UNTIL);
    const { muted: before } = mutedWith(undefined, [entry(100)], UNTIL);

    const { muted } = mutedWith(before, [released], UNTIL);

    expect(Object.values(muted.heldBack.counts)).toEqual([4]);
    expect(muted.heldBack.alerts).toHaveLength(4);
    expect(mutedWith(muted, [released], UNTIL).muted.heldBack).toEqual(muted.heldBack);
  });
});
