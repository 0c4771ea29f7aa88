import { createRequire } from 'node:module'
import type MsgReaderModule from '@kenjiuno/msgreader'
import type { FieldsData } from '@kenjiuno/msgreader'
import { decodeText } from '../encoding/decode.ts'
import { corrupt, encrypted } from '../failures.ts'
import { decodeHtml } from '../html/html.ts'
import { readRtfBody } from '../rtf/rtf.ts'
import { beginsAsRtf } from '../sniff/begins-as.ts'
import { checkChains } from './cfb-chains.ts'
import { readEml } from './eml.ts'
import { type MailAttachment, type Message, messageIds, showDate, toDate, withPlainHeaders } from './message.ts'
import { messageParser } from './write-messages.ts'

/** Reads a message, an appointment or another item that Outlook saved. */
export const parseMsg = messageParser(readMsg, 'msgreader')

// It is a CommonJS module, whose default export its types describe as that of an ES module.
const require = createRequire(import.meta.url)
const MsgReader = (require('@kenjiuno/msgreader') as { default: typeof MsgReaderModule.default }).default

const MSG = 'The Outlook message'
/** A subject in the encoding of a country. Messages in Unicode have the same property with another type. */
const ANSI_SUBJECT = Buffer.from('__substg1.0_0037001E', 'utf16le')
const ANSI_BODY = Buffer.from('__substg1.0_1000001E', 'utf16le')
const IN_REPLY_TO = 0x1042
const REFERENCES = 0x1039

interface Item extends FieldsData {
  /** From properties that the reader has no names for. */
  inReplyTo?: string
  references?: string
}

/** Reads a message in Outlook's own format. Throws `corrupt`, and `encrypted` for a message that only its receiver can read. */
async function readMsg(bytes: Buffer): Promise<Message> {
  checkChains(bytes)
  const { item, reader } = open(bytes)
  if (item.dataType !== 'msg') throw corrupt(MSG)
  if (/^IPM\.Note\.(?:SMIME|Secure)$/i.test(item.messageClass ?? '')) throw encrypted()
  const transport = item.headers === undefined ? null : await readEml(Buffer.from(`${item.headers.trimEnd()}\r\n\r\n`))
  const sentAt = toDate(item.clientSubmitTime) ?? transport?.sentAt ?? toDate(item.messageDeliveryTime)
  return withPlainHeaders({
    subject: item.subject ?? null,
    from: senderOf(item) || (transport?.from ?? ''),
    to: recipients(item, 'to'),
    cc: recipients(item, 'cc'),
    sentAt,
    shownDate: transport?.shownDate ?? (sentAt === null ? null : showDate(sentAt, '')),
    messageId: messageIds(item.messageId)[0] ?? transport?.messageId ?? null,
    answers: [...new Set([...messageIds(item.inReplyTo, item.references), ...(transport?.answers ?? [])])],
    ...bodyOf(item),
    attachments: attachmentsOf(item, reader, bytes.length),
  })
}

/** Returns the body. Some messages have it only as RTF, in which Outlook can have wrapped the HTML that it received. */
function bodyOf({ body = '', bodyHtml, html, compressedRtf }: Item): { text: string | null; html: string | null } {
  const page = bodyHtml ?? (html === undefined ? null : decodeHtml(html).text)
  if (page !== null || body.trim() !== '' || compressedRtf === undefined) return { text: body || null, html: page }
  const rtf = decompressRtf(Buffer.from(compressedRtf))
  if (rtf === null || !beginsAsRtf(rtf)) return { text: null, html: null }
  return { text: null, html: null, ...readRtfBody(rtf, { chars: Infinity, pages: Infinity }) }
}

