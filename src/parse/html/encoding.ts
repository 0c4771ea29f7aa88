import { byMark, type DecodedText, decodeText, decodeUtf8 } from '../encoding/decode.ts'
import { scriptEncoding } from '../encoding/scripts.ts'

/** The declaration must be within these bytes. HTML allows 1,024, but pages put more in front of it. */
const HEAD_BYTES = 4096
const META = /<meta[^>]{0,200}charset\s*=\s*["']?\s*([\w-]{2,40})/i
const XML = /^\s*<\?xml[^>]{0,200}encoding\s*=\s*["']([\w-]{2,40})/i
/** The encoding that editors and servers declare without knowing. */
const DEFAULT_DECLARATION = 'windows-1252'

/** Decodes HTML by its byte order mark, then by its declaration unless the bytes contradict it, then like any text. */
export function decodeHtml(bytes: Uint8Array): DecodedText {
  const declared = byMark(bytes) === null ? declaredEncoding(bytes) : null
  if (declared === null || isContradicted(declared, bytes)) return decodeText(bytes)
  return { text: new TextDecoder(declared).decode(bytes), encoding: declared, confidence: 0.9 }
}

function declaredEncoding(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES))
    .toString('latin1')
    .replace(/<!--[^]*?-->/g, '')
  const label = (META.exec(head) ?? XML.exec(head))?.[1]
  // A declaration of UTF-16 is false if it can be read as ASCII.
  if (label === undefined || /^(?:utf-?(?:8|16)|x-user-defined)/i.test(label)) return null
  try {
    return new TextDecoder(label).encoding
  } catch {
    // An unknown charset is ignored.
    return null
  }
}

/** Text that is valid UTF-8 is UTF-8. And no language of Western Europe has words without any of A to Z. */
function isContradicted(declared: string, bytes: Uint8Array): boolean {
  const utf8 = decodeUtf8(bytes)
  // eslint-disable-next-line no-control-regex
  if (utf8 !== null && /[^\0-\x7f]/.test(utf8.text)) return true
  return declared === DEFAULT_DECLARATION && scriptEncoding(bytes) !== null
}
