import type { IncomingHttpHeaders } from 'node:http';

/** The answer of a firewall such as Cloudflare's to a request without a user agent. */
const BLOCKED = { status: 403, body: '<html><h1>Access denied</h1>error code: 1010</html>' };

/** Rejects a request without a user agent, like the firewalls of the real services. */
export function withoutUserAgent(headers: IncomingHttpHeaders): typeof BLOCKED | undefined {
  return headers['user-agent'] === undefined ? BLOCKED : undefined;
}