function open(bytes: Buffer): { item: Item; reader: InstanceType<typeof MsgReader> } {
  const read = (ansiEncoding?: string) => {
    const answered: Pick<Item, 'inReplyTo' | 'references'> = {}
    const reader = new MsgReader(toArrayBuffer(bytes))
    reader.parserConfig = {
      ...(ansiEncoding !== undefined && { ansiEncoding }),
      propertyObserver: (fields, tag, raw) => {
        if (raw === null || fields.dataType !== 'msg') return
        if (tag >>> 16 === IN_REPLY_TO) answered.inReplyTo = textOf(raw)
        if (tag >>> 16 === REFERENCES) answered.references = textOf(raw)
      },
    }
    return { item: { ...withRightTypes(reader.getFileData()), ...answered }, reader }
  }
  try {
    const first = read()
    const isAnsi = bytes.includes(ANSI_SUBJECT) || bytes.includes(ANSI_BODY)
    const encoding = isAnsi ? ansiEncoding(first.item) : null
    return encoding === null ? first : read(encoding)
  } catch (cause) {
    throw corrupt(MSG, cause)
  }
}

/** A damaged file can give any property any type. */
const TEXTS = [
  'subject',
  'body',
  'bodyHtml',
  'headers',
  'messageId',
  'messageClass',
  'clientSubmitTime',
  'messageDeliveryTime',
  'senderName',
  'senderEmail',
  'senderSmtpAddress',
  'sentRepresentingSmtpAddress',
  'creatorSMTPAddress',
  'name',
  'email',
  'smtpAddress',
  'fileName',
  'fileNameShort',
  'pidContentId',
] as const satisfies readonly (keyof FieldsData)[]

/** Returns the fields without those that have another type than they should. */
function withRightTypes(fields: FieldsData): FieldsData {
  const checked = { ...fields }
  for (const name of TEXTS) if (typeof checked[name] !== 'string') delete checked[name]
  for (const name of ['internetCodepage', 'messageCodepage'] as const) if (!Number.isInteger(checked[name])) delete checked[name]
  if (!(checked.html instanceof Uint8Array)) delete checked.html
  if (!(checked.compressedRtf instanceof Uint8Array)) delete checked.compressedRtf
  if (checked.recipients !== undefined) checked.recipients = checked.recipients.map(withRightTypes)
  if (checked.attachments !== undefined) checked.attachments = checked.attachments.map(withRightTypes)
  return checked
}

function toArrayBuffer(bytes: Buffer): ArrayBuffer {
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer
}

/** Decodes a property of ASCII characters, with one or two bytes each. */
function textOf(raw: Uint8Array): string {
  return Buffer.from(raw).toString('latin1').replaceAll('\0', '')
}

/** Code pages that don't tell how the texts of a message are encoded: ASCII, UTF-8, and the encodings in which Outlook sends it. */
const ONLY_ON_THE_WIRE = new Set([20127, 65001, 28591, 50220, 50221, 50222])

/** Returns the encoding of the texts, which the reader has taken for Latin-1. Null if it doesn't matter. */
function ansiEncoding({ subject = '', body = '', senderName = '', internetCodepage, messageCodepage }: Item): string | null {
  const sample = Buffer.from(`${subject}\n${senderName}\n${body}`, 'latin1')
  if (!sample.some((byte) => byte >= 0x80)) return null
  const named = [messageCodepage, internetCodepage].find(
    (page) => page !== undefined && !ONLY_ON_THE_WIRE.has(page) && page !== 1252,
  )
  if (named === undefined) return decodeText(sample).encoding
  return named < 1250 || named > 1258 ? `cp${named}` : `windows-${named}`
}

function senderOf({
  senderName = '',
  senderSmtpAddress,
  sentRepresentingSmtpAddress,
  creatorSMTPAddress,
  senderEmail,
}: Item): string {
  const address = [senderSmtpAddress, sentRepresentingSmtpAddress, senderEmail, creatorSMTPAddress].find(isAddress) ?? ''
  return person(senderName, address)
}

function recipients({ recipients = [] }: Item, type: 'to' | 'cc'): string {
  return recipients
    .filter(({ recipType }) => recipType === type)
    .map(({ name = '', smtpAddress, email }) => person(name, [smtpAddress, email].find(isAddress) ?? ''))
    .filter((one) => one !== '')
    .join(', ')
}

