import { Check } from '#console/form/fields.tsx';
import type { Answer } from '#console/interface/operations.ts';
import type { Draft } from './rule-draft.ts';

export type List = Answer<'GET /v1/watchlists/{watchlist}'>;
export type ListChannel = Answer<'GET /v1/watchlists/{watchlist}/channels'>['channels'][number];

/**
 * Returns the channels that get the alerts of a rule. The rule may name them. Otherwise, the list
 * may name channels for the severity of the rule. Otherwise, all channels get the alerts, except
 * channels that are only for escalations.
 */
export function notifiedBy(
  { notify, severity }: Pick<Draft, 'notify' | 'severity'>,
  list: List,
  channels: readonly ListChannel[],
): readonly ListChannel[] {
  const named = notify ?? list.notify?.[severity];
  const escalatedTo = list.escalate?.to ?? [];
  return channels.filter(({ id }) => named?.includes(id) ?? !escalatedTo.includes(id));
}

type AudienceProps = {
  readonly draft: Draft;
  readonly list: List;
  readonly channels: readonly ListChannel[];
  readonly problem: string | undefined;
  readonly onChange: (change: Pick<Draft, 'notify'>) => void;
};

/** Selects the channels that get the alerts of a rule. */
export function Audience({ draft, list, channels, problem, onChange }: AudienceProps) {
  const notified = notifiedBy(draft, list, channels);
  const named = draft.notify;
  if (channels.length === 0) {
    return (
      <p class="notice warning">
        The list “{list.name}” has no channels, so nobody gets the alerts of this rule. Add a
        channel to the list.
      </p>
    );
  }
  return (
    <fieldset class="audience">
      <legend>Notify</legend>
      <div class="row">
        <Check
          label={`Use the channels of the list for ${draft.severity} alerts`}
          checked={named === undefined}
          onChecked={(isByList) =>
            onChange({ notify: isByList ? undefined : notified.map(({ id }) => id) })
          }
        />
        {named === undefined && (
          <span class="quiet small">{notified.map(({ id }) => id).join(', ')}</span>
        )}
      </div>
      {named !== undefined && (
        <div class="row">
          {channels.map(({ id }) => (
            <Check
              key={id}
              label={id}
              checked={named.includes(id)}
              onChecked={(isTold) =>
                onChange({
                  notify: isTold ? [...named, id] : named.filter((other) => other !== id),
                })
              }
            />
          ))}
        </div>
      )}
      {problem !== undefined && <span class="wrong">{problem}</span>}
    </fieldset>
  );
}
