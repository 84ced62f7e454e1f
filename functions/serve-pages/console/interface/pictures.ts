import { addressOf } from './ask.ts';
import { apiKey } from './session.ts';

/** The pictures that were loaded since the page was opened. Browsers also cache them for a day. */
const known = new Map<string, Promise<string | undefined>>();

/** The picture of a collection as an object URL. Undefined if it is missing or cannot be loaded. */
export function loadPicture(contract: string): Promise<string | undefined> {
  const key = apiKey.peek() ?? '';
  const name = `${key} ${contract}`;
  const found = known.get(name) ?? read(contract, key);
  known.set(name, found);
  return found;
}

async function read(contract: string, key: string): Promise<string | undefined> {
  try {
    const url = addressOf('/v1/contracts/{contract}/picture', { contract });
    const response = await fetch(url, { headers: { 'X-API-Key': key } });
    return response.ok ? URL.createObjectURL(await response.blob()) : undefined;
  } catch {
    // The initials of the collection are shown instead.
    return undefined;
  }
}
