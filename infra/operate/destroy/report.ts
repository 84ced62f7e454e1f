import type { Printer } from '#infra/command-line/printer.ts';
import type { Identity } from '#infra/operate/account/identify.ts';
import { isNothing, type Left, type StageParts, type Step } from './destroy-stage.ts';

/** The output of `npm run destroy`. */
export type Report = {
  readonly account: (identity: Identity) => void;
  readonly found: (stage: string, remains: StageParts) => void;
  readonly step: (step: Step) => void;
  readonly left: (stage: string, left: Left) => void;
};

/** JSON lines, for programs. */
export function reportInJson({ line }: Printer): Report {
  return {
    account: (identity) => line({ event: 'account', ...identity }),
    found: (stage, { stack, ...remains }) =>
      line({ event: 'found', stage, stack: stack?.status ?? null, ...remains }),
    step: (step) => line({ event: 'step', step }),
    left: (stage, left) => line({ event: 'left', stage, ...left }),
  };
}

/** Plain text, for people. */
export function reportInWords({ write }: Printer): Report {
  const row = (what: string, reported: string) => write(`  ${what.padEnd(10)}${reported}\n`);
  let dots = 0;
  return {
    account: ({ account, region, arn }) =>
      write(`You are ${arn}, in ${region} of the account ${account}.\n\n`),

    found: (stage, remains) => {
      const { stack, topics, secrets, hasSettings, retainsData } = remains;
      if (isNothing(remains)) return write(`Nothing exists of the stage ${stage}.\n`);
      write(`The stage ${stage} consists of:\n\n`);
      const table = retainsData ? 'its table stays' : 'deleted with its table and all data';
      row('stack', stack ? `floorwatch-${stage}, ${stack.status}; ${table}` : 'none');
      row('topics', `${topics.length} of lists`);
      row('secrets', secrets.join(', ') || 'none');
      row('settings', hasSettings ? 'a file' : 'none');
      write('\n');
    },

    step: (step) => {
      if (step === 'still deleting') {
        dots += 1;
        // A check every 5 s: 12 dots make a line for each minute.
        write(dots % 12 === 0 ? '.\n' : '.');
        return;
      }
      write(`${dots % 12 === 0 ? '' : '\n'}${STEPS[step]}\n`);
      dots = 0;
    },

    left: (stage, { resources, secrets }) => {
      write(`\nThe stage ${stage} is deleted. These stay:\n\n`);
      for (const { type, id } of resources) row(type, id);
      for (const name of secrets) row('secret', name);
      row('CDK', 'its bucket and roles in this account and region; other stacks may need them');
    },
  };
}

const STEPS = {
  stack: 'Deleting the stack; this takes some minutes',
  topics: 'Deleting the topics of lists',
  secrets: 'Deleting the secrets',
  settings: 'Removing the settings',
} satisfies Record<Exclude<Step, 'still deleting'>, string>;
