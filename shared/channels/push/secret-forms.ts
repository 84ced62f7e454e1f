/** The path of each push service, on whatever host; Apple's has only its host. */
export const pushSecrets = [
  // The secret "auth" has only its length, and no word of 22 letters is like it.
  /(?<![\w-])(?=[\w-]{0,21}[A-Z])(?=[\w-]{0,21}[a-z])(?=[\w-]{0,21}[\d_-])[\w-]{22}(?![\w-])/,
  /(?<=\/fcm\/send\/|\/wp\/|\/wpush\/v\d\/|push\.apple\.com\/|\/w\/\?token=)[\w:%=-]{10,}/,
];
