import { JSDOM, VirtualConsole } from 'jsdom';
import { render } from 'preact';
import { afterEach, expect, vi } from 'vitest';
import { type fakeInterface, KEY } from './fake-interface.ts';

/** Entries of a browser storage. */
type Kept = Readonly<Record<string, string>>;

type Opened = {
  /** The fragment of the address. */
  readonly hash?: string;
  /** Entries of the session storage and of the local storage. */
  readonly tab?: Kept;
  readonly device?: Kept;
  /** Adds features that jsdom lacks. */
  readonly equip?: (window: JSDOM['window']) => void;
};

/** The name of the storage entry that holds the key. */
export const STORED = 'floorwatch-key';

const NOW = Date.parse('2026-11-21T12:05:00.000Z');
/** Milliseconds after which pending component effects have run. */
const FRAME = 100;

const endings: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0)) await end();
});

/** Opens the console in a new tab, by default with a signed-in session. */
export async function openTab(
  backend: ReturnType<typeof fakeInterface>,
  { hash = '', tab = { [STORED]: KEY }, device = {}, equip }: Opened = {},
) {
  const troubles: string[] = [];
  const virtualConsole = new VirtualConsole().on('jsdomError', ({ message }) => {
    troubles.push(message);
  });
  const url = `https://floorwatch.example/prod/app${hash}`;
  vi.useFakeTimers({ now: NOW, toFake: FAKED });
  const { window } = new JSDOM('<div id="console"></div>', {
    url,
    virtualConsole,
    pretendToBeVisual: true,
  });
  const { document, sessionStorage, localStorage } = window;
  window.scrollTo = () => undefined;
  equip?.(window);
  for (const [name, value] of Object.entries(tab)) sessionStorage.setItem(name, value);
  for (const [name, value] of Object.entries(device)) localStorage.setItem(name, value);
  const files = keepFiles(window);
  vi.stubGlobal('window', window);
  for (const name of OF_WINDOW) vi.stubGlobal(name, window[name]);
  vi.stubGlobal('fetch', backend.fetch);
  vi.stubGlobal('IntersectionObserver', Seen);
  vi.stubGlobal('matchMedia', () => new EventTarget());
  vi.resetModules();
  endings.push(async () => {
    // Preact has one queue of effects, so a pending effect would block the effects of the next tab.
    if (vi.isFakeTimers()) await vi.advanceTimersByTimeAsync(FRAME);
    const root = document.getElementById('console');
    if (root !== null) render(null, root);
    window.close();
    vi.useRealTimers();
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
    expect(troubles).toEqual([]);
  });
  await import('#console/main.tsx');
  // The console loads this module after two seconds, but the tests need it immediately.
  await import('#console/shell/other-page.tsx');

  /** Advances virtual time, and runs effects and dynamic imports. */
  const pass = async (milliseconds: number) => {
    for (const time of [milliseconds, FRAME]) {
      await vi.advanceTimersByTimeAsync(time);
      await vi.dynamicImportSettled();
    }
  };
  await pass(FRAME);

  const wordsOf = (element: Element) =>
    (element.getAttribute('aria-label') ?? element.textContent).replaceAll(/\s+/g, ' ').trim();
  /** The text of a label without the text of fields inside it. */
  const nameOf = (label: HTMLLabelElement) => {
    const copy = label.cloneNode(true) as HTMLLabelElement;
    for (const inner of copy.querySelectorAll('select, input')) inner.remove();
    return wordsOf(copy);
  };
  const is = (words: string, name: string | RegExp) =>
    typeof name === 'string' ? words === name : name.test(words);
  const all = (selector: string, name: string | RegExp) =>
    [...document.querySelectorAll<HTMLElement>(selector)].filter((one) => is(wordsOf(one), name));
  const one = (selector: string, name: string | RegExp): HTMLElement => {
    const [found] = all(selector, name);
    if (found === undefined) throw new Error(`there is no ${name} in: ${document.body.innerHTML}`);
    return found;
  };
  const controlOf = (label: string | RegExp) => {
    const labels = [...document.querySelectorAll('label')].filter((one) => is(nameOf(one), label));
    const [found] = [...labels.map(({ control }) => control), ...all('input, select', label)];
    if (found == null) throw new Error(`no field is called ${label}: ${document.body.innerHTML}`);
    return found as HTMLInputElement | HTMLSelectElement;
  };
  const given = async (control: HTMLElement, ...events: readonly string[]) => {
    for (const event of events) control.dispatchEvent(new window.Event(event, { bubbles: true }));
    await pass(0);
  };

  return {
    window,
    pass,
    /** The text of the page, with single spaces. */
    text: () => document.body.textContent.replaceAll(/\s+/g, ' '),
    textsOf: (selector: string) => [...document.querySelectorAll(selector)].map(wordsOf),
    has: (button: string | RegExp) => all('button, a', button).length > 0,
    /** The downloaded files, with their contents. */
    files: async () =>
      await Promise.all(files.map(async ({ name, blob }) => ({ name, text: await blob.text() }))),
    address: () => `${window.location.pathname}${window.location.hash}`,
    keptInTab: (): Kept => ({ ...sessionStorage }),
    keptOnDevice: (): Kept => ({ ...localStorage }),
    /** Opens a link that differs only in its fragment, so the page is not reloaded. */
    open: async (to: string) => {
      window.location.hash = to;
      await pass(0);
    },
    back: async () => {
      window.history.back();
      await pass(0);
    },
    click: async (name: string | RegExp) => {
      one('button, a', name).click();
      await pass(0);
    },
    valueOf: (label: string | RegExp) => controlOf(label).value,
    type: async (label: string | RegExp, text: string) => {
      const control = controlOf(label);
      control.value = text;
      await given(control, 'input', 'change');
    },
    /** Moves the focus out of a field. */
    leave: async (label: string | RegExp) => {
      await given(controlOf(label), 'blur');
    },
    choose: async (label: string | RegExp, option: string) => {
      const control = controlOf(label);
      const found = [...control.querySelectorAll('option')].find((one) => is(wordsOf(one), option));
      if (found === undefined) throw new Error(`${label} offers no ${option}`);
      control.value = found.value;
      await given(control, 'change');
    },
    /** Presses keys on the element that has the focus. */
    press: async (...keys: readonly string[]) => {
      for (const key of keys) {
        const target = document.activeElement ?? document.body;
        target.dispatchEvent(
          new window.KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }),
        );
        await pass(0);
      }
    },
    check: async (label: string | RegExp) => {
      controlOf(label).click();
      await pass(0);
    },
    /** Hides or shows the tab. */
    look: async (isSeen: boolean) => {
      Object.defineProperty(document, 'hidden', { value: !isSeen, configurable: true });
      await given(document.documentElement, 'visibilitychange');
    },
  };
}

