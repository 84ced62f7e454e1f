import { QuietField } from '#console/channels/quiet-field.tsx';
import { ChoiceField, TextField } from '#console/form/fields.tsx';
import { problemAt } from '#console/form/problems.tsx';
import type { Problem } from '#shared/http/answer-shapes.ts';
import type { ReadList } from './list-page.tsx';

/** The time zone of a list, and when it sends alerts and reports. */
export type ListTimes = {
  readonly timeZone: string;
  readonly quiet: NonNullable<ReadList['quiet']>;
  readonly report: ReadList['report'];
};
type Every = NonNullable<ListTimes['report']>['every'];

type TimesProps = {
  readonly times: ListTimes;
  readonly onChange: (times: ListTimes) => void;
  readonly problem: Problem | undefined;
};

/** Edits the time zone of a list, its quiet hours and its report. */
export function ListTimesFields({ times, onChange, problem }: TimesProps) {
  const { timeZone, quiet, report } = times;
  return (
    <>
      <div class="sentence fields">
        <TextField
          label="Time zone"
          placeholder="Europe/Berlin"
          hint="For times in messages, quiet hours and reports. Leave empty for UTC."
          value={timeZone}
          onValue={(zone) => onChange({ ...times, timeZone: zone })}
          problem={problemAt(problem, '/timeZone')}
        />
        <ChoiceField
          label="Report"
          value={report?.every ?? ''}
          onValue={(name) => {
            const every = DAYS.find(([day]) => day === name)?.[0];
            const next = every === undefined ? undefined : { at: '08:00', ...report, every };
            onChange({ ...times, report: next });
          }}
        >
          <option value="">none</option>
          {DAYS.map(([day, words]) => (
            <option key={day} value={day}>
              {words}
            </option>
          ))}
        </ChoiceField>
        {report !== undefined && (
          <TextField
            label="Report at"
            placeholder="08:00"
            value={report.at}
            onValue={(at) => onChange({ ...times, report: { ...report, at } })}
            problem={problemAt(problem, '/report/at')}
          />
        )}
      </div>
      <QuietField
        label="Quiet hours"
        hint="During quiet hours, only critical alerts are sent. All others are sent as one summary when the quiet hours end."
        quiet={quiet}
        onQuiet={(hours) => onChange({ ...times, quiet: [...hours] })}
        problem={problem}
      />
    </>
  );
}

const DAYS: readonly (readonly [Every, string])[] = [
  ['day', 'every day'],
  ['mon', 'on Mondays'],
  ['tue', 'on Tuesdays'],
  ['wed', 'on Wednesdays'],
  ['thu', 'on Thursdays'],
  ['fri', 'on Fridays'],
  ['sat', 'on Saturdays'],
  ['sun', 'on Sundays'],
];

/** Converts a list to the values of the fields. */
export function timesOf({ timeZone = '', quiet = [], report }: ReadList): ListTimes {
  return { timeZone, quiet, report };
}

/** Converts the values of the fields to members of a list. */
export function membersOf({ timeZone, quiet, report }: ListTimes) {
  return {
    ...(timeZone.trim() === '' ? {} : { timeZone: timeZone.trim() }),
    ...(quiet.length === 0 ? {} : { quiet }),
    ...(report === undefined ? {} : { report }),
  };
}

/** Whether the field of a member shows the member's error itself. */
export function isBeside(pointer: string): boolean {
  return /^\/(wallet|escalate\/(after|to)|timeZone|report\/at|quiet|quiet\/\d+\/(from|to))$/.test(
    pointer,
  );
}
