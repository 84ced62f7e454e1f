import * as z from 'zod';
import type { Printer } from '#infra/command-line/printer.ts';
import { KINDS, type Kind } from '#shared/channels/kinds.ts';
import { MARKS } from '#shared/domain/alerting/notification-parts.ts';
import type { LiveCollection } from './live/live-collection.ts';
import type { Unanswered } from './log-lines.ts';
import type { Notification } from './mailbox.ts';

/** One tick with its numbers of polls and of new values. */
type Round = {
  readonly instant: number;
  readonly polled: number;
  /** Number of new values; a poll of one contract can return several. */
  readonly values: number;
};

type Ready = {
  readonly url: string;
  readonly apiKey: string;
  /** The key of another tenant, to check the isolation of tenants. */
  readonly neighbourKey: string;
  /** A description of the source of prices. */
  readonly market: string;
};

export type End = {
  readonly reason: 'end' | 'time' | 'signal';
  readonly time: string;
  readonly rounds: number;
  readonly alerts: number;
  readonly emails: number;
  readonly chats: number;
  readonly webhooks: number;
  /** Messages that a program received from its queue. */
  readonly queued: number;
  /** Messages that a receiver rejected. */
  readonly refused: number;
  /** The number of dead letters by queue. */
  readonly deadLetters: Readonly<Record<string, number>>;
};

/** The callbacks with which a run reports its events. */
export type Report = {
  readonly ready: (ready: Ready) => void;
  /** A collection of a live market, before the first watchlist exists. */
  readonly collection: (collection: LiveCollection) => void;
  readonly round: (round: Round) => void;
  /** A provider did not return a contract's price. Each reason is reported once per contract. */
  readonly unanswered: (unanswered: Unanswered) => void;
  /**
   * An alert as programs receive it, reported once for each message (single alert or digest) that
   * contains it.
   */
  readonly alert: (alert: unknown) => void;
  /** A message as its receiver sees it. */
  readonly notification: (notification: Notification) => void;
  /** The reason why a receiver rejected a message. */
  readonly refused: (reason: string) => void;
  /** Virtual time has ended; the API stays up. */
  readonly ended: () => void;
  readonly end: (end: End) => void;
};

/** Output for programs: one JSON document per line. */
export function reportInJson({ line }: Printer): Report {
  return {
    ready: ({ url, apiKey, neighbourKey }) => line({ event: 'ready', url, apiKey, neighbourKey }),
    collection: (collection) => line({ event: 'collection', ...collection }),
    round: () => {},
    unanswered: () => {},
    alert: (alert) => line({ event: 'alert', alert }),
    notification: (notification) => line({ event: 'notification', notification }),
    refused: (reason) => line({ event: 'refused', reason }),
    ended: () => {},
    end: (end) => line({ event: 'end', ...end }),
  };
}

/** A message, the reason for it, and the kinds of its receivers. */
type Sent = { subject: string; reason: string | undefined; readonly kinds: Kind[] };

/**
 * Output for people: the title of each message, its reason and its receivers. A message is printed
 * once, one tick after it was first sent.
 */
