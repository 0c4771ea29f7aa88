import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { builtModule } from '../core/built-module.ts'
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

/** A page of text with a marked passage. Its colours work on light and dark backgrounds. */
const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="8" fill="#3f5bd9"/>
<rect x="8" y="8.5" width="16" height="2.6" rx="1.3" fill="#fff" opacity=".55"/>
<rect x="8" y="14.7" width="11" height="2.6" rx="1.3" fill="#fff"/>
<rect x="8" y="20.9" width="16" height="2.6" rx="1.3" fill="#fff" opacity=".55"/>
<circle cx="22.7" cy="16" r="2.3" fill="#ffd166"/>
</svg>
`

/** The build bundles the script into one file (scripts/bundle-script.mjs). */
const SCRIPT = readFileSync(builtModule(new URL('./script/main.ts', import.meta.url)), 'utf8')

export const ASSETS = {
  'style.css': asset('text/css; charset=utf-8', STYLE),
  'script.js': asset('text/javascript; charset=utf-8', SCRIPT),
  'logo.svg': asset('image/svg+xml', LOGO),
} as const satisfies Record<string, Asset>

export function assetUrl(name: keyof typeof ASSETS): string {
  return `/assets/${name}?v=${ASSETS[name].hash}`
}
