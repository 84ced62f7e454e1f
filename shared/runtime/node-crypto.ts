/**
 * Node's cryptography, loaded at its first use. Loading takes an eighth of the cold start of a
 * function that serves files, and that function does not need it.
 */
export const nodeCrypto = () => process.getBuiltinModule('node:crypto');
