import { MuteList, MuteRead } from '#functions/serve-api/watchlists/answers/mutes.ts';
import { muteRoutes } from '#functions/serve-api/watchlists/mute-routes.ts';
import { MuteBody } from '#shared/domain/watchlists/mute.ts';
import { input } from '#shared/http/described.ts';
import { DELETE_PROBLEMS, describeRoutes, json, LOCATION, LOOKUP_PROBLEMS } from './operation.ts';
import { ifMatch } from './preconditions.ts';

input(
  'MuteInput',
  MuteBody,
  'A request that creates a mute. `until` or `for` sets when the mute ends. `rule`, `contract` and `severity` select the alerts to hold; without them all alerts of the list are held.',
  {
    until:
      'The end of the mute: a time with a time zone, at most 90 days ahead, or `recovered`. With `recovered` the mute ends with the open episode of `rule` on `contract` (both are required), and after 90 days at the latest.',
    for: 'The duration of the mute.',
    rule: 'Hold only alerts of the rule with this id.',
    contract: 'Hold only alerts about this contract.',
    severity: 'Hold only alerts of rules with this severity.',
    reason: 'The reason for the mute, as free text.',
  },
);

export const mute = {
  id: 'mute-4j2k9x',
  by: { key: '1a2b3c4d5e', name: 'the script', via: null },
  from: '2026-11-21T12:00:00.000Z',
  until: '2026-11-21T18:00:00.000Z',
  untilRecovered: false,
  rule: null,
  contract: null,
  severity: 'info',
  reason: 'release day',
};

/** Documents the operations on the mutes of a list. */
export const muteOperations = describeRoutes(muteRoutes, {
  'GET /v1/watchlists/{watchlist}/mutes': {
    id: 'listMutes',
    tag: 'Mutes',
    summary: 'List the active mutes of a watchlist',
    answers: { 200: json('The mutes.', MuteList, { mutes: [mute] }) },
    problems: LOOKUP_PROBLEMS,
  },
  'POST /v1/watchlists/{watchlist}/mutes': {
    id: 'createMute',
    tag: 'Mutes',
    summary: 'Mute alerts of a watchlist for a while',
    description:
      'Rules are evaluated as usual. When the mute ends, one summary for each watch reports the held alerts. A mute with `until: "recovered"` holds only the worsening and escalation alerts of the open episode; reminders are skipped. The recovery alert is sent at once; if alerts were held, their summary is sent before it. The next episode is not muted. Returns 409 if no episode of the rule is open on the contract.',
    bodies: {
      'for six hours': { for: '6h', severity: 'info', reason: 'release day' },
      'until the rule recovers': {
        until: 'recovered',
        rule: 'floor-9-5',
        contract: 'eth:0xbc4ca0eda7647a8ab7c2061c2e118a18a936f13d',
      },
    },
    answers: { 201: json('The mute was created.', MuteRead, mute, LOCATION) },
    problems: [...LOOKUP_PROBLEMS, 'conflict', 'episode_over'],
  },
  'GET /v1/watchlists/{watchlist}/mutes/{mute}': {
    id: 'getMute',
    tag: 'Mutes',
    summary: 'Read an active mute',
    answers: { 200: json('The mute.', MuteRead, mute) },
    problems: LOOKUP_PROBLEMS,
  },
  'DELETE /v1/watchlists/{watchlist}/mutes/{mute}': {
    id: 'liftMute',
    tag: 'Mutes',
    summary: 'End a mute early, and send the alerts that it held',
    headers: [ifMatch],
    answers: { 204: { description: 'The mute was lifted.' } },
    problems: DELETE_PROBLEMS,
  },
});
