/** Thrown when a key cannot be made, replaced or ended; nothing was changed. */
export class KeyError extends Error {
  override readonly name = 'KeyError';
  readonly code: 'quota_exceeded' | 'gone' | 'conflict';

  constructor(message: string, code: KeyError['code']) {
    super(message);
    this.code = code;
  }
}
