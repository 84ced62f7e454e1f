import { expect, it } from 'vitest';
import { type Actor, actorInWords, linkActor } from '#shared/domain/access/actor.ts';

const DESK = { id: 'desk', words: 'Slack #desk' };

it.each<readonly [actor: Actor, words: string]>([
  [{ id: '1a2b3c4d5e', name: 'the script' }, 'by key "the script"'],
  [linkActor(DESK, 'Ada'), 'by Ada via Slack #desk'],
  [linkActor(DESK, undefined), 'via Slack #desk'],
  [linkActor({ id: 'gone', words: undefined }, 'Ada'), 'by Ada via channel gone'],
  [linkActor(undefined, undefined), "via the operators' channel"],
  // The form in which release 0.4.0 stored an actor.
  [{ id: 'link:desk', name: 'Ada' }, 'by Ada via channel desk'],
])('puts an actor into words: %j', (actor, words) => {
  expect(actorInWords(actor)).toBe(words);
});
