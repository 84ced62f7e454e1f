import { correction, generate } from 'lean-qr';
import { toSvgPath } from 'lean-qr/extras/svg';

/** A QR code: its modules as an SVG path, and the number of modules per side. */
export type QrCode = { readonly path: string; readonly size: number };

export function drawQrCode(text: string): QrCode {
  const code = generate(text, { minCorrectionLevel: correction.M });
  return { path: toSvgPath(code), size: code.size };
}
