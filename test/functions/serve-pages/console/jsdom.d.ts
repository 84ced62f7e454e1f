declare module 'jsdom' {
  export class VirtualConsole {
    on(event: 'jsdomError', listener: (error: Error) => void): this;
  }

  /** A window with a document, without layout or rendering. */
  export class JSDOM {
    constructor(
      html: string,
      options: {
        readonly url: string;
        readonly virtualConsole: VirtualConsole;
        /** Sets `document.hidden` to false. */
        readonly pretendToBeVisual: boolean;
      },
    );
    readonly window: Window & typeof globalThis;
  }
}
