import { isDeepStrictEqual } from 'node:util';
import { alertId } from '#shared/domain/alerting/alert.ts';
import type { Notification } from '#shared/domain/alerting/notification.ts';
import type { Item } from '#shared/stores/table.ts';
import { canaryOf } from '#test/simulation/actors/users.ts';
import type { Written } from '#test/simulation/services/faulty-table.ts';
import type { Invocation } from '#test/simulation/services/sandbox.ts';
import { type AlertItem, nameOfEpisode } from './alert-check.ts';
import {
  holdingFor,
  type ListDocument,
  type Revision,
  type RuleDocument,
  span,
  watchedIn,
} from './documents.ts';
import type { ExplainedAlert } from './watch-invariants.ts';

type Delivery = { readonly state: string; readonly reason?: string };
type AlertRecordItem = {
  readonly alert: AlertItem;
  readonly deliveries: Readonly<Record<string, Delivery>>;
};
type MuteItem = {
  readonly until: number;
  readonly rule?: string;
  readonly contract?: string;
  /** The mute ends with these episodes, and covers only their alerts. */
  readonly episodes?: readonly { readonly name: string }[];
};
/** The mutes of a list from a moment on. */
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
      | 'acknowledgement sent'
      | 'escalation due'
      | 'held by a mute'
      | 'held until the recovery'
      | 'end of a muted episode sent'
      | 'counted by a mute'
      | 'summary of held alerts'
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
  readonly inboxWritten: (written: Written) => void;
  readonly channelWritten: (written: Written) => void;
  readonly arrived: (destinationId: string, notification: Notification, by: Invocation) => void;
  /** Compares the arrived messages with the expected ones, once the system is idle. */
  readonly atRest: (items: readonly Item[]) => void;
  /**
   * Whether the alert of an inbox entry still has to be delivered: it is neither sent nor obsolete.
   */
  readonly isAwaited: (entry: Item) => boolean;
};

