import PostalMime, { type Address, addressParser, type Attachment, decodeWords, type Email } from 'postal-mime'
import { decodeText } from '../encoding/decode.ts'
import { corrupt } from '../failures.ts'
import { bodyWithoutBlankLine } from '../sniff/begins-as.ts'
import { joinFlowedQuotes, type MailAttachment, type Message, messageIds, showDate, toDate, withPlainHeaders } from './message.ts'
import { messageParser } from './write-messages.ts'

/** Reads a message. */
export const parseEml = messageParser(readEml, 'postal-mime')

/** Mail gateways and lists add headers, but never this much. */
const MAX_HEADER_BYTES = 4_000_000
const OPTIONS = { forceRfc822Attachments: true, maxRfc822NestingDepth: 0, maxHeadersSize: MAX_HEADER_BYTES } as const
const SUBJECT_WITHIN = 16_384
const HEADER_WITHIN = 65_536
const LOST = /\ufffd/g
const EML = 'The message'

/** Reads a message in the format of RFC 5322. Throws `corrupt`. */
export async function readEml(bytes: Uint8Array): Promise<Message> {
  const whole = withBlankLine(bytes)
  return withPlainHeaders(toMessage(await repaired(await parse(whole), whole), whole))
}

/** Puts a blank line between the header and the body of a message that has none. */
function withBlankLine(bytes: Uint8Array): Uint8Array {
  const head = Buffer.from(bytes.subarray(0, HEADER_WITHIN)).toString('latin1')
  const lines = head.split('\n')
  const at = bodyWithoutBlankLine(lines.map((line) => line.replace(/\r$/, '')))
  if (at === null) return bytes
  const offset = lines.slice(0, at).reduce((sum, line) => sum + line.length + 1, 0)
  return Buffer.concat([bytes.subarray(0, offset), Buffer.from('\r\n'), bytes.subarray(offset)])
}

async function parse(bytes: Uint8Array): Promise<Email> {
  try {
    return await PostalMime.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), OPTIONS)
  } catch (cause) {
    // The reader's own limits of nesting and of headers.
    throw corrupt(EML, cause)
  }
}

/**
 * Old programs wrote headers and bodies in the encoding of their country without naming it. The reader takes them for UTF-8. Read as text of the
 * encoding that they have, they lose no character.
 */
async function repaired(email: Email, bytes: Uint8Array): Promise<Email> {
  const shown = (one: Email) => [one.subject, one.text, one.html, ...one.headers.map(({ value }) => value)]
  if (!shown(email).some((text) => text?.includes('\ufffd'))) return email
  const other = await parse(Buffer.from(decodeText(bytes).text))
  const better = <T extends string | undefined>(a: T, b: T): T => (lostIn(b) < lostIn(a) ? b : a)
  const headers = email.headers.map((header, i) => {
    const same = other.headers[i]
    return same?.key === header.key ? { ...header, value: better(header.value, same.value) } : header
  })
  return {
    ...email,
    headers,
    subject: better(email.subject, other.subject),
    text: better(email.text, other.text),
    html: better(email.html, other.html),
  }
}

function lostIn(text: string | undefined): number {
  return text?.match(LOST)?.length ?? 0
}

function toMessage(email: Email, bytes: Uint8Array): Message {
  const header = (name: string): string | null => email.headers.find(({ key }) => key === name)?.value ?? null
  const addresses = (name: string): string =>
    email.headers
      .filter(({ key, value }) => key === name && value !== '')
      .flatMap(({ value }) => addressParser(value).map(showAddress))
      .filter((address) => address !== '')
      .join(', ')
  const date = header('date')
  const sentAt = toDate(date)
  const untyped = untypedText(email)
  const isFlowed = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes('flowed')
  return {
    subject: email.subject ?? null,
    from: addresses('from') || addresses('sender'),
    to: addresses('to'),
    cc: addresses('cc'),
    sentAt,
    shownDate: sentAt === null ? null : showDate(sentAt, date!),
    messageId: messageIds(header('message-id'))[0] ?? null,
    answers: messageIds(header('in-reply-to'), header('references')),
    text: email.text === undefined ? untyped : isFlowed ? joinFlowedQuotes(email.text) : email.text,
    html: email.html ?? null,
    attachments: untyped === null ? email.attachments.flatMap((one) => toAttachment(one)) : [],
  }
}

/** Returns the body of a message whose `Content-Type` is not valid, such as `text`. The standard says that it is plain text. */
function untypedText({ text, html, attachments }: Email): string | null {
  const [only, ...others] = attachments
  if (text !== undefined || html !== undefined || only === undefined || others.length > 0) return null
  const { filename, disposition, mimeType, content } = only
  if (filename !== null || disposition !== null || /^[^/\s]+\/[^/\s]+$/.test(mimeType) || typeof content === 'string') return null
  return decodeText(new Uint8Array(content)).text
}

/** Returns a header on one line; null if it is empty. */
function line(text: string | null): string | null {
  return text === null ? null : text.replace(/\s+/g, ' ').trim() || null
}

function showAddress(address: Address): string {
  const name = line(decodeWords(address.name)) ?? ''
  if (address.group !== undefined) return `${name}: ${address.group.map(showAddress).join(', ')}`
  if (name === '' || name === address.address) return address.address
  return address.address === '' ? name : `${name} <${address.address}>`
}

/** A message in a message has no name of a file, but a subject. */
function subjectOf(content: ArrayBuffer | Uint8Array): string | null {
  const head = Buffer.from(new Uint8Array(content)).toString('latin1', 0, SUBJECT_WITHIN)
  const subject = /^Subject:[ \t]*(.*(?:\r?\n[ \t].*)*)/im.exec(head.split(/\r?\n\r?\n/, 1)[0]!)?.[1]
  const name = line(decodeWords(subject ?? ''))
  return name === null ? null : `${name.replaceAll(/[/\\]/g, '-')}.eml`
}

/** Parts that say something about the message itself: signatures and keys. Mail programs don't list them. */
const ABOUT_MESSAGE =
  /^application\/(?:pgp-|(?:x-)?pkcs7-signature)|^text\/rfc822-headers$|^message\/(?!rfc822$|global$|partial$)/

function toAttachment({ filename, mimeType, disposition, related, contentId, content }: Attachment): MailAttachment[] {
  // Only the option `attachmentEncoding` makes it a text.
  if (typeof content === 'string' || content.byteLength === 0) return []
  const isShown = disposition !== 'attachment' && contentId !== undefined && mimeType.startsWith('image/')
  return [
    {
      name: filename ?? (mimeType === 'message/rfc822' ? subjectOf(content) : null),
      mediaType: mimeType,
      isPartOfBody: related === true || isShown || ABOUT_MESSAGE.test(mimeType),
      bytes: content instanceof Uint8Array ? content : new Uint8Array(content),
    },
  ]
}