/** Within an organisation, Exchange has addresses of another kind, which mean nothing to people. */
function isAddress(text: string | undefined): text is string {
  return text !== undefined && text.includes('@')
}

function person(name: string, address: string): string {
  const shown = name
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^'(.*)'$/, '$1')
  if (shown === '' || shown === address) return address
  return address === '' ? shown : `${shown} <${address}>`
}

/** Sectors of a hostile file can belong to many attachments. So all together get no more bytes than the file has. */
function attachmentsOf({ attachments = [] }: Item, reader: InstanceType<typeof MsgReader>, maxBytes: number): MailAttachment[] {
  const found: MailAttachment[] = []
  let bytesLeft = maxBytes
  for (const attachment of attachments) {
    try {
      const { content } = reader.getAttachment(attachment)
      if (content === null || content === undefined || content.length === 0) continue
      bytesLeft -= content.length
      if (bytesLeft < 0) throw corrupt(MSG)
      found.push(toAttachment(attachment, content))
    } catch (cause) {
      throw corrupt(MSG, cause)
    }
  }
  return found
}

function toAttachment(attachment: FieldsData, bytes: Uint8Array): MailAttachment {
  const { fileName, fileNameShort, name, pidContentId, attachmentHidden, innerMsgContent } = attachment
  const isPicture = /\.(?:png|jpe?g|gif|bmp|svg|webp)$/i.test(fileName ?? fileNameShort ?? '')
  return {
    name:
      innerMsgContent === true
        ? `${(name ?? 'message').replaceAll(/[/\\]/g, '-')}.msg`
        : (fileName ?? fileNameShort ?? name ?? null),
    mediaType: innerMsgContent === true ? 'application/vnd.ms-outlook' : 'application/octet-stream',
    // Exceptions of an appointment that repeats are hidden messages.
    isPartOfBody: attachmentHidden === true || (isPicture && pidContentId !== undefined),
    bytes,
  }
}

const [COMPRESSED, PLAIN] = [0x75465a4c, 0x414c454d]
const HEADER_BYTES = 16
const WINDOW = 4096
const PREFIX = Buffer.from(
  '{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx',
  'latin1',
)

/**
 * Decompresses the RTF of an Outlook message (MS-OXRTFCP). Of damaged data, returns what can be read. The result is at most nine times as long as
 * the data. Returns null for other data.
 */
export function decompressRtf(bytes: Buffer): Buffer | null {
  if (bytes.length < HEADER_BYTES) return null
  const [rawSize, magic] = [bytes.readUInt32LE(4), bytes.readUInt32LE(8)]
  if (magic === PLAIN) return bytes.subarray(HEADER_BYTES, HEADER_BYTES + rawSize)
  if (magic !== COMPRESSED) return null
  const window = Buffer.alloc(WINDOW, ' ')
  PREFIX.copy(window)
  const output = Buffer.alloc(Math.min(rawSize, bytes.length * 9))
  let length = 0
  const add = (byte: number): void => {
    window[(PREFIX.length + length) % WINDOW] = byte
    output[length++] = byte
  }
  for (let at = HEADER_BYTES; at < bytes.length && length < output.length;) {
    const flags = bytes[at++]!
    for (let bit = 0; bit < 8 && at < bytes.length && length < output.length; bit++) {
      if ((flags & (1 << bit)) === 0) {
        add(bytes[at++]!)
        continue
      }
      const reference = bytes.readUInt16BE(Math.min(at, bytes.length - 2))
      at += 2
      const from = reference >> 4
      // A reference to the next byte ends the text.
      if (from === (PREFIX.length + length) % WINDOW) return output.subarray(0, length)
      for (let copied = 0; copied < (reference & 15) + 2 && length < output.length; copied++)
        add(window[(from + copied) % WINDOW]!)
    }
  }
  return output.subarray(0, length)
}
