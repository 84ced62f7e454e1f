/** A private key for Web Push, of nobody. */
export const PUSH_KEY = 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw';

/** What the stage of a test signs its requests to push services with. */
export const VAPID = {
  readKey: async () => PUSH_KEY,
  contact: 'https://api.example.com/prod/v1/',
};
