import { addressOf } from './ask.ts';
import { apiKey } from './session.ts';

/** What is read of pictures as long as the page is open; browsers keep them for a day besides. */
const known = new Map<string, Promise<string | undefined>>();

/** The picture of a collection, as an address within this page; undefined where there is none now. */
export function pictureOf(contract: string): Promise<string | undefined> {
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
    // Its initials stand for it.
    return undefined;
  }
}
