import type { ComponentChildren } from 'preact';
import type { Report } from '#console/interface/act-on-each.ts';

type FailedProps = { readonly report: Report; readonly children?: ComponentChildren };

/** The failures of an action, with their reasons. */
export function FailedActions({ report, children }: FailedProps) {
  return (
    <div class="notice bad stack" role="alert">
      <p>
        {report.done} succeeded, {report.failed.length} failed:
      </p>
      <ul>
        {report.failed.map(({ title, reason }) => (
          <li key={title}>
            <strong>{title}</strong>: {reason}
          </li>
        ))}
      </ul>
      {children}
    </div>
  );
}
