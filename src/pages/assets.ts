import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { builtModule } from '../core/built-module.ts'
import { paths } from './paths.ts'
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

/**
 * The logo as an icon with 16 and 32 pixels, for browsers and programs that ask for `/favicon.ico` and don't read SVG. Each size is a
 * PNG of the logo.
 */
export const FAVICON = Buffer.from(
  'AAABAAIAEBAAAAEAIAB+AQAAJgAAACAgAAABACAAsgIAAKQBAACJUE5HDQoaCgAAAA1JSERSAAAAEAAAABAIBgAAAB/z/2EAAAEzSURBVHicnJMxSwMxGIbfxFCKPWmFgxu6OegVdydFcVVBcZKu/gXR2Un/g6sILop0FkS7uDmIPQf/gIqnvXLCcYlfHLTXy7Ul75S8yfMm4csnQFpsPq9zyAMGNk/TGoYrVFCPEvzo7nS2xZZ2gk3OcQELSYktQfA+LKVZDoUGbEWsAEO131tZcFCdmjDuD7spbu6jf4NYMbjp4ytFFEtjQJKonJcLeOjERrgkEtSnQxq5v0cXBuzteqh7pb+5PvPk/BXbfgurjQCHV2u47vjFAUqZjfdeBWnKEcaTmWW23AzyDyuQ60R4i5yMl7uBP1OGU+HGgG6vTAHfwwM8V6BWUEZdoeAFAwEKn/1/IVPnUSKWE/wEWxHLqSGOYSnN8tuzucsUbINatE1eOAan27mtGc3+AAAA//8kc1pmAAAABklEQVQDAB5eZfjLaq20AAAAAElFTkSuQmCCiVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAYAAABzenr0AAACZ0lEQVR4nMyXS2gTURSG/3MnmVZjLGrrAzVobU3NJkURNEoVFHfuK5XaLrsWl1V052PnQigWRaIgXak7F9KHgohisqmEllYiUm2jUDVqMp053ptCkYBzm9fEbzHPc+f/5547czg+FHG8Z+qQw04/CPsIHAFoEyqCvzBoUu4nBYy7o/fbX/59l1aE+2YbbSt3WTCdl1cN1AKGLc3cyK5rH3wzRNaKgaNnU1GD+aE8DcMbkjbh3PN4OCnUmXDojIfiiuiyplTt6p6OwbAn5FQIeAgDjkPYL9fFUq/X4gqlKZgHfPKwE/WC0SFIblAnCNThk9smt6CtLX5s3+wHlZgkdoCP8xY+LVhwcbDFBw0nY0EEA+X9Fr5nbcQffXWN0b7XfGap8DalosaosTq0M/D0xTfUEs8/P48MMHY3L6DRn9dGalMQWCPQGmqA4WLVlvmeSeeQ/eVgw9oshvvvYWPgJyxbYGisCyOvD5Rv4NaVEELbTF0Y0nN59F54jxORVEFc4TccnO5Muhqo+xrQzsDAxfSqU6AYS7Wh++ArNAezhRQ8SUTdHg861pNiVB21CDOYW2zCb8s9fdoZKA/CbKZlVZH//xo4dWQ9Wnc2lFWMZj7ktH9SrYFdO8ySxRVqjBqrQ2vg8bPFisqx3gDjs6rL/wpQ9dy1pleC1BYMTqBOKG05saJuBpS2NGAMM7O+bFUb5h9CiNti/MGeKRBdgsfInmBwNN42XVjb4/m915nxFl7BSEzkwzfV4fLHNUK2MM0YM11VDSRqBau6xdfINA8rTXWJimMK7TnsPnkrUtX2nPFOkLhT3J7/AQAA//9rBzf4AAAABklEQVQDAE/c3d6ke6vQAAAAAElFTkSuQmCC',
  'base64',
)

/** Returns the OpenSearch description (OpenSearch 1.1), with which browsers and launchers offer to search this instance. */
export function openSearchDescription(baseUrl: string): string {
  const base = baseUrl.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
  return `<?xml version="1.0" encoding="UTF-8"?>
<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
<ShortName>docsearch</ShortName>
<Description>Search your documents</Description>
<InputEncoding>UTF-8</InputEncoding>
<Image width="32" height="32" type="image/x-icon">${base}${paths.favicon}</Image>
<Url type="text/html" method="get" template="${base}${paths.home}?q={searchTerms}"/>
</OpenSearchDescription>
`
}
