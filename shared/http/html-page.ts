import type { APIGatewayProxyResult } from 'aws-lambda';
import { html, type Markup } from '#shared/domain/markup.ts';
import { nodeCrypto } from '#shared/runtime/node-crypto.ts';
import { rawAnswer } from './answer.ts';

/**
 * A public page, which anybody with its URL can open. The headers forbid scripts, resources of
 * other hosts, framing, caching and referrers.
 */
export function pageAnswer(status: number, title: string, main: Markup): APIGatewayProxyResult {
  const { markup } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · floorwatch</title>
<style>${{ markup: STYLE }}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${main}
</main>
</body>
</html>
`;
  return rawAnswer(status, markup, headers());
}

const STYLE = `
:root { color-scheme: light dark; font: 1.0625rem/1.5 system-ui, sans-serif; }
body { margin: 0; padding: 1.25rem; }
main { max-width: 34rem; margin: 0 auto; overflow-wrap: anywhere; }
h1 { font-size: 1.375rem; line-height: 1.25; margin: 0.5rem 0 1rem; }
blockquote { margin: 0 0 1rem; padding: 0.75rem 1rem; border-left: 0.25rem solid #1976d2;
  background: light-dark(#eef2f7, #1d2530); border-radius: 0.25rem; }
form { margin: 1.5rem 0; display: grid; gap: 0.5rem; }
input, button { font: inherit; padding: 0.75rem; border-radius: 0.375rem; min-width: 0; }
input { border: 1px solid light-dark(#767676, #8a8f98); background: Canvas; color: CanvasText; }
button { margin-top: 0.5rem; border: 0; background: #1559a6; color: #fff; font-weight: 600; cursor: pointer; }
:focus-visible { outline: 0.1875rem solid light-dark(#b35900, #ffb454); outline-offset: 0.125rem; }
nav ul { list-style: none; padding: 0; margin: 0.25rem 0; }
nav a { display: inline-block; padding: 0.5rem 0; }
img { max-width: 100%; height: auto; border-radius: 0.25rem; }
small { color: light-dark(#4a5058, #b4bac4); }
`;

const headers = () => ({
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': [
    "default-src 'none'",
    `style-src 'sha256-${nodeCrypto().createHash('sha256').update(STYLE).digest('base64')}'`,
    "form-action 'self'",
    "img-src 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'X-Robots-Tag': 'noindex, nofollow',
});
