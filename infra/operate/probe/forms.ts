/** The form of a JSON value: a test, and its name for people. */
export type Form = { readonly name: string; readonly accepts: (value: unknown) => boolean };

const textOf = (name: string, pattern: RegExp): Form => ({
  name,
  accepts: (value) => typeof value === 'string' && pattern.test(value),
});

export const TEXT = textOf('text', /./);
export const DIGITS = textOf('string of digits', /^\d{1,78}$/);
export const DECIMAL_TEXT = textOf('decimal string', /^\d+(\.\d+)?$/);
export const HEX = textOf('hex string', /^0x[0-9a-fA-F]*$/);
export const TIME_TEXT = textOf('ISO 8601 time string', /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/);
export const NUMBER: Form = { name: 'number', accepts: (value) => typeof value === 'number' };
export const WHOLE_NUMBER: Form = {
  name: 'whole number',
  accepts: (value) => typeof value === 'number' && Number.isInteger(value),
};
/** Ten or eleven digits: a timestamp in milliseconds has thirteen. */
export const SECONDS: Form = {
  name: 'seconds since 1970',
  accepts: (value) => typeof value === 'number' && value >= 1e9 && value < 1e11,
};
export const LIST: Form = { name: 'list', accepts: Array.isArray };

/** Names the form of a value. Reports show the form instead of the value, which may be a secret. */
export function describeForm(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'number') {
    return Number.isInteger(value)
      ? `whole number with ${Math.abs(value).toFixed(0).length} digits`
      : 'number with a fraction';
  }
  if (typeof value !== 'string') return typeof value;
  const form = [DIGITS, DECIMAL_TEXT, HEX, TIME_TEXT].find(({ accepts }) => accepts(value));
  return form?.name ?? (value === '' ? 'empty text' : 'text');
}

/**
 * The values at a path such as `asset_events[].payment.quantity`, one for each object in which the
 * last member is expected; `[]` selects each element of a list.
 */
export function valuesAt(root: unknown, path: string): readonly Found[] {
  const steps = path.split('.').flatMap((step) => {
    const [, name = '', lists = ''] = /^(.*?)((?:\[\])*)$/.exec(step) ?? [];
    return [...(name === '' ? [] : [name]), ...(lists.match(/\[\]/g) ?? [])];
  });
  let found: readonly Found[] = [{ value: root, siblings: [] }];
  for (const step of steps) {
    found = found.flatMap(({ value }): readonly Found[] => {
      if (step === '[]') {
        return Array.isArray(value) ? value.map((one) => ({ value: one, siblings: [] })) : [];
      }
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
      const members = new Map<string, unknown>(Object.entries(value));
      return [{ value: members.get(step), siblings: [...members.keys()] }];
    });
  }
  return found;
}

/** A value (undefined for a missing member), with the names of all members of its object. */
type Found = { readonly value: unknown; readonly siblings: readonly string[] };
