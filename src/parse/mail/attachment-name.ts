import { FORMATS } from '../../core/formats.ts'

const MAX_CHARS = 150

/** Returns the name of an attachment as the last part of a path, whatever the message says. */
export function safeName(name: string | null, mediaType: string): string {
  const last = (name ?? '').split(/[/\\]/).at(-1)!
  const clean = last
    .replaceAll(/[\p{Cc}\p{Cf}\ufffd]/gu, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .toWellFormed()
  if (/^\.*$/.test(clean)) return `attachment${extensionOf(mediaType)}`
  return [...clean].length > MAX_CHARS ? shortened(clean) : clean
}

/** Keeps the extension, which says what the file is. */
function shortened(name: string): string {
  const extension = /\.[^.\s]{1,10}$/.exec(name)?.[0] ?? ''
  const start = Array.from(name.slice(0, name.length - extension.length)).slice(0, MAX_CHARS - extension.length)
  return start.join('').trim() + extension
}

function extensionOf(mediaType: string): string {
  return Object.values(FORMATS).find((format) => format.mediaType === mediaType)?.extensions[0] ?? ''
}
