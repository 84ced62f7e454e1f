/** A private key for Web Push, only for tests. */
export const PUSH_KEY = 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw';

/** The signing settings of a test stage for push services. */
export const VAPID = {
  readKey: async () => PUSH_KEY,
  contact: 'https://api.example.com/prod/v1/',
};
