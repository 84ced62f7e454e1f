/** Thrown if a key cannot be created, replaced or revoked; nothing was changed. */
export class KeyError extends Error {
  override readonly name = 'KeyError';
  readonly code: 'quota_exceeded' | 'gone' | 'conflict';

  constructor(message: string, code: KeyError['code']) {
    super(message);
    this.code = code;
  }
}
