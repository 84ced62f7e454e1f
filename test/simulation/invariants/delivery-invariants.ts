import { isDeepStrictEqual } from 'node:util';
import { alertId } from '#shared/domain/alerting/alert.ts';
import type { Notification } from '#shared/domain/alerting/notification.ts';
import type { Item } from '#shared/stores/table.ts';
import { canaryOf } from '#test/simulation/actors/users.ts';
import type { Written } from '#test/simulation/services/faulty-table.ts';
import type { Invocation } from '#test/simulation/services/sandbox.ts';
import type { AlertItem } from './alert-check.ts';
import { type ListDocument, type Revision, type RuleDocument, span } from './documents.ts';
import { folds, type Outbox } from './outbox-invariants.ts';
import type { ExplainedAlert } from './watch-invariants.ts';

type Delivery = { readonly state: string; readonly reason?: string };
type AlertRecordItem = {
  readonly alert: AlertItem;
  readonly deliveries: Readonly<Record<string, Delivery>>;
};
type MuteItem = { readonly until: number; readonly rule?: string; readonly contract?: string };
/** The mutes of a list from some moment on. */
type Silence = { readonly at: number; readonly mutes: readonly MuteItem[] };
type Arrival = {
  readonly destinationId: string;
  readonly notification: Notification;
  readonly by: Invocation;
};

export type DeliveryInvariantsWorld = {
  readonly broken: (invariant: string, what: string) => void;
  readonly met: (
    what:
      | 'delivery'
      | 'digest'
      | 'acknowledged'
      | 'acknowledgement told'
      | 'escalation due'
      | 'reminder not reported'
      | 'worsening not reported'
      | 'repeated message'
      | `repeated message: ${string}`
      | `alert: ${string}`,
  ) => void;
  readonly now: () => number;
  readonly tenants: readonly string[];
  readonly expected: ReadonlyMap<string, ExplainedAlert>;
  readonly revisionsOf: (tenant: string, list: string) => readonly Revision[];
};

export type DeliveryInvariants = {
  readonly alertWritten: (written: Written) => void;
  readonly mutesWritten: (written: Written) => void;
  readonly acknowledgementWritten: (written: Written) => void;
  readonly escalationWritten: (written: Written) => void;
  readonly watchWritten: (written: Written) => void;
  readonly arrived: (destinationId: string, notification: Notification, by: Invocation) => void;
  readonly isPosted: (alert: string) => boolean;
  /** Holds what has arrived against what had to, when all has come to rest. */
  readonly atRest: (items: readonly Item[]) => void;
  /** Whether an entry of an inbox is more than a trace of what was sent already, or of what is no longer wanted. */
  readonly isAwaited: (entry: Item) => boolean;
};

