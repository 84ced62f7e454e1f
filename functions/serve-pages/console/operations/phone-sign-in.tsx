import { useEffect, useState } from 'preact/hooks';
import { problemOf } from '#console/form/problems.tsx';
import { ask } from '#console/interface/ask.ts';
import { clock } from '#console/interface/connection.ts';
import type { Answer } from '#console/interface/operations.ts';
import { ProblemNotice } from '#console/words/problem-notice.tsx';
import { span } from '#console/words/times.ts';
import type { Problem } from '#shared/http/answer-shapes.ts';
import { CopiedField } from './copied-field.tsx';
import type { QrCode } from './draw-qr-code.ts';

/** Creates a link that signs in another device with the scopes of the session's key. */
export function PhoneSignIn() {
  const [made, setMade] = useState<Answer<'POST /v1/sign-ins'>>();
  const [problem, setProblem] = useState<Problem>();
  const [isBusy, setBusy] = useState(false);
  const make = async () => {
    setBusy(true);
    const outcome = await ask('POST /v1/sign-ins');
    setBusy(false);
    setProblem(problemOf(outcome, 'No link was created'));
    if (outcome.kind === 'answered') setMade(outcome.answer);
  };
  return (
    <section class="panel stack" aria-label="Sign in on a phone">
      <h2>Sign in on a phone</h2>
      <p class="small">
        A link signs in one device. The device gets its own key with the scopes of your key, and
        remembers that key until somebody signs out on the device. If your key expires or is
        revoked, the device is signed out, too.
      </p>
      <ProblemNotice problem={problem} />
      {made !== undefined && <SignInLink made={made} />}
      <div class="row actions">
        <button type="button" disabled={isBusy} onClick={() => void make()}>
          {made === undefined ? 'Create a link' : 'Create a new link'}
        </button>
        {made !== undefined && (
          <button type="button" class="plain" onClick={() => setMade(undefined)}>
            Done
          </button>
        )}
      </div>
    </section>
  );
}

function SignInLink({ made: { code, expiresAt } }: { readonly made: Answer<'POST /v1/sign-ins'> }) {
  const left = Date.parse(expiresAt) - clock.value;
  if (left <= 0) return <p role="status">The link has expired. Create a new one.</p>;
  const link = `${location.origin}${location.pathname}#sign-in=${code}`;
  return (
    <>
      <LinkPicture key={link} link={link} />
      <div class="row">
        <CopiedField label="Link" value={link} />
      </div>
      <p class="small">
        The link works once and expires in {span(left)}. If you create a new link, this one stops
        working. To sign in with a phone’s browser, scan the code with the phone’s camera. To sign
        in to an installed app, send the link to the phone and paste it where the app asks for a
        key.
      </p>
    </>
  );
}

/** Width, in modules, of the light margin that scanners need. */
const MARGIN = 4;

/** The link as a QR code: dark on light in both themes, as scanners expect. */
function LinkPicture({ link }: { readonly link: string }) {
  const [code, setCode] = useState<QrCode>();
  useEffect(() => {
    // Few people create a link, so the QR code library is loaded on demand. If loading fails, the
    // link is shown without a QR code.
    import('./draw-qr-code.ts').then(
      ({ drawQrCode }) => setCode(drawQrCode(link)),
      () => undefined,
    );
  }, [link]);
  if (code === undefined) return null;
  const side = code.size + 2 * MARGIN;
  return (
    <svg
      class="qr-code"
      viewBox={`${-MARGIN} ${-MARGIN} ${side} ${side}`}
      role="img"
      aria-label="QR code of the link"
      shape-rendering="crispEdges"
    >
      <path d={code.path} />
    </svg>
  );
}
