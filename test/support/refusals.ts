/** The page with which the firewall of a service rejects a request. */
export const FIREWALL_PAGE = `<!DOCTYPE html>
<html lang="en-US"><head><title>Attention Required! | Cloudflare</title></head>
<body><h1>Sorry, you have been blocked</h1>
<p>Your API key and your plan do not matter: the monthly limit of this page is none.</p></body></html>`;

/** Alchemy's message when the compute units of the month are used up, with 403 or 429. */
export const MONTHLY_CAPACITY =
  'Monthly capacity limit exceeded. Visit https://dashboard.alchemy.com/settings/billing to upgrade your scaling policy for continued service.';

/** Alchemy's message when requests come too fast, which means throttling. */
export const PER_SECOND_CAPACITY =
  'Your app has exceeded its compute units per second capacity. If you have retries enabled, you can safely ignore this message.';
