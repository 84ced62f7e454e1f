import { useState } from 'preact/hooks';
import { TextField } from '#console/form/fields.tsx';
import { FormProblem, problemAt, problemOf } from '#console/form/problems.tsx';
import { refreshAll } from '#console/interface/follow.ts';
import { announce } from '#console/shell/announcements.tsx';
import type { Problem } from '#shared/http/answer-shapes.ts';
import type { Channels } from './channel-requests.ts';

type ConfirmEmailProps = { readonly channels: Channels; readonly channel: string };

/** Confirms an email address with the link from the confirmation email that AWS sent. */
export function ConfirmEmail({ channels, channel }: ConfirmEmailProps) {
  const [link, setLink] = useState('');
  const [problem, setProblem] = useState<Problem>();
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const outcome = await channels.confirm(channel, link.trim());
    setProblem(problemOf(outcome, 'Not confirmed'));
    if (outcome.kind === 'answered') announce(`The channel “${channel}” is confirmed.`);
    refreshAll();
  };
  return (
    <form class="stack" onSubmit={(event) => void submit(event)}>
      <div class="row">
        <TextField
          label="Link from the email “Subscription Confirmation”"
          placeholder="https://sns…/confirmation.html?…"
          value={link}
          onValue={setLink}
          problem={problemAt(problem, '/link')}
        />
        <button type="submit" disabled={link.trim() === ''}>
          Confirm
        </button>
      </div>
      <FormProblem problem={problem} beside={['/link']} />
    </form>
  );
}