/** Follows each alert from its watch to each of its receivers, and to no other. */
export function createDeliveryInvariants(world: DeliveryInvariantsWorld): DeliveryInvariants {
  const { broken, met, expected } = world;
  const records = new Map<string, AlertRecordItem>();
  const arrivals = new Map<string, Arrival[]>();
  /**
   * How many alerts each digest stands for beside those that it lists, by its destination and its
   * id.
   */
  const unlisted = new Map<string, { readonly destinationId: string; readonly count: number }>();
  const silences = new Map<string, Silence[]>();
  /** When an episode was first acknowledged, and when first with its worsening. */
  const acknowledged = new Map<string, number>();
  const silencedWholly = new Map<string, number>();
  /** The moments of all acknowledgements, by their episodes, as they came. */
  const acknowledgements = new Map<string, readonly number[]>();
  /** When the job of an episode was first made, and when it was noted there that it is escalated. */
  const escalations = new Map<string, { readonly madeAt: number; readonly notedAt?: number }>();
  /** When each alert was posted. */
  const postedAt = new Map<string, number>();
  /** Episodes whose worsening was silenced for a while, at least. */
  const everSilencedWholly = new Set<string>();
  /** Alerts that are counted only, since their outbox was full. */
  const folded = new Set<string>();
  /** Alerts that a stale worker has begun to post. */
  const postedByStale = new Set<string>();
  /**
   * When the last watch of a rule was put aside: its end is reported with a tick that comes later.
   */
  const putAside = new Map<string, number>();

  const alertWritten = ({ after, by }: Written) => {
    if (after === undefined) return;
    const record = after as unknown as AlertRecordItem;
    const { alert, deliveries } = record;
    if (!records.has(alert.id)) {
      met(`alert: ${alert.kind}`);
      if (by.disturbance !== undefined) postedByStale.add(alert.id);
      checkOrigin(alert);
      postedAt.set(alert.id, world.now());
      checkDestinations(alert, Object.keys(deliveries), by);
      checkMutes(alert, by);
      checkSilenced(alert, by);
      if (alert.kind === 'escalated') checkEscalated(alert, by);
    }
    records.set(alert.id, record);
  };

  /** Alerts of rules come from watches; what reports rules and channels comes from the list. */
  const checkOrigin = (alert: AlertItem) => {
    if (alert.kind === 'acknowledged') return checkAcknowledged(alert);
    if (alert.kind === 'escalated') return;
    if (alert.kind === 'expired' && Date.parse(alert.dataTime) > world.now()) {
      broken('the end of a rule is reported when it has come', alert.id);
    }
    if (alert.kind === 'expired' || isOfList(alert)) return;
    const origin = expected.get(alert.kind === 'summary' ? alert.id.slice(0, -1) : alert.id);
    if (origin === undefined) return broken('no alert is invented', JSON.stringify(alert));
    if (alert.kind === 'summary') return;
    if (!isDeepStrictEqual(origin.alert, alert)) {
      broken('an alert stays what it is', JSON.stringify(alert));
    }
  };

  /** An acknowledgement was written, and repeats what was reported of its episode. */
  const checkAcknowledged = (alert: AlertItem) => {
    const at = Date.parse(alert.at);
    const isWritten = [...acknowledgements].some(
      ([name, moments]) => isNameOf(name, alert) && moments.includes(at),
    );
    const [watch, generation] = alert.id.split('.');
    const isRepeated = [...records.values()].some(
      ({ alert: other }) =>
        other.kind !== 'acknowledged' &&
        other.id.startsWith(`${watch}.${generation}.`) &&
        other.episode === alert.episode &&
        other.value === alert.value &&
        other.dataTime === alert.dataTime,
    );
    if (!isWritten || !isRepeated || alert.open !== true) {
      broken('no acknowledgement is invented', JSON.stringify(alert));
    }
  };

  /** What an episode that goes on was last told of who takes care of it. */
  const checkAcknowledgementsTold = (items: readonly Item[]) => {
    const told = new Set([...records.keys()].filter((id) => id.includes('.acknowledged-')));
    for (const [episode, moments] of acknowledgements) {
      const [name = '', contract = '', rule = '', generation, number] = episode.split('#');
      const [tenant = '', list = ''] = name.split(' ');
      const at = moments.at(-1) ?? 0;
      const watch = items.find(
        ({ pk, sk }) => pk === `WATCHES#${contract}` && sk === `${tenant}#${list}#${rule}`,
      );
      const goesOn =
        watch?.generation === Number(generation) &&
        watch.episode === Number(number) &&
        (watch.state === 'firing' || watch.state === 'recovering');
      if (!goesOn || at > world.now() - FIVE_MINUTES) continue;
      const [ofRule = ''] = rule.split('~');
      if (!hadChat(tenant, list, ofRule, at - FIVE_MINUTES)) continue;
      met('acknowledgement told');
      const suffix = `.${generation}.acknowledged-${at}`;
      if (![...told].some((id) => id.endsWith(suffix)))
        broken('an acknowledgement is told', `${episode} at ${at}`);
    }
  };

  /** Whether a rule had a chat that edits messages all the time since a moment. */
  const hadChat = (tenant: string, list: string, rule: string, since: number) => {
    const inForce = <Document>(revisions: readonly { writtenAt: number; document: Document }[]) =>
      revisions.slice(
        Math.max(
          0,
          revisions.findLastIndex(({ writtenAt }) => writtenAt <= since),
        ),
      );
    const shared = inForce(world.revisionsOf(tenant, '~')).map(({ document }) => document);
    const isChat = (id: string, document: ListDocument) =>
      document.channels.some((channel) => channel.id === id && channel.kind === 'discord') ||
      (document.contactPoints.includes(id) &&
        shared.length > 0 &&
        shared.every(({ channels }) =>
          channels.some((channel) => channel.id === id && channel.kind === 'discord'),
        ));
    return inForce(world.revisionsOf(tenant, list)).every(({ document }) => {
      const standing = document.rules.find(({ id }) => id === rule);
      if (standing === undefined) return false;
      const { severity, notify = document.notify?.[severity] } = standing;
      const ids = [...document.channels.map(({ id }) => id), ...document.contactPoints];
      const isTold = (id: string) =>
        notify?.includes(id) ?? document.escalate?.to.includes(id) !== true;
      return ids.some((id) => isTold(id) && isChat(id, document));
    });
  };

  /** What is known of the escalation of an alert's episode. */
  const escalationOf = (alert: AlertItem) =>
    [...escalations].find(([name]) => isNameOf(name, alert))?.[1];

  const escalationWritten = ({ key: { pk, sk }, after, by }: Written) => {
    const [, list = '', , contract = '', ...rest] = sk.split('#');
    const name = `${pk.slice('TENANT#'.length)} ${[list, contract, ...rest].join('#')}`;
    if (after === undefined) return;
    // A worker that was held up counts from when it had read the clock.
    const since = by.disturbance === undefined ? world.now() : by.startedAt;
    const known = escalations.get(name) ?? { madeAt: since };
    const isNoted = after.escalatedAt !== undefined && known.notedAt === undefined;
    escalations.set(name, isNoted ? { ...known, notedAt: world.now() } : known);
  };

  /** The alerts of an episode that were posted. */
  const postedOf = ({ id, episode }: AlertItem) => {
    const [watch, generation] = id.split('.');
    return [...records.values()].filter(
      ({ alert }) => alert.id.startsWith(`${watch}.${generation}.`) && alert.episode === episode,
    );
  };

  /** An escalation is of a critical episode that was reported, and acknowledged by nobody in time. */
  const checkEscalated = (alert: AlertItem, { startedAt }: Invocation) => {
    const { tenant, watchlist } = alert;
    const told = postedOf(alert);
    const firsts = told.filter(({ alert: { kind } }) => BEGINS.includes(kind));
    const { madeAt = Number.POSITIVE_INFINITY, notedAt = startedAt } = escalationOf(alert) ?? {};
    const waits = world
      .revisionsOf(tenant, watchlist)
      .map(({ document }) => span(document.escalate?.after) ?? Number.POSITIVE_INFINITY);
    const acknowledgedFrom = [...acknowledged].find(([name]) => isNameOf(name, alert))?.[1];
    const isOver = told.some(
      ({ alert: { id, kind } }) =>
        ENDS.includes(kind) && (postedAt.get(id) ?? Number.POSITIVE_INFINITY) < startedAt,
    );
    const isAsReported = firsts.some(
      ({ alert: { severity, value } }) => severity === 'critical' && value === alert.value,
    );
    const holds: Readonly<Record<string, boolean>> = {
      'it was reported as critical': isAsReported && alert.open === true,
      'the time is over': Date.parse(alert.at) >= madeAt + Math.min(...waits),
      // A worker that died after it had noted the escalation has the next tell of it.
      'nobody has acknowledged it': !(
        acknowledgedFrom !== undefined && acknowledgedFrom < Math.min(startedAt, notedAt)
      ),
      'it goes on': !isOver,
    };
    for (const [what, isRight] of Object.entries(holds)) {
      if (!isRight) broken(`an escalation has its reason: ${what}`, JSON.stringify(alert));
    }
  };

  /** A critical episode that goes on, and that nobody has acknowledged, is escalated in time. */
  const checkEscalationsMade = (items: readonly Item[]) => {
    for (const { alert } of records.values()) {
      const { id, kind, tenant, watchlist, rule, contract, episode, severity, open } = alert;
      const isBeginning = BEGINS.includes(kind) && open === true && (episode ?? 0) > 0;
      if (!isBeginning || severity !== 'critical') continue;
      const at = postedAt.get(id) ?? 0;
      const since = at - FIVE_MINUTES;
      const known = world.revisionsOf(tenant, watchlist);
      const first = known.findLastIndex(({ writtenAt }) => writtenAt <= since);
      const waits = known.slice(Math.max(0, first)).map(({ document: { escalate, rules } }) => {
        const isCritical = rules.find((one) => one.id === rule)?.severity === 'critical';
        return isCritical ? span(escalate?.after) : undefined;
      });
      if (
        waits.some((wait) => at + (wait ?? Number.POSITIVE_INFINITY) > world.now() - FIVE_MINUTES)
      )
        continue;
      const goesOn = items.some((item) => {
        const { pk, sk, state } = item;
        if (pk !== `WATCHES#${contract}` || !sk.startsWith(`${tenant}#${watchlist}#`)) return false;
        const [, , watch] = sk.split('#');
        const ofList = `${tenant} ${watchlist}`;
        const name = [ofList, contract, watch, item.generation, item.episode].join('#');
        return isNameOf(name, alert) && (state === 'firing' || state === 'recovering');
      });
      const isOver = postedOf(alert).some((one) => ENDS.includes(one.alert.kind));
      const isMuted = (silences.get(`${tenant} ${watchlist}`) ?? []).some((silence) =>
        covers(silence, rule, contract, since),
      );
      const isAcknowledged = [...acknowledged.keys()].some((name) => isNameOf(name, alert));
      if (!goesOn || isOver || isMuted || isAcknowledged) continue;
      met('escalation due');
      if (!postedOf(alert).some((one) => one.alert.kind === 'escalated'))
        broken('an episode that nobody acknowledges is escalated', JSON.stringify(alert));
    }
  };

  /** Nothing is made of a rule that was gone, or paused, long before: only what closes its episode. */
  const checkStands = (alert: AlertItem) => {
    if (['expired', 'closed', 'summary'].includes(alert.kind) || isOfList(alert)) return;
    // What they are about is an episode, which is open until the change has reached its watch.
    if (alert.kind === 'acknowledged' || alert.kind === 'escalated') return;
    if (!isOfStandingRule(alert)) broken('nothing is reported of a rule that is gone', alert.id);
  };

  /** Whether its rule stood when an alert was made, or minutes before. */
  const isOfStandingRule = (alert: AlertItem) => {
    const known = world.revisionsOf(alert.tenant, alert.watchlist);
    // A change whose worker dies comes again after three minutes, and that one may die, too.
    const since = Date.parse(alert.at) - 2 * FIVE_MINUTES;
    const first = known.findLastIndex(({ writtenAt }) => writtenAt <= since);
    const seen = known.slice(Math.max(0, first));
    // A change before the last is only known with it, and what was said until minutes after is sent.
    const isChangedSince = known.some(
      ({ writtenAt }) => writtenAt > Date.parse(alert.at) - TWO_MINUTES,
    );
    return (
      isChangedSince || seen.some(({ document }) => ruleBehind(alert, document)?.enabled === true)
    );
  };

  /** What an acknowledgement silences is not posted by a list's actor that began after it. */
  const checkSilenced = (alert: AlertItem, { startedAt }: Invocation) => {
    const at = acknowledgedAt(alert);
    if (at !== undefined && at < startedAt)
      broken('nothing that an acknowledgement silences is sent', alert.id);
  };

  /**
   * An alert goes to the operators, and to the channels that its rule names, or its list for the
   * severity of the rule, in one revision.
   */
  const checkDestinations = (
    alert: AlertItem,
    destinationIds: readonly string[],
    { startedAt }: Invocation,
  ) => {
    const { id, tenant, watchlist, kind, rule } = alert;
    const notedAt = escalationOf(alert)?.notedAt;
    const revisions = world.revisionsOf(tenant, watchlist);
    const rulesEver = revisions.flatMap(({ document }) => document.rules);
    const isRight = revisions.some(({ document }) => {
      const channels = channelsOf(tenant, watchlist, document);
      if (isOfChannel({ kind })) {
        return destinationIds.every((one) => one === 'stack-topic' || channels.has(one));
      }
      const escalatedTo = [...channels].filter(([, name]) => document.escalate?.to.includes(name));
      const isExactly = (names: readonly string[] | undefined, isEscalated = false) => {
        const named = [...channels].filter(
          ([, name]) => names?.includes(name) ?? document.escalate?.to.includes(name) !== true,
        );
        const all = isEscalated ? [...named, ...escalatedTo] : named;
        const expected = new Set(['stack-topic', ...all.map(([destinationId]) => destinationId)]);
        const isKnown = destinationIds.every((one) => expected.has(one));
        return isKnown && expected.size === destinationIds.length;
      };
      if (isOfList({ kind })) return isExactly(undefined);
      if (kind === 'escalated') {
        const ids = new Set(escalatedTo.map(([destinationId]) => destinationId));
        return ids.size === destinationIds.length && destinationIds.every((one) => ids.has(one));
      }
      const standing = document.rules.filter((one) => one.id === rule);
      // What closes the episode of a rule that is gone goes where its alerts went.
      const spoke = standing.length > 0 ? standing : rulesEver.filter((one) => one.id === rule);
      if (kind === 'acknowledged') {
        // Where it can be written into a message, and so to no operator.
        const others = new Set(notedAt === undefined ? [] : escalatedTo.map(([one]) => one));
        return spoke.some(({ severity, notify = document.notify?.[severity] }) =>
          destinationIds.every(
            (one) =>
              others.has(one) || (notify?.includes(channels.get(one) ?? '') ?? channels.has(one)),
          ),
        );
      }
      return spoke.some(({ severity, notify = document.notify?.[severity] }) => {
        const isSure = notedAt !== undefined && notedAt < startedAt;
        const isRightAlone = (!isSure || document.escalate === undefined) && isExactly(notify);
        return isRightAlone || (notedAt !== undefined && isExactly(notify, true));
      });
    });
    if (!isRight) broken('an alert goes to its own list', `${id} to ${destinationIds.join(', ')}`);
  };

  const mutesWritten = ({ key: { pk, sk }, after }: Written) => {
    const list = `${pk.slice('TENANT#'.length)} ${sk.slice('MUTES#'.length)}`;
    const { mutes = [] } = (after ?? {}) as { mutes?: readonly MuteItem[] };
    silences.set(list, [...(silences.get(list) ?? []), { at: world.now(), mutes }]);
  };

  /** What was muted all the time while its list's actor was at work is not sent. */
  const checkMutes = (alert: AlertItem, by: Invocation) => {
    const { id, kind, tenant, watchlist, rule, contract } = alert;
    if (kind === 'summary' || kind === 'acknowledged' || isOfList({ kind })) return;
    // An escalation that was noted before a mute began is told to the end.
    if (kind === 'escalated' && (escalationOf(alert)?.notedAt ?? by.startedAt) < by.startedAt)
      return;
    if (world.revisionsOf(tenant, watchlist).at(-1)?.document.deleted === true) return;
    const inForce = silencesSeenBy(by, `${tenant} ${watchlist}`);
    const isMuted = inForce.every((silence) => covers(silence, rule, contract, world.now()));
    if (isMuted) broken('mutes are honoured', id);
  };

  /** A list's actor holds back what some mute covered while it was at work, and nothing else. */
  const watchWritten = ({ key: { pk, sk }, before, after, by }: Written) => {
    if (before?.admin === 'enabled' && after?.admin !== 'enabled') {
      const [tenant, list, name = ''] = sk.split('#');
      putAside.set(`${tenant} ${list} ${name.split('~')[0]}`, world.now());
    }
    if (by.function === 'run-contracts' && countsOf(after) > countsOf(before)) {
      const kept = new Set(outboxOf(after).map(({ id }) => id));
      for (const { id } of outboxOf(before)) if (!kept.has(id)) folded.add(id);
    }
    const isHeld = before?.folded === undefined && after?.folded !== undefined;
    if (!isHeld || by.function !== 'notify-watchers') return;
    const [tenant, list, name = ''] = sk.split(/[#~]/);
    const inForce = silencesSeenBy(by, `${tenant} ${list}`);
    const contract = pk.slice('WATCHES#'.length);
    if (inForce.some((silence) => covers(silence, name, contract, by.startedAt))) return;
    broken('a mute holds only what it covers', `${pk} ${sk}`);
  };

  /** The mutes of a list as an invocation may have read them. */
  const silencesSeenBy = ({ startedAt }: Invocation, list: string): readonly Silence[] => {
    const known = silences.get(list) ?? [];
    const before = known.findLast(({ at }) => at <= startedAt) ?? { at: 0, mutes: [] };
    return [before, ...known.filter(({ at }) => at > startedAt)];
  };

  const arrived = (destinationId: string, notification: Notification, by: Invocation) => {
    met('delivery');
    if (notification.kind === 'digest') {
      met('digest');
      const count = notification.count - notification.alerts.length;
      unlisted.set(`${destinationId} ${notification.id}`, { destinationId, count });
    }
    const [tenant] = destinationId.split('#');
    const text = JSON.stringify(notification);
    for (const other of world.tenants) {
      if (destinationId === 'stack-topic' || other === tenant || !text.includes(canaryOf(other)))
        continue;
      broken('no tenant hears of another', `${destinationId} got ${text}`);
    }
    for (const alert of notification.kind === 'alert'
      ? [notification.alert]
      : notification.alerts) {
      const record = records.get(alert.id);
      if (record?.deliveries[destinationId] === undefined) {
        broken('an alert reaches only its receivers', `${destinationId} got ${alert.id}`);
      }
      const before = arrivals.get(`${destinationId} ${alert.id}`) ?? [];
      const last = before.at(-1);
      if (last !== undefined) {
        const reason = last.by.disturbance ?? by.disturbance;
        met('repeated message');
        if (reason === undefined) {
          broken('a repetition has a reason', `${destinationId} got ${alert.id} twice`);
        } else {
          met(`repeated message: ${reason}`);
        }
      }
      arrivals.set(`${destinationId} ${alert.id}`, [
        ...before,
        { destinationId, notification, by },
      ]);
    }
  };

  const atRest = (items: readonly Item[]) => {
    const held = new Map<string, AlertItem>();
    for (const item of items) {
      if (!item.pk.startsWith('WATCHES#')) continue;
      if (item.folded !== undefined) {
        for (const alert of outboxOf(item)) held.set(alert.id, alert);
        checkHeld(item);
      } else if (outboxOf(item).length > 0) broken('outboxes are empty', `${item.pk} ${item.sk}`);
    }
    const holds = new Map(items.flatMap(holdOf));
    for (const { alert } of records.values()) {
      checkDelivered(alert, holds);
      checkStands(alert);
    }
    checkArrivals();
    checkAcknowledgementsTold(items);
    checkEscalationsMade(items);
    for (const id of expected.keys()) checkTakenOver(id, held);
    for (const item of items) if (item.sk.startsWith('LIST#')) checkEnds(item, items);
  };

  /** What no mute covers any more is reported. */
  const checkHeld = ({ pk, sk }: Item) => {
    const [tenant, list, name = ''] = sk.split(/[#~]/);
    const silence = silences.get(`${tenant} ${list}`)?.at(-1);
    const contract = pk.slice('WATCHES#'.length);
    const isCovered =
      silence !== undefined && covers(silence, name, contract, world.now() - FIVE_MINUTES);
    if (!isCovered) broken('a mute ends', `${pk} ${sk}`);
  };

  /** That a rule has come to its end is reported once, unless that is muted. */
  const checkEnds = ({ pk, sk }: Item, items: readonly Item[]) => {
    const [tenant, list] = [pk.slice('TENANT#'.length), sk.slice('LIST#'.length)];
    const silence = silences.get(`${tenant} ${list}`)?.at(-1);
    for (const { id, enabled, expiresAt } of world.revisionsOf(tenant, list).at(-1)?.document
      .rules ?? []) {
      const end = expiresAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(expiresAt);
      const isMuted =
        silence !== undefined && covers(silence, id, null, world.now() - FIVE_MINUTES);
      if (!enabled || end > world.now() - FIVE_MINUTES || isMuted) continue;
      const isReported = [...records.values()].some(
        ({ alert }) =>
          alert.kind === 'expired' &&
          alert.tenant === tenant &&
          alert.watchlist === list &&
          alert.rule === id &&
          alert.dataTime === expiresAt,
      );
      const isWatching =
        items.some((item) => isStillWatching(item, tenant, list, id)) ||
        (putAside.get(`${tenant} ${list} ${id}`) ?? 0) > world.now() - TWO_MINUTES;
      if (!isReported && !isWatching)
        broken('the end of a rule is reported', `${tenant} ${list} ${id} at ${expiresAt}`);
    }
  };

  /**
   * What is said to be sent has come to its destination, or is counted by a digest that lists no
   * more.
   */
  const checkArrivals = () => {
    const missing = [...records].flatMap(([id, { deliveries }]) =>
      Object.entries(deliveries).flatMap(([destinationId, { state }]) => {
        const isSent = state === 'sent' || state === 'accepted';
        return isSent && !arrivals.has(`${destinationId} ${id}`) ? [{ destinationId, id }] : [];
      }),
    );
    for (const [destinationId, all] of Map.groupBy(missing, (one) => one.destinationId)) {
      const counted = [...unlisted.values()].filter(
        (digest) => digest.destinationId === destinationId,
      );
      const most = counted.reduce((sum, { count }) => sum + count, 0);
      if (all.length <= most) continue;
      const ids = all.map(({ id }) => id).join(', ');
      broken('nothing is lost on its way', `${ids} never came to ${destinationId}`);
    }
  };

  const checkDelivered = (alert: AlertItem, holds: ReadonlyMap<string, number>) => {
    const { id } = alert;
    for (const [destinationId, { state, reason = '' }] of Object.entries(
      records.get(id)?.deliveries ?? {},
    )) {
      // Work goes on: what was reported, or held until, within the last minute may be on its way.
      const since = holds.get(`${destinationId} ${id}`) ?? Date.parse(alert.at);
      const isNew = since > world.now() - MINUTE;
      // A stale worker may post a part of what a summary has taken over meanwhile.
      const isReported = postedByStale.has(id) && isSummarized(id);
      if (state === 'pending' && !isNew && !isGone(alert) && !isReported)
        broken('everything is delivered', `${id} waits for ${destinationId}`);
      if (state === 'failed' && !EXPLAINED.some((text) => reason.includes(text))) {
        broken('a delivery that failed says why', `${id} to ${destinationId}: ${reason}`);
      }
    }
  };

  /**
   * What a watch said is on its way, held by a mute, or reported in a summary, whatever became of
   * its rule.
   */
  const checkTakenOver = (id: string, held: ReadonlyMap<string, AlertItem>) => {
    if (records.has(id) || held.has(id) || isSummarized(id) || isCounted(id, held)) return;
    const origin = expected.get(id);
    if (origin === undefined || isSilenced(origin.alert)) return;
    if (!stoodUntil(origin.alert) && (origin.alert.kind !== 'closed' || isUnheard(origin.alert))) {
      return;
    }
    broken('no alert is lost', JSON.stringify(origin.alert));
  };

  /** A full outbox that is still held has counted it. */
  const isCounted = (id: string, held: ReadonlyMap<string, AlertItem>) => {
    const [watch = ''] = id.split('.');
    return folded.has(id) && [...held.keys()].some((other) => other.startsWith(`${watch}.`));
  };

  /**
   * A summary carries the number of the last that it stands for, which may be of a later generation,
   * and stands for what is only counted, though what had taken its place was said too late.
   */
  const isSummarized = (id: string) => {
    const [watch = '', generation, number] = id.split('.');
    return [...records.keys()].some((other) => {
      if (!other.endsWith('s') || !other.startsWith(`${watch}.`)) return false;
      const [, itsGeneration, its] = other.slice(0, -1).split('.').map(Number);
      const isLater = Number(itsGeneration) > Number(generation);
      const isSame = Number(itsGeneration) === Number(generation);
      return isLater || (isSame && (Number(its) >= Number(number) || folded.has(id)));
    });
  };

  /** Whether the rule that spoke is not what it was, or nowhere. */
  const isGone = (alert: AlertItem) => {
    const newest = world.revisionsOf(alert.tenant, alert.watchlist).at(-1);
    return newest === undefined || ruleBehind(alert, newest.document) === undefined;
  };

  /** Whether the beginning of an episode was not sent either. */
  const isUnheard = ({ rule, contract, generation, episode }: AlertItem) =>
    [...expected.values()].some(
      ({ alert }) =>
        (alert.kind === 'fired' || alert.kind === 'stale') &&
        alert.rule === rule &&
        alert.contract === contract &&
        alert.generation === generation &&
        alert.episode === episode &&
        !records.has(alert.id),
    );

  /** Whether its rule still stood when an alert was made: else it reaches no receiver. */
  const stoodUntil = (alert: AlertItem) => {
    const made = Date.parse(alert.at);
    const then = world
      .revisionsOf(alert.tenant, alert.watchlist)
      .findLast(({ writtenAt }) => writtenAt <= made);
    return then !== undefined && ruleBehind(alert, then.document)?.enabled === true;
  };

  /** Whether an acknowledgement silences an alert. */
  const isSilenced = (alert: AlertItem) => {
    if (alert.kind === 'worsened' && everSilencedWholly.has(episodeOf(alert))) {
      met('worsening not reported');
      return true;
    }
    if (acknowledgedAt(alert) === undefined) return false;
    met('reminder not reported');
    return true;
  };

  const acknowledgedAt = (alert: AlertItem) => {
    if (alert.kind === 'worsened') return silencedWholly.get(episodeOf(alert));
    return alert.kind === 'reminder' ? acknowledged.get(episodeOf(alert)) : undefined;
  };

  const acknowledgementWritten = ({ key: { pk, sk }, after }: Written) => {
    const episode = `${pk.slice('TENANT#'.length)} ${sk.slice('ACK#'.length)}`;
    if (!acknowledged.has(episode)) acknowledged.set(episode, world.now());
    const moments = acknowledgements.get(episode) ?? [];
    acknowledgements.set(episode, [...moments, Number(after?.at)]);
    if (after?.silences === 'worsening') {
      everSilencedWholly.add(episode);
      if (!silencedWholly.has(episode)) silencedWholly.set(episode, world.now());
    } else silencedWholly.delete(episode);
    met('acknowledged');
  };

  return {
    alertWritten,
    mutesWritten,
    acknowledgementWritten,
    escalationWritten,
    watchWritten,
    arrived,
    atRest,
    isPosted: (alert) => records.has(alert),
    isAwaited: ({ pk, sk }) => {
      const record = records.get(sk.split('#').at(-1) ?? '');
      const isPending = record?.deliveries[pk.slice('INBOX#'.length)]?.state === 'pending';
      // A worker that should be dead may leave it in the inbox of a channel that is gone with the rule.
      return record !== undefined && isPending && !isGone(record.alert);
    },
  };
}

/** Until when an entry of an inbox is held, by its destination and its alert. */
function holdOf({ pk, sk }: Item): readonly (readonly [string, number])[] {
  const [, until = ''] = /^\+(\S+) /.exec(sk) ?? [];
  if (!pk.startsWith('INBOX#') || until === '') return [];
  const id = sk.split('#').at(-1);
  return [[`${pk.slice('INBOX#'.length)} ${id}`, Date.parse(until)]];
}

function outboxOf(watch: Item | undefined): readonly AlertItem[] {
  return (watch?.outbox ?? []) as unknown as readonly AlertItem[];
}

function countsOf(watch: Item | undefined): number {
  return folds({ folded: watch?.folded as Outbox['folded'] });
}

/** The episode of an alert, as acknowledgements name it. */
function episodeOf({ tenant, watchlist, contract, rule, generation, episode }: AlertItem): string {
  return `${tenant} ${watchlist}#${contract}#${rule}#${generation}#${episode}`;
}

/** Whether what is known of an episode is of an alert: its id begins with the watch and generation. */
function isNameOf(name: string, alert: AlertItem): boolean {
  const [ofList = '', contract = '', rule = '', generation, episode] = name.split('#');
  const [tenant = '', list = ''] = ofList.split(' ');
  const begin = alertId({ tenant, list, rule, contract }, Number(generation), '');
  return alert.episode === Number(episode) && alert.id.startsWith(begin);
}

/** The rule that spoke, as a revision of its list has it; undefined where it is another, or nowhere. */
export function ruleBehind(
  {
    rule,
    contract,
    generation,
    kind,
    metric,
  }: Pick<AlertItem, 'rule' | 'contract' | 'generation' | 'kind' | 'metric'>,
  { rules, members }: ListDocument,
): RuleDocument | undefined {
  const found = rules.find(({ id }) => id === rule);
  const member = members.find((other) => other.contract === contract);
  if (found === undefined || member === undefined) return undefined;
  const ofRule = Math.max(found.since, member.joined);
  const ofSilence = Math.max(ofRule, found.noDataSince ?? Number.POSITIVE_INFINITY);
  const ownMetric = found.all?.[0]?.metric ?? found.metric;
  // A watch without a first value speaks for itself, of its own metric.
  const isOfSilence = SILENCE.includes(kind) && metric !== ownMetric;
  // A summary may be of either, and what is closed where both are of one metric.
  const isOfEither = kind === 'summary' || (kind === 'closed' && metric === 'data_age_minutes');
  const generations =
    isOfEither && !isOfSilence ? [ofRule, ofSilence] : [isOfSilence ? ofSilence : ofRule];
  return generations.some((one) => one === generation) ? found : undefined;
}

const BEGINS: readonly string[] = ['fired', 'stale', 'summary'];
const ENDS: readonly string[] = ['recovered', 'closed', 'fresh'];
const SILENCE: readonly string[] = ['stale', 'fresh', 'closed'];

/** Whether a rule waits for an answer from its end. */
function isStillWatching({ pk, sk, admin }: Item, tenant: string, list: string, rule: string) {
  const [ofTenant, ofList, name = ''] = sk.split('#');
  const isOfRule = ofTenant === tenant && ofList === list && name.split('~')[0] === rule;
  return pk.startsWith('WATCHES#') && isOfRule && admin === 'enabled';
}

/** The channels of a list, by their destinations: its own, and contact points that it uses. */
function channelsOf(
  tenant: string,
  list: string,
  document: ListDocument,
): ReadonlyMap<string, string> {
  return new Map([
    ...document.channels.map(({ id }) => [`${tenant}#${list}#${id}`, id] as const),
    ...document.contactPoints.map((id) => [`${tenant}#~#${id}`, id] as const),
  ]);
}

/** Whether an alert is of no rule: it reports a channel, or the members of a list. */
function isOfList({ kind }: Pick<AlertItem, 'kind'>): boolean {
  return kind === 'members' || isOfChannel({ kind });
}

/** Whether an alert reports a channel, or tests it. */
function isOfChannel({ kind }: Pick<AlertItem, 'kind'>): boolean {
  return kind === 'channel_off' || kind === 'test';
}

const MINUTE = 60_000;
const TWO_MINUTES = 2 * 60_000;
const FIVE_MINUTES = 5 * 60_000;

function covers(
  { mutes }: Silence,
  rule: string | null,
  contract: string | null,
  at: number,
): boolean {
  return mutes.some(
    (mute) =>
      mute.until > at && (mute.rule ?? rule) === rule && (mute.contract ?? contract) === contract,
  );
}

const EXPLAINED = [
  'too long',
  '410',
  'no such channel',
  'ended, or never confirmed',
  'server_error',
  'InjectedFaultError',
  'OutcomeUnknownError',
  'its topic is gone',
  'timeout',
  'throttled',
];
