import type { Item } from '#shared/stores/table.ts';
import type { Written } from '#test/simulation/services/faulty-table.ts';
import { listDocument } from './documents.ts';

export type KeyedRequestInvariants = {
  /**
   * Called when a client sends a request for the first time. The mark becomes the name of the list
   * or the label of the rule.
   */
  readonly sent: (mark: string) => void;
  readonly repeated: () => void;
  /** Called when a request receives its final answer. */
  readonly answered: (mark: string, status: number, location: string) => void;
  readonly listWritten: (written: Written) => void;
  readonly atRest: (items: readonly Item[]) => void;
};

type World = {
  readonly broken: (invariant: string, what: string) => void;
  readonly met: (what: string) => void;
};

/** Checks that a request with an `Idempotency-Key` makes its list or rule once. */
export function createKeyedRequestInvariants({ broken, met }: World): KeyedRequestInvariants {
  /** Paths of all lists and rules that each request made, also of those deleted later. */
  const made = new Map<string, Set<string>>();
  const answered = new Set<string>();

  const note = (mark: string | undefined, path: string) => {
    const paths = made.get(mark ?? '');
    if (paths === undefined || paths.has(path)) return;
    paths.add(path);
    if (paths.size > 1) {
      broken('a keyed request makes one list or rule', `${mark}: ${[...paths].join(', ')}`);
    }
  };

  return {
    sent: (mark) => {
      made.set(mark, new Set());
      met('keyed request');
    },

    repeated: () => met('keyed request repeated'),

    answered: (mark, status, location) => {
      const paths = [...(made.get(mark) ?? [])];
      if (!answered.has(mark)) met(`keyed request ${status < 300 ? 'made' : 'refused'}`);
      answered.add(mark);
      if (status < 300) {
        if (paths.some((path) => location.endsWith(path))) return;
        broken('a request answered with 2xx has made its list or rule', `${mark}: ${location}`);
        return;
      }
      // People may delete the list to which a program adds a rule, but they do not delete the lists
      // that programs make.
      const path = paths.find((one) => status === 409 || !one.includes('/rules/'));
      if (path !== undefined) broken('a refused request has made nothing', `${mark}: ${path}`);
    },

    listWritten: ({ key: { sk }, after }) => {
      if (after === undefined) return;
      const path = `/v1/watchlists/${sk.slice('LIST#'.length)}`;
      const { name, rules } = listDocument(after);
      note(name, path);
      for (const { id, label } of rules) note(label, `${path}/rules/${id}`);
    },

    atRest: (items) => {
      const names = items
        .filter(({ sk }) => sk.startsWith('LIST#'))
        .map((item) => listDocument(item).name);
      for (const [mark, paths] of made) {
        if (!answered.has(mark)) broken('each keyed request is answered', mark);
        const isOfList = [...paths].some((path) => !path.includes('/rules/'));
        if (isOfList && !names.includes(mark)) broken('a created list stays', mark);
      }
    },
  };
}
