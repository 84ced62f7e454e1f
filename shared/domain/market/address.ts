/** The pattern of an address: of a contract, or of a wallet. */
export const ADDRESS = '0x[0-9a-fA-F]{40}';
