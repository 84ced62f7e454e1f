import { TextField } from '#console/form/fields.tsx';
import { problemAt } from '#console/form/problems.tsx';
import type { Problem } from '#shared/http/answer-shapes.ts';
import type { ReadList } from './list-page.tsx';

const SEVERITIES = ['critical', 'warning', 'info'] as const;
type Severity = (typeof SEVERITIES)[number];

/** The channels that get the alerts of a list by default. A rule may name other channels. */
export type Audience = {
  readonly notify: NonNullable<ReadList['notify']>;
  readonly escalate: ReadList['escalate'];
};

/** The default channels of a list. */
export function audienceOf({ notify = {}, escalate }: ReadList): Audience {
  return { notify, escalate };
}

/** Converts the default channels to members of a list. */
export function audienceMembers({ notify, escalate }: Audience) {
  return {
    ...(Object.keys(notify).length === 0 ? {} : { notify }),
    ...(escalate === undefined ? {} : { escalate }),
  };
}

/** Returns the default channels without those that the list no longer uses. */
export function without({ notify, escalate }: Audience, gone: readonly string[]): Audience {
  const left = (ids: readonly string[]) => ids.filter((id) => !gone.includes(id));
  return {
    notify: Object.fromEntries(
      Object.entries(notify).map(([severity, ids]) => [severity, ids && left(ids)]),
    ),
    escalate: escalate && escalatedTo(left(escalate.to), escalate.after),
  };
}

function escalatedTo(to: readonly string[], after: string): Audience['escalate'] {
  return to.length === 0 ? undefined : { after, to: [...to] };
}

type WhoProps = {
  readonly ids: readonly string[];
  readonly audience: Audience;
  readonly problem: Problem | undefined;
  readonly onChange: (audience: Audience) => void;
};

/** Selects the channels for each severity, and for alerts that nobody acknowledges. */
export function WhoGetsWhat({ ids, audience, problem, onChange }: WhoProps) {
  const { notify, escalate } = audience;
  if (ids.length === 0)
    return <p class="quiet">The list has no channels, so nobody gets its alerts. Add a channel.</p>;
  // By default, every channel gets all alerts, except for the channels to which the list escalates.
  const usual = ids.filter((id) => escalate?.to.includes(id) !== true);
  const set = (severity: Severity, id: string, gets: boolean) => {
    const before = notify[severity] ?? usual;
    const after = ids.filter((one) => (one === id ? gets : before.includes(one)));
    const { [severity]: _, ...others } = notify;
    const isUsual = after.join() === usual.join();
    onChange({ ...audience, notify: isUsual ? others : { ...others, [severity]: after } });
  };
  const setEscalated = (id: string, gets: boolean) => {
    const before = escalate?.to ?? [];
    const to = ids.filter((one) => (one === id ? gets : before.includes(one)));
    onChange({ ...audience, escalate: escalatedTo(to, escalate?.after ?? '15m') });
  };
  return (
    <fieldset class="stack">
      <legend class="small quiet">
        Default channels for alerts. A rule can choose other channels.
      </legend>
      <div class="scrolled">
        <table class="who-gets-what">
          <thead>
            <tr>
              <th scope="col">Channel</th>
              {SEVERITIES.map((severity) => (
                <th key={severity} scope="col">
                  {severity}
                </th>
              ))}
              <th scope="col">escalation</th>
            </tr>
          </thead>
          <tbody>
            {ids.map((id) => (
              <tr key={id}>
                <th scope="row">{id}</th>
                {SEVERITIES.map((severity) => (
                  <td key={severity}>
                    <input
                      type="checkbox"
                      aria-label={`${id} gets ${severity} alerts`}
                      checked={(notify[severity] ?? usual).includes(id)}
                      onChange={({ currentTarget }) => set(severity, id, currentTarget.checked)}
                    />
                  </td>
                ))}
                <td>
                  <input
                    type="checkbox"
                    aria-label={`${id} gets critical alerts that nobody acknowledged`}
                    checked={escalate?.to.includes(id) === true}
                    onChange={({ currentTarget }) => setEscalated(id, currentTarget.checked)}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {escalate !== undefined && (
        <TextField
          label="Escalate after"
          placeholder="15m, 1h"
          hint="A critical alert that nobody acknowledges within this time is also sent to the channels selected under “escalation”. By default, these channels get no other alerts. To change this, select a severity for them."
          value={escalate.after}
          onValue={(after) => onChange({ ...audience, escalate: { ...escalate, after } })}
          problem={problemAt(problem, '/escalate/after') ?? problemAt(problem, '/escalate/to')}
        />
      )}
    </fieldset>
  );
}