export function reportInWords({ write }: Printer): Report {
  const written = new Set<string>();
  const waiting = new Map<string, Sent>();
  let ripe: ReadonlySet<string> = new Set();
  const writeOut = (titles: Iterable<string>) => {
    for (const title of titles) {
      const sent = waiting.get(title);
      if (sent === undefined) continue;
      waiting.delete(title);
      const { subject, reason } = sent;
      const isNew = !written.has(subject);
      written.add(subject);
      const because = isNew && reason !== undefined ? `     ${reason}\n` : '';
      write(`\n  ${subject}\n${because}     → ${receiversIn(sent.kinds)}\n`);
    }
  };
  return {
    ready: ({ url, apiKey, market }) => {
      write(`
floorwatch is running on this machine. Press Ctrl-C to stop it.

  prices   ${market}
  console  ${url}/app#key=${apiKey}
  API      ${url}

  curl -H 'X-API-Key: ${apiKey}' ${url}/v1/overview

`);
    },
    collection: (collection) => write(inWords(collection)),
    round: ({ instant, polled, values }) => {
      writeOut(ripe);
      ripe = new Set(waiting.keys());
      if (polled > 0)
        write(`${minuteOf(instant)}  polled ${polled} contracts: ${values} new values\n`);
    },
    unanswered: ({ contract, series, why }) => write(`  ${contract} ${series}: ${why}\n`),
    alert: () => {},
    notification: (notification) => {
      const { subject, reason } = contentOf(notification);
      // Programs receive titles without the mark of the severity.
      const title = withoutMark(subject);
      const sent = waiting.get(title) ?? { subject, reason: undefined, kinds: [] };
      if (subject !== title) sent.subject = subject;
      sent.reason ??= reason;
      sent.kinds.push(notification.kind);
      waiting.set(title, sent);
    },
    refused: (reason) => write(`  Message rejected: ${reason}\n`),
    ended: () => {
      writeOut([...waiting.keys()]);
      write('End of the data. The API keeps running until you press Ctrl-C.\n');
    },
    end: ({ time, rounds, alerts, emails, chats, webhooks, queued, refused, deadLetters }) => {
      writeOut([...waiting.keys()]);
      write(
        `\nStopped at ${time}. Ticks: ${rounds}, alerts: ${alerts}, emails: ${emails}, ` +
          `chat messages: ${chats}, webhook messages: ${webhooks}, queue messages: ${queued}, ` +
          `rejected messages: ${refused}, dead letters: ${sum(deadLetters)}.\n`,
      );
    },
  };
}

/** The title of a message, and the line below it if the message is for people. */
function contentOf(notification: Notification): {
  readonly subject: string;
  readonly reason?: string | undefined;
} {
  const { subject } = notification;
  if (notification.kind === 'email') {
    // The subject of an email is ASCII, so the title is taken from its text, which begins as in all
    // other channels.
    const [title = subject, ...rest] = notification.text.split('\n');
    return { subject: title, reason: rest.find((line) => line.trim() !== '') };
  }
  if (notification.kind !== 'webhook' && notification.kind !== 'sqs') return { subject };
  // A program receives the alert itself.
  const alert = Reported.safeParse(notification.message);
  return { subject: alert.data?.title ?? subject };
}

/** The kinds of receivers, each once, with a count if there are several. */
function receiversIn(kinds: readonly Kind[]): string {
  const counts = Map.groupBy(kinds, (kind) => KINDS[kind].service);
  return [...new Set(Object.values(KINDS).map(({ service }) => service))]
    .flatMap((name) => {
      const count = counts.get(name)?.length ?? 0;
      return count === 0 ? [] : [count === 1 ? name : `${name} (${count})`];
    })
    .join(', ');
}

const Reported = z.object({ title: z.string() });

function inWords({ name, contract, unit, floor, day, lowestSale, lines }: LiveCollection): string {
  const shown = unit.toUpperCase();
  const moved =
    day && `, ${day.changePercent.replace('-', '−')}% in a day (${day.low} to ${day.high})`;
  const sold = lowestSale && `${lowestSale.price} ETH on ${minuteOf(lowestSale.time)}`;
  return [
    `\n${name}  ${contract}\n`,
    `  floor        ${floor === null ? 'no listings' : `${floor} ${shown}${moved ?? ''}`}\n`,
    `  lowest sale  ${sold ?? 'none'} (last 7 days)\n`,
    `  alerts       ${lines.join(' and ') || 'none'}${lines.length > 0 ? ` ${shown}` : ''}\n`,
  ].join('');
}

function withoutMark(subject: string): string {
  const mark = Object.values(MARKS).find((one) => subject.startsWith(`${one} `));
  return mark === undefined ? subject : subject.slice(mark.length + 1);
}

const sum = (numbers: Readonly<Record<string, number>>) =>
  Object.values(numbers).reduce((total, number) => total + number, 0);
const minuteOf = (instant: number) =>
  new Date(instant).toISOString().slice(0, 16).replace('T', ' ');
