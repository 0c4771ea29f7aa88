import { byMark, type DecodedText, decodeText, decodeUtf8 } from '../encoding/decode.ts'
import { scriptEncoding } from '../encoding/scripts.ts'

/** Where the declaration has to stand, with room for what pages have before it. */
const HEAD_BYTES = 4096
const META = /<meta[^>]{0,200}charset\s*=\s*["']?\s*([\w-]{2,40})/i
const XML = /^\s*<\?xml[^>]{0,200}encoding\s*=\s*["']([\w-]{2,40})/i
/** What editors and servers write without knowing. */
const BY_DEFAULT = 'windows-1252'

/** A byte order mark, then what the document says of itself unless its bytes say otherwise, then as any text. */
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
  // UTF-16 cannot be declared in bytes that were just read as ASCII.
  if (label === undefined || /^(?:utf-?(?:8|16)|x-user-defined)/i.test(label)) return null
  try {
    return new TextDecoder(label).encoding
  } catch {
    // A charset nobody knows: as any text.
    return null
  }
}

/** Text that is UTF-8 throughout is nothing else, and no language of Western Europe has words of nothing but foreign letters. */
function isContradicted(declared: string, bytes: Uint8Array): boolean {
  const utf8 = decodeUtf8(bytes)
  // eslint-disable-next-line no-control-regex
  if (utf8 !== null && /[^\0-\x7f]/.test(utf8.text)) return true
  return declared === BY_DEFAULT && scriptEncoding(bytes) !== null
}
