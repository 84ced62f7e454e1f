import { type Alert, RuleAlert } from '#shared/domain/alerting/alert.ts';
import type { Newest } from '#shared/domain/alerting/newest.ts';
import { type Story, summarized, wordedSummary } from '#shared/domain/alerting/summary-words.ts';
import { ruleWords } from './describe-alert.ts';
import { isEpisodeOpen, type Watch } from './watch.ts';

/**
 * The message after a mute: the last alert that the mute held, the numbers of held alerts by kind,
 * the present state of the watch and, if known, its newest value. If the rule was removed or
 * changed, the message repeats only the last alert.
 */
export function summaryOf(
  last: Alert,
  heldBack: Pick<Story, 'counts' | 'since'>,
  watch: Watch | undefined,
  newest: Newest | undefined,
): Alert {
  const alert = RuleAlert.parse(last);
  if (watch === undefined || watch.generation !== alert.generation) {
    return summarized(alert, heldBack);
  }
  const isOpen = isEpisodeOpen(watch);
  const story: Story = {
    ...{ ...heldBack, last: alert.kind },
    firingSince: isOpen ? watch.firedAt : undefined,
    newest: alert.kind === 'closed' ? undefined : newest,
  };
  const open = alert.open === null ? null : isOpen || watch.noValueSince !== undefined;
  const words = ruleWords(watch, watch.presentation.label);
  return wordedSummary({ ...alert, kind: 'summary', open }, words, story);
}
