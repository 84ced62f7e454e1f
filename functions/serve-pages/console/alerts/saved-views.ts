import { signal } from '@preact/signals';
import * as z from 'zod/mini';
import { ownKey } from '#console/interface/own-key.ts';
import { storageOfSession } from '#console/interface/session.ts';
import { linkWith } from '#console/shell/place.ts';
import { type EpisodeFilter, filterOf } from './episode-filters.tsx';

// By default Zod compiles code at runtime, which the content security policy forbids and reports.
z.config({ jitless: true });

export const LONGEST_NAME = 60;
const MOST_VIEWS = 30;

/** A named filter of the alerts. */
export type SavedView = { readonly name: string; readonly filter: EpisodeFilter };

const StoredView = z.object({
  name: z.string().check(z.minLength(1), z.maxLength(LONGEST_NAME)),
  filter: z.record(z.string(), z.string()),
});
const StoredViews = z.array(z.unknown());

/**
 * Number of changes made in this tab. Components depend on it, so each change renders them again.
 */
const changed = signal(0);

/** The views of the tenant in the order in which they were saved, without malformed entries. */
export function savedViews(): readonly SavedView[] {
  void changed.value;
  const name = storageName();
  return name === undefined ? [] : readViews(storageOfSession().getItem(name));
}

function readViews(text: string | null): readonly SavedView[] {
  const views = StoredViews.safeParse(parsed(text));
  if (!views.success) return [];
  return views.data.flatMap((view) => {
    const read = StoredView.safeParse(view);
    if (!read.success) return [];
    const filter = filterOf(read.data.filter);
    return isEmpty(filter) ? [] : [{ name: read.data.name, filter }];
  });
}

/**
 * Saves a view, and replaces a view of the same name. If there are more than 30, drops the oldest.
 */
export function saveView(view: SavedView): void {
  write([...savedViews().filter(({ name }) => name !== view.name), view].slice(-MOST_VIEWS));
}

export function deleteView(name: string): void {
  write(savedViews().filter((view) => view.name !== name));
}

/** The address of the alerts page with this filter. */
export function linkToView(filter: EpisodeFilter): string {
  return linkWith(filter, 'alerts');
}

export function isSameFilter(one: EpisodeFilter, other: EpisodeFilter): boolean {
  return linkToView(one) === linkToView(other);
}

export function isEmpty(filter: EpisodeFilter): boolean {
  return isSameFilter(filter, filterOf({}));
}

/** Stores the views of the tenant. */
function write(views: readonly SavedView[]): void {
  const name = storageName();
  if (name === undefined) return;
  storageOfSession().setItem(name, JSON.stringify(views));
  changed.value += 1;
}

/** The storage key of the views, or undefined until the tenant is known. */
function storageName(): string | undefined {
  const tenant = ownKey.value?.tenant;
  return tenant === undefined ? undefined : `floorwatch-views-${tenant}`;
}

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? '[]');
  } catch {
    return undefined;
  }
}
