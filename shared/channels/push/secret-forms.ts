/**
 * The secret path at each push service, on any host. Apple's paths are recognized only by their
 * host.
 */
export const pushSecrets = [
  // The secret "auth" is recognized by its length and its mix of characters, which no word of 22
  // letters has.
  /(?<![\w-])(?=[\w-]{0,21}[A-Z])(?=[\w-]{0,21}[a-z])(?=[\w-]{0,21}[\d_-])[\w-]{22}(?![\w-])/,
  /(?<=\/fcm\/send\/|\/wp\/|\/wpush\/v\d\/|push\.apple\.com\/|\/w\/\?token=)[\w:%=-]{10,}/,
];
