import { createHash } from 'node:crypto'
import { LOGO } from './logo.ts'
import { STYLE } from './style.ts'

/** A file that the pages use, served at `/assets/<name>`. */
export interface Asset {
  type: string
  body: string
  /** Hash of the content. It is part of the file's address, so browsers can cache the file forever. */
  hash: string
}

function asset(type: string, body: string): Asset {
  return { type, body, hash: createHash('sha256').update(body).digest('hex').slice(0, 16) }
}

export const ASSETS = {
  'style.css': asset('text/css; charset=utf-8', STYLE),
  'logo.svg': asset('image/svg+xml', LOGO),
} as const satisfies Record<string, Asset>

export function assetUrl(name: keyof typeof ASSETS): string {
  return `/assets/${name}?v=${ASSETS[name].hash}`
}