/** Checks that each alert reaches all its destinations, and no others. */
export function createDeliveryInvariants(world: DeliveryInvariantsWorld): DeliveryInvariants {
  const { broken, met, expected } = world;
  const records = new Map<string, AlertRecordItem>();
  const arrivals = new Map<string, Arrival[]>();
  /** The invocation that first began a message with an alert, by destination and alert id. */
  const begun = new Map<string, Invocation>();
  /**
   * Number of alerts that each digest counts without listing them, by destination and digest id.
   */
  const unlisted = new Map<string, { readonly destinationId: string; readonly count: number }>();
  const silences = new Map<string, Silence[]>();
  /**
   * When each episode was first acknowledged; `silencedWholly` has the time from which its
   * worsening is silenced.
   */
  const acknowledged = new Map<string, number>();
  const silencedWholly = new Map<string, number>();
  /** Times of all acknowledgements of each episode, in the order of their writes. */
  const acknowledgements = new Map<string, readonly number[]>();
  /** When the escalation job of each episode was created, and when it recorded the escalation. */
  const escalations = new Map<string, { readonly madeAt: number; readonly notedAt?: number }>();
  /** When each alert was posted. */
  const postedAt = new Map<string, number>();
  /** Episodes whose worsening was silenced at some time. */
  const everSilencedWholly = new Set<string>();
  /** When a watch of each rule was last disabled. A later tick reports the end of the rule. */
  const putAside = new Map<string, number>();
  /**
   * End time of each episode, by its name. An episode ends when its watch closes it, begins another
   * episode, or is deleted.
   */
  const overAt = new Map<string, number>();

  const alertWritten = ({ after, by }: Written) => {
    if (after === undefined) return;
    const record = after as unknown as AlertRecordItem;
    const { alert, deliveries } = record;
    if (!records.has(alert.id)) {
      met(`alert: ${alert.kind}`);
      checkOrigin(alert);
      postedAt.set(alert.id, world.now());
      checkDestinations(alert, Object.keys(deliveries), by);
      if (alert.kind === 'expired' || alert.kind === 'escalated') checkMutes(alert, by);
      if (alert.kind === 'escalated') checkEscalated(alert, by);
    }
    records.set(alert.id, record);
  };

  /** Alerts of rules must come from a watch. Alerts about rules and channels come from the list. */
  const checkOrigin = (alert: AlertItem) => {
    if (alert.kind === 'acknowledged') return checkAcknowledged(alert);
    if (alert.kind === 'escalated') return;
    if (alert.kind === 'expired' && Date.parse(alert.dataTime) > world.now()) {
      broken('the end of a rule is not reported early', alert.id);
    }
    if (alert.kind === 'expired' || isOfList(alert)) return;
    const origin = expected.get(alert.id);
    if (origin === undefined) return broken('no alert is invented', JSON.stringify(alert));
    if (!isDeepStrictEqual(origin.alert, alert)) {
      broken('a posted alert equals the alert of its watch', JSON.stringify(alert));
    }
  };

  /**
   * The alert must belong to a stored acknowledgement, and repeat an earlier alert of its episode.
   */
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

  /**
   * The last acknowledgement of an open episode must be posted, if the rule has a chat that can
   * show it.
   */
  const checkAcknowledgementsSent = (items: readonly Item[]) => {
    const posted = new Set([...records.keys()].filter((id) => id.includes('.acknowledged-')));
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
      // A chat added after the last alert shows no message of the episode.
      const news = [...records.values()].flatMap(({ alert }) =>
        alert.kind !== 'acknowledged' && isNameOf(episode, alert) && Date.parse(alert.at) < at
          ? [Date.parse(alert.at)]
          : [],
      );
      const since = Math.min(at, news.at(-1) ?? at) - FIVE_MINUTES;
      if (!hadChat(tenant, list, ofRule, since)) continue;
      met('acknowledgement sent');
      const suffix = `.${generation}.acknowledged-${at}`;
      if (![...posted].some((id) => id.endsWith(suffix)))
        broken('an acknowledgement is posted', `${episode} at ${at}`);
    }
  };

  /**
   * Whether, in every revision since a moment, a rule notified a chat whose messages can be edited.
   */
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
    const isInformed = (id: string, document: ListDocument) => {
      const listed = document.rules.find((one) => one.id === rule);
      if (listed === undefined || !isChat(id, document)) return false;
      const { severity, notify = document.notify?.[severity] } = listed;
      return notify?.includes(id) ?? document.escalate?.to.includes(id) !== true;
    };
    const all = inForce(world.revisionsOf(tenant, list)).map(({ document }) => document);
    const ids = all.flatMap(({ channels, contactPoints }) => [
      ...channels.map(({ id }) => id),
      ...contactPoints,
    ]);
    return ids.some((id) => all.every((document) => isInformed(id, document)));
  };

  /** The escalation of an alert's episode. */
  const escalationOf = (alert: AlertItem) =>
    [...escalations].find(([name]) => isNameOf(name, alert))?.[1];

  const escalationWritten = ({ key: { pk, sk }, after, by }: Written) => {
    const [, tenant = '', list = ''] = pk.split('#');
    const [, ...episode] = sk.split('#');
    const name = `${tenant} ${[list, ...episode].join('#')}`;
    if (after === undefined) return;
    // A disturbed worker may have read the clock long before this write.
    const since = by.disturbance === undefined ? world.now() : by.startedAt;
    const known = escalations.get(name) ?? { madeAt: since };
    const isNoted = after.escalatedAt !== undefined && known.notedAt === undefined;
    escalations.set(name, isNoted ? { ...known, notedAt: world.now() } : known);
  };

  /** The posted alerts of an episode. */
  const postedOf = ({ id, episode }: AlertItem) => {
    const [watch, generation] = id.split('.');
    return [...records.values()].filter(
      ({ alert }) => alert.id.startsWith(`${watch}.${generation}.`) && alert.episode === episode,
    );
  };

  /**
   * Only a reported critical episode may be escalated, and only if nobody acknowledged it in time.
   */
  const checkEscalated = (alert: AlertItem, { startedAt }: Invocation) => {
    const { tenant, watchlist } = alert;
    const posted = postedOf(alert);
    const firsts = posted.filter(({ alert: { kind } }) => BEGINS.includes(kind));
    const { madeAt = Number.POSITIVE_INFINITY, notedAt = startedAt } = escalationOf(alert) ?? {};
    const waits = world
      .revisionsOf(tenant, watchlist)
      .map(({ document }) => span(document.escalate?.after) ?? Number.POSITIVE_INFINITY);
    const acknowledgedFrom = [...acknowledged].find(([name]) => isNameOf(name, alert))?.[1];
    const isOver = posted.some(
      ({ alert: { id, kind } }) =>
        ENDS.includes(kind) && (postedAt.get(id) ?? Number.POSITIVE_INFINITY) < startedAt,
    );
    const isAsReported = firsts.some(
      ({ alert: { severity, threshold } }) =>
        severity === 'critical' && threshold === alert.threshold,
    );
    const holds: Readonly<Record<string, boolean>> = {
      'it was reported as critical': isAsReported && alert.open === true,
      'the time is over': Date.parse(alert.at) >= madeAt + Math.min(...waits),
      // If a worker dies after it recorded the escalation, the next worker posts the alert.
      'nobody has acknowledged it': !(
        acknowledgedFrom !== undefined && acknowledgedFrom < Math.min(startedAt, notedAt)
      ),
      'it goes on': !isOver,
    };
    for (const [what, isRight] of Object.entries(holds)) {
      if (!isRight) broken(`an escalation has its reason: ${what}`, JSON.stringify(alert));
    }
  };

  /** An open critical episode without an acknowledgement must be escalated in time. */
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
        covers(silence, alert, since),
      );
      const isAcknowledged = [...acknowledged.keys()].some((name) => isNameOf(name, alert));
      if (!goesOn || isOver || isMuted || isAcknowledged) continue;
      met('escalation due');
      if (!postedOf(alert).some((one) => one.alert.kind === 'escalated'))
        broken('an episode that nobody acknowledges is escalated', JSON.stringify(alert));
    }
  };

  /** A rule that was removed or paused long ago sends no alerts, except to close its episode. */
  const checkNotDeleted = (alert: AlertItem) => {
    if (['expired', 'closed', 'summary'].includes(alert.kind) || isOfList(alert)) return;
    // Alerts of these kinds concern an episode, which stays open until the change has reached its
    // watch.
    if (alert.kind === 'acknowledged' || alert.kind === 'escalated') return;
    if (!isOfExistingRule(alert)) broken('a removed rule makes no alerts', alert.id);
  };

  /** Whether the rule of an alert was enabled when the alert was made, or minutes before. */
  const isOfExistingRule = (alert: AlertItem) => {
    const known = world.revisionsOf(alert.tenant, alert.watchlist);
    // If the worker of a change dies, the change is retried after three minutes. The retry may
    // fail, too.
    const since = Date.parse(alert.at) - 2 * FIVE_MINUTES;
    const first = known.findLastIndex(({ writtenAt }) => writtenAt <= since);
    const seen = known.slice(Math.max(0, first));
    // Alerts made until two minutes after a change are still sent. A change may also be applied
    // only together with a later one.
    const isChangedSince = known.some(
      ({ writtenAt }) => writtenAt > Date.parse(alert.at) - TWO_MINUTES,
    );
    return (
      isChangedSince || seen.some(({ document }) => ruleBehind(alert, document)?.enabled === true)
    );
  };

  /** An alert that an earlier acknowledgement silences must not be sent. */
  const checkSilenced = ({ id, kind }: AlertItem, { startedAt }: Invocation) => {
    const record = records.get(id);
    const at = record && kind !== 'summary' ? acknowledgedAt(record.alert) : undefined;
    if (at !== undefined && at < Math.min(startedAt, postedAt.get(id) ?? 0))
      broken('an alert that an acknowledgement silences is not sent', id);
  };

  /**
   * An alert must go to the operators and to the channels of its rule in one revision. The rule
   * names its channels itself, or else the list names them for the severity of the rule.
   */
  const checkDestinations = (
    alert: AlertItem,
    destinationIds: readonly string[],
    { startedAt }: Invocation,
  ) => {
    const { id, tenant, watchlist, kind, rule } = alert;
    const notedAt = escalationOf(alert)?.notedAt;
    const posted = postedOf(alert)
      .filter(({ alert: other }) => !['acknowledged', 'escalated'].includes(other.kind))
      .flatMap(({ deliveries }) => Object.keys(deliveries));
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
      const listed = document.rules.filter((one) => one.id === rule);
      // The closing alert of a removed rule is sent to the channels of its earlier alerts.
      const spoke = listed.length > 0 ? listed : rulesEver.filter((one) => one.id === rule);
      if (kind === 'acknowledged') {
        // An acknowledgement only edits messages of the episode, whichever channels the rule
        // notifies now.
        const others = notedAt === undefined ? [] : escalatedTo.map(([one]) => one);
        return destinationIds.every((one) => posted.includes(one) || others.includes(one));
      }
      // Every destination of an episode's first alert gets its closing alert. If an edit closes the
      // episode, no other channel gets that alert.
      if (ENDS.includes(kind)) {
        const isKnown = (one: string) =>
          posted.includes(one) || one === 'stack-topic' || channels.has(one);
        return posted.every((one) => destinationIds.includes(one)) && destinationIds.every(isKnown);
      }
      return spoke.some(({ severity, notify = document.notify?.[severity] }) => {
        const isSure = notedAt !== undefined && notedAt < startedAt;
        const isRightAlone = (!isSure || document.escalate === undefined) && isExactly(notify);
        return isRightAlone || (notedAt !== undefined && isExactly(notify, true));
      });
    });
    if (!isRight)
      broken(
        'an alert goes to the channels of its own list',
        `${kind} ${id} to ${destinationIds.join(', ')}`,
      );
  };

  const mutesWritten = ({ key: { pk, sk }, after }: Written) => {
    const list = `${pk.slice('TENANT#'.length)} ${sk.slice('MUTES#'.length)}`;
    type Mutes = Readonly<Partial<Record<'mutes' | 'untilRecovered', readonly MuteItem[]>>>;
    const { mutes = [], untilRecovered = [] } = (after ?? {}) as Mutes;
    const all = [...mutes, ...untilRecovered];
    silences.set(list, [...(silences.get(list) ?? []), { at: world.now(), mutes: all }]);
  };

  /**
   * An alert must not be sent if a mute has covered it ever since it was posted, or since its
   * worker began.
   */
  const checkMutes = (alert: AlertItem, by: Invocation) => {
    const { id, kind, tenant, watchlist } = alert;
    if (kind === 'summary' || kind === 'acknowledged' || isOfList({ kind })) return;
    // An escalation that was recorded before this worker began is delivered despite the mute.
    if (kind === 'escalated' && (escalationOf(alert)?.notedAt ?? by.startedAt) < by.startedAt)
      return;
    if (world.revisionsOf(tenant, watchlist).at(-1)?.document.deleted === true) return;
    const since = Math.min(by.startedAt, postedAt.get(id) ?? by.startedAt);
    const inForce = silencesSince(since, `${tenant} ${watchlist}`);
    // The worker may have read the watch after the end of its episode, when the mute was over.
    const about = isOver(nameOfEpisode(alert)) ? { ...alert, episode: null } : alert;
    const isMuted = inForce.every((silence) => covers(silence, about, world.now()));
    if (isMuted) broken('mutes are honoured', id);
    const isAwaited = ({ mutes }: Silence) => mutes.some((mute) => waitsFor(mute, alert));
    if (ENDS.includes(kind) && inForce.some(isAwaited)) met('end of a muted episode sent');
  };

  /** Whether an episode was over at the moment `at`, which is now by default. */
  const isOver = (episode: string | undefined, at = world.now()) =>
    episode !== undefined && (overAt.get(episode) ?? Number.POSITIVE_INFINITY) <= at;

  const watchWritten = (written: Written) => {
    const [before, after] = [openEpisodeIn(written, 'before'), openEpisodeIn(written, 'after')];
    if (before !== undefined && before !== after) overAt.set(before, world.now());
    noteEnd(written);
  };

  const noteEnd = ({ key: { sk }, before, after }: Written) => {
    if (before?.admin !== 'enabled' || after?.admin === 'enabled') return;
    const [tenant, list, name = ''] = sk.split('#');
    putAside.set(`${tenant} ${list} ${name.split('~')[0]}`, world.now());
  };

  const channelWritten = ({ key: { pk, sk }, after, by }: Written) => {
    const name = sk.slice('CHANNEL#'.length);
    const destinationId = pk === 'STACK' ? name : `${pk.slice('TENANT#'.length)}#${name}`;
    const { entries = [] } = (after?.notification ?? {}) as { entries?: readonly string[] };
    for (const entry of entries) {
      const path = `${destinationId} ${entry.split('#').at(-1)}`;
      if (!begun.has(path)) begun.set(path, by);
    }
  };

  /** An entry may be held only if some mute covered its alert while the worker ran. */
  const inboxWritten = ({ key, before, after, by }: Written) => {
    if (!key.sk.startsWith('~') || after === undefined) return;
    met('held by a mute');
    const counted = countedIn(after);
    if (counted > MOST_NAMED + 1) met('counted by a mute');
    const about = mutedIn(after);
    const { tenant, watchlist } = about;
    const inForce = silencesSince(by.startedAt, `${tenant} ${watchlist}`);
    const coversOf = (alert: Muted) =>
      inForce.some((silence) => covers(silence, alert, by.startedAt));
    if (coversOf({ ...about, episode: null })) return;
    if (coversOf(about) && !isOver(nameOfEpisode(about), by.startedAt))
      return met('held until the recovery');
    broken('a mute holds only alerts that it covers', `${key.pk} ${key.sk} ${countedIn(before)}`);
  };

  /** The last alert of the muted watch to which an inbox entry belongs. */
  const mutedIn = (item: Item): Muted & Pick<AlertItem, 'tenant' | 'watchlist'> => {
    const { tenant, watchlist, rule, contract, kind, last } = item as unknown as MutedItem;
    const { episode = null } = records.get(last.id)?.alert ?? {};
    return { tenant, watchlist, rule, contract, kind, id: last.id, episode };
  };

  /** All versions of the mutes of a list that a worker may have read since a moment. */
  const silencesSince = (since: number, list: string): readonly Silence[] => {
    const known = silences.get(list) ?? [];
    const before = known.findLast(({ at }) => at <= since) ?? { at: 0, mutes: [] };
    return [before, ...known.filter(({ at }) => at > since)];
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
      broken('no tenant sees data of another', `${destinationId} got ${text}`);
    }
    for (const alert of notification.kind === 'alert'
      ? [notification.alert]
      : notification.alerts) {
      const record = records.get(alert.id);
      if (record?.deliveries[destinationId] === undefined) {
        broken('an alert reaches only its receivers', `${destinationId} got ${alert.id}`);
      }
      // A retried message keeps its content, whatever has changed since it was begun.
      if (by.disturbance === undefined && !isBegunByOther(destinationId, alert.id, by)) {
        checkMutes(alert, by);
        checkSilenced(alert, by);
      }
      if (alert.kind === 'summary') met('summary of held alerts');
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
    const muted = items.filter(({ pk, sk }) => pk.startsWith('INBOX#') && sk.startsWith('~'));
    for (const item of muted) checkHeld(item);
    const heldByMute = new Set(muted.flatMap(namedIn));
    const holds = new Map(items.flatMap(holdOf));
    for (const { alert } of records.values()) {
      checkDelivered(alert, holds, heldByMute);
      checkNotDeleted(alert);
    }
    checkArrivals();
    checkAcknowledgementsSent(items);
    checkEscalationsMade(items);
    for (const id of expected.keys()) checkPosted(id);
    for (const item of items) if (item.sk.startsWith('LIST#')) checkEnds(item, items);
  };

  /** A held alert must be released once no mute covers it. */
  const checkHeld = (item: Item) => {
    const muted = mutedIn(item);
    const silence = silences.get(`${muted.tenant} ${muted.watchlist}`)?.at(-1);
    // If an episode ends without an alert, the release of held alerts may take five minutes longer.
    const isEnded = isOver(nameOfEpisode(muted), world.now() - 2 * FIVE_MINUTES);
    const about = isEnded ? { ...muted, episode: null } : muted;
    const isCovered = silence !== undefined && covers(silence, about, world.now() - FIVE_MINUTES);
    if (!isCovered) broken('held alerts are released after the mute', `${item.pk} ${item.sk}`);
  };

  /** The end of each rule must be reported, unless it is muted. */
  const checkEnds = ({ pk, sk }: Item, items: readonly Item[]) => {
    const [tenant, list] = [pk.slice('TENANT#'.length), sk.slice('LIST#'.length)];
    const silence = silences.get(`${tenant} ${list}`)?.at(-1);
    for (const { id, enabled, expiresAt } of world.revisionsOf(tenant, list).at(-1)?.document
      .rules ?? []) {
      const end = expiresAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(expiresAt);
      const isMuted =
        silence !== undefined && covers(silence, endOfRule(id), world.now() - FIVE_MINUTES);
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
   * An alert recorded as sent must have arrived, or be counted by a digest that does not list it.
   */
  const checkArrivals = () => {
    const missing = [...records].flatMap(([id, { deliveries }]) =>
      Object.entries(deliveries).flatMap(([destinationId, { state }]) => {
        const isSent = state === 'sent' || state === 'accepted';
        const isInformed =
          arrivals.has(`${destinationId} ${id}`) || isSummarized(destinationId, id);
        return isSent && !isInformed ? [{ destinationId, id }] : [];
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

  const checkDelivered = (
    alert: AlertItem,
    holds: ReadonlyMap<string, number>,
    heldByMute: ReadonlySet<string>,
  ) => {
    const { id } = alert;
    for (const [destinationId, { state, reason = '' }] of Object.entries(
      records.get(id)?.deliveries ?? {},
    )) {
      // Work continues: an alert that was made or released within the last minute may still be
      // sent.
      const since = holds.get(`${destinationId} ${id}`) ?? Date.parse(alert.at);
      const isNew = since > world.now() - MINUTE;
      const isHeld = heldByMute.has(`${destinationId} ${id}`);
      if (state === 'pending' && !isNew && !isGone(alert) && !isHeld)
        broken('everything is delivered', `${id} waits for ${destinationId}`);
      if (state === 'failed' && !EXPLAINED.some((text) => reason.includes(text))) {
        broken('a failed delivery has a known reason', `${id} to ${destinationId}: ${reason}`);
      }
      if (state === 'skipped') checkSkipped(alert, destinationId, reason);
    }
  };

  /**
   * A skipped alert must have a reason: an acknowledgement, a mute, or a summary that counts it.
   */
  const checkSkipped = (alert: AlertItem, destinationId: string, reason: string) => {
    const { id, kind, tenant, watchlist } = alert;
    const wasMuted = (silences.get(`${tenant} ${watchlist}`) ?? []).some((silence) =>
      covers(silence, alert, Date.parse(alert.at) - FIVE_MINUTES),
    );
    const isRight =
      kind === 'acknowledged' ||
      (reason.includes('acknowledged') && isSilenced(alert)) ||
      (reason.includes('muted') && kind === 'reminder' && wasMuted) ||
      (reason.includes('summary') && wasMuted);
    if (!isRight) broken('a skipped alert has a reason', `${id} to ${destinationId}: ${reason}`);
  };

  /** Every alert of a watch must be posted. */
  const checkPosted = (id: string) => {
    if (!records.has(id)) broken('no alert is lost', id);
  };

  /** Whether the destination received a summary of the same watch that covers the alert. */
  const isSummarized = (destinationId: string, id: string) =>
    [...arrivals].some(([name, all]) => {
      const last = name.startsWith(`${destinationId} `) ? name.split(' ').at(-1) : undefined;
      return last !== undefined && isOfWatchSince(last, id) && all.some(hasSummary(last));
    });

  /** Whether another worker began the message that contains the alert. */
  const isBegunByOther = (destinationId: string, id: string, by: Invocation) =>
    (begun.get(`${destinationId} ${id}`) ?? by) !== by;

  /** Whether the rule of an alert was changed or removed after the alert. */
  const isGone = (alert: AlertItem) => {
    const newest = world.revisionsOf(alert.tenant, alert.watchlist).at(-1);
    return newest === undefined || ruleBehind(alert, newest.document) === undefined;
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
    inboxWritten,
    channelWritten,
    arrived,
    atRest,
    isAwaited: ({ pk, sk, last }) => {
      const { id = sk.split('#').at(-1) ?? '' } = (last ?? {}) as { readonly id?: string };
      const record = records.get(id);
      const isPending = record?.deliveries[pk.slice('INBOX#'.length)]?.state === 'pending';
      // A worker that has timed out may leave an entry in the inbox of a channel that was removed
      // with its rule.
      return record !== undefined && isPending && !isGone(record.alert);
    },
  };
}

/** The destination and id of each alert in an inbox entry, with the end of its hold. */
function holdOf({ pk, sk, heldBack, postedAt }: Item): readonly (readonly [string, number])[] {
  if (!pk.startsWith('INBOX#') || sk.startsWith('~')) return [];
  const destinationId = pk.slice('INBOX#'.length);
  const [, until] = /^\+(\S+) /.exec(sk) ?? [];
  const since = until === undefined ? Number(postedAt) : Date.parse(until);
  const { alerts = [] } = (heldBack ?? {}) as Partial<MutedItem['heldBack']>;
  const ids = [...alerts.map(({ id }) => id), sk.split('#').at(-1)];
  return ids.map((id) => [`${destinationId} ${id}`, since]);
}

/** The inbox entry of a muted watch. */
type MutedItem = {
  readonly tenant: string;
  readonly watchlist: string;
  readonly rule: string;
  readonly contract: string;
  readonly kind: string;
  readonly last: { readonly id: string };
  readonly heldBack: {
    readonly counts: Readonly<Record<string, number>>;
    readonly alerts: readonly { readonly id: string }[];
  };
};

const MOST_NAMED = 20;

function countedIn(item: Item | undefined): number {
  const { counts = {} } = (item as MutedItem | undefined)?.heldBack ?? {};
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** Destination and id of each alert that the entry of a muted watch names. */
function namedIn(item: Item): readonly string[] {
  const { last, heldBack } = item as unknown as MutedItem;
  const destinationId = item.pk.slice('INBOX#'.length);
  return [...heldBack.alerts, last].map(({ id }) => `${destinationId} ${id}`);
}

/** Whether alert `id` is of the same watch as `other`, and not older. */
function isOfWatchSince(id: string, other: string): boolean {
  const [watch, ...numbers] = id.split('.');
  const [ofWatch, ...itsNumbers] = other.split('.');
  const [generation = 0, number = 0] = numbers.map(Number);
  const [itsGeneration = 0, itsNumber = 0] = itsNumbers.map(Number);
  if (watch !== ofWatch) return false;
  return generation === itsGeneration ? number >= itsNumber : generation > itsGeneration;
}

function hasSummary(id: string) {
  return ({ notification }: Arrival) =>
    (notification.kind === 'alert' ? [notification.alert] : notification.alerts).some(
      (alert) => alert.id === id && alert.kind === 'summary',
    );
}

/** The name of the episode of an alert in acknowledgements. */
function episodeOf({ tenant, watchlist, contract, rule, generation, episode }: AlertItem): string {
  return `${tenant} ${watchlist}#${contract}#${rule}#${generation}#${episode}`;
}

/** Whether `name` is the episode of an alert, whose id begins with the watch and generation. */
function isNameOf(name: string, alert: AlertItem): boolean {
  const [ofList = '', contract = '', rule = '', generation, episode] = name.split('#');
  const [tenant = '', list = ''] = ofList.split(' ');
  const begin = alertId({ tenant, list, rule, contract }, Number(generation), '');
  return alert.episode === Number(episode) && alert.id.startsWith(begin);
}

/**
 * The rule of an alert in a revision of its list, or undefined if it was changed or removed there.
 */
function ruleBehind(
  {
    rule,
    contract,
    generation,
    kind,
    metric,
  }: Pick<AlertItem, 'rule' | 'contract' | 'generation' | 'kind' | 'metric'>,
  document: ListDocument,
): RuleDocument | undefined {
  const { rules } = document;
  const found = rules.find(({ id }) => id === rule);
  const member = watchedIn(document).find((other) => other.contract === contract);
  if (found === undefined || member === undefined) return undefined;
  const { since = 0 } = holdingFor(document, found, member.contract) ?? {};
  const ofRule = Math.max(found.since, member.joined, since);
  const ofSilence = Math.max(ofRule, found.noDataSince ?? Number.POSITIVE_INFINITY);
  const ownMetric = found.all?.[0]?.metric ?? found.metric;
  // A rule's own watch that never had a value reports missing data itself, with its own metric.
  const isOfSilence = SILENCE.includes(kind) && metric !== ownMetric;
  // A summary may come from the rule's own watch or from its no-data watch. So may a closing alert,
  // if both watches have the same metric.
  const isOfEither = kind === 'summary' || (kind === 'closed' && metric === 'data_age_minutes');
  const generations =
    isOfEither && !isOfSilence ? [ofRule, ofSilence] : [isOfSilence ? ofSilence : ofRule];
  return generations.some((one) => one === generation) ? found : undefined;
}

const BEGINS: readonly string[] = ['fired', 'stale', 'summary'];
const ENDS: readonly string[] = ['recovered', 'closed', 'fresh'];
const SILENCE: readonly string[] = ['stale', 'fresh', 'closed'];

/** Whether a rule still waits for an answer after its end. */
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

/** Whether an alert belongs to no rule, but reports a channel or the members of a list. */
function isOfList({ kind }: Pick<AlertItem, 'kind'>): boolean {
  return kind === 'members' || isOfChannel({ kind });
}

/** Whether an alert says that a channel is off, or tests a channel. */
function isOfChannel({ kind }: Pick<AlertItem, 'kind'>): boolean {
  return kind === 'channel_off' || kind === 'test';
}

const MINUTE = 60_000;
const TWO_MINUTES = 2 * 60_000;
const FIVE_MINUTES = 5 * 60_000;

/** The members of an alert that decide whether a mute covers it. */
type Muted = Pick<AlertItem, 'id' | 'kind' | 'rule' | 'contract' | 'episode'>;

/** The alert about the end of a rule; it has no contract and no episode. */
function endOfRule(rule: string): Muted {
  return { id: '', kind: 'expired', rule, contract: null, episode: null };
}

function covers({ mutes }: Silence, alert: Muted, at: number): boolean {
  return mutes.some(
    (mute) =>
      mute.until > at &&
      (mute.rule ?? alert.rule) === alert.rule &&
      (mute.contract ?? alert.contract) === alert.contract &&
      (mute.episodes === undefined || (waitsFor(mute, alert) && !ENDS.includes(alert.kind))),
  );
}

/** Whether a mute ends with the episode of an alert. */
function waitsFor({ episodes = [] }: MuteItem, alert: Muted): boolean {
  const episode = nameOfEpisode(alert);
  return episodes.some(({ name }) => name === episode);
}

/** The open episode of a watch before or after a write. */
function openEpisodeIn(
  { key: { pk, sk }, ...written }: Written,
  when: 'before' | 'after',
): string | undefined {
  const watch = written[when];
  if (watch?.state !== 'firing' && watch?.state !== 'recovering') return undefined;
  const [tenant = '', list = '', rule = ''] = sk.split('#');
  const about = { tenant, list, rule, contract: pk.slice('WATCHES#'.length) };
  return nameOfEpisode({
    id: alertId(about, Number(watch.generation), ''),
    episode: Number(watch.episode),
  });
}

const EXPLAINED = [
  'too long',
  '410',
  'the channel was removed',
  'cancelled or not confirmed',
  'server_error',
  'InjectedFaultError',
  'OutcomeUnknownError',
  'the SNS topic of the watchlist does not exist',
  'timeout',
  'throttled',
];
