import * as z from 'zod';

/** Text that is JSON, read. */
export const JsonText = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    context.issues.push({ code: 'custom', input: text, message: 'expected JSON' });
    return z.NEVER;
  }
});