/** Adds modal dialogs, which jsdom lacks. */
export function modalDialogs(window: JSDOM['window']): void {
  Object.assign(window.HTMLDialogElement.prototype, {
    showModal(this: HTMLDialogElement) {
      this.open = true;
      this.querySelector<HTMLElement>('button, input')?.focus();
    },
    close(this: HTMLDialogElement) {
      this.open = false;
      this.dispatchEvent(new window.Event('close'));
    },
  });
  window.HTMLElement.prototype.scrollIntoView = () => undefined;
}

export type Tab = Awaited<ReturnType<typeof openTab>>;

const FAKED: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] = [
  ...(['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] as const),
];

/** Globals that the console uses. */
const OF_WINDOW = [
  ...(['document', 'location', 'history', 'navigator', 'sessionStorage', 'localStorage'] as const),
  ...(['DOMParser', 'HTMLAnchorElement', 'getComputedStyle'] as const),
];

/** Records downloads: clicks on links to blobs. */
function keepFiles({ HTMLAnchorElement, HTMLElement }: Tab['window']) {
  const blobs = new Map<string, Blob>();
  const files: { readonly name: string; readonly blob: Blob }[] = [];
  vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
    const url = `blob:${blobs.size}`;
    if (blob instanceof Blob) blobs.set(url, blob);
    return url;
  });
  HTMLAnchorElement.prototype.click = function click(this: HTMLAnchorElement) {
    const blob = blobs.get(this.href);
    if (blob === undefined) HTMLElement.prototype.click.call(this);
    else files.push({ name: this.download, blob });
  };
  return files;
}

/** An observer that reports every element as visible. */
class Seen {
  constructor(onSight: (entries: readonly { readonly isIntersecting: boolean }[]) => void) {
    queueMicrotask(() => onSight([{ isIntersecting: true }]));
  }
  observe(): void {}
  disconnect(): void {}
}
