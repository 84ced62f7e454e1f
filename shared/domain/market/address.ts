/** The pattern of the address of a contract or wallet. */
export const ADDRESS = '0x[0-9a-fA-F]{40}';
