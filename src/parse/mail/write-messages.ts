import { readFile } from 'node:fs/promises'
import { capitalized } from '../../core/capitalized.ts'
import { FORMATS } from '../../core/formats.ts'
import type { MessageHeader, Page, SkippedAttachment } from '../../core/parsed.ts'
import { shorten } from '../../core/text-limits.ts'
import { Flow } from '../blocks/flow.ts'
import { layoutTables } from '../html/layout-tables.ts'
import { readHtml } from '../html/read-html.ts'
import type { Parser, ParserLimits, ParserOutput, ParseSummary } from '../parser.ts'
import { type MailAttachment, type Message, isSeparator, unquoted } from './message.ts'

/** Returns the parser of a format whose files have one message. */
export function messageParser(read: (bytes: Buffer) => Promise<Message>, engine: string): Parser {
  return async ({ file, limits }, output) => {
    const message = await read(await readFile(file))
    const written = await writeMessages([message], 1, limits, output)
    return { title: message.subject, ...written, warnings: [], facts: { engine } }
  }
}

/** Writes each message as a page, and its attachments. Throws `too_much_text`. */
export async function writeMessages(
  messages: Iterable<Message> | AsyncIterable<Message>,
  count: number,
  limits: Pick<ParserLimits, 'textBytes'>,
  output: ParserOutput,
): Promise<Pick<ParseSummary, 'pageCount' | 'messages' | 'attachmentsSkipped' | 'attachmentsUnlisted'>> {
  output.open(count)
  const headers: MessageHeader[] = []
  const attachments = new Attachments(output)
  for await (const message of messages) {
    const number = headers.length + 1
    const flow = new Flow({ chars: limits.textBytes, pages: 1 })
    headers.push(writeMessage(message, number, flow))
    output.page({ ...markAnswered(flow.build()[0]!), number })
    await attachments.add(message.attachments, number)
  }
  const { skipped: attachmentsSkipped, unlisted: attachmentsUnlisted } = attachments
  return { pageCount: count, messages: headers, attachmentsSkipped, attachmentsUnlisted }
}

/** The longest sender and subject. A message has one sender or a few, and every result in the message names them. */
const MAX_HEADER_CHARS = 1_000

/** Plain text with a smaller share of the characters of the HTML says only that the message is HTML. */
const MIN_TEXT_SHARE = 0.3

/** Writes a message: its subject as a heading, its header, and its body. Throws `too_much_text`. */
function writeMessage(message: Message, page: number, flow: Flow): MessageHeader {
  const { subject, from, to, cc, shownDate, sentAt, messageId, answers } = message
  if (subject !== null) {
    flow.text(subject)
    flow.end('heading', 1)
  }
  for (const [name, value] of Object.entries({ from, to, cc, date: shownDate ?? '' })) {
    if (value === '') continue
    flow.text(`${capitalized(name)}: ${value}`)
    flow.newLine()
  }
  flow.end('paragraph')
  if (isHtmlBetter(message)) writeHtml(message.html!, flow)
  else writeText(message.text ?? '', flow)
  flow.isQuoted = false
  return {
    page,
    subject: subject === null ? null : shorten(subject, MAX_HEADER_CHARS),
    from: shorten(from, MAX_HEADER_CHARS),
    to,
    cc,
    sentAt: sentAt?.toISOString() ?? null,
    messageId,
    answers,
  }
}

/** HTML has the tables and lists of a message. Its plain text is the same, unless a program wrote only a part of it. */
function isHtmlBetter({ text, html }: Message): boolean {
  if (html === null || text === null) return html !== null
  const isPlain = !/<(?:table|ul|ol|h[1-6]|blockquote)\b/i.test(html)
  return !isPlain || text.trim().length < html.replace(/<[^<>]*>/g, '').trim().length * MIN_TEXT_SHARE
}

function writeHtml(html: string, flow: Flow): void {
  const tables = layoutTables(html)
  const trial = new Flow({ chars: html.length + 1, pages: 1 })
  readHtml(html, trial, { layoutTables: tables })
  trial.end('paragraph')
  // All text can be in parts that a web page repeats.
  const parts = trial.build()[0]!.blocks.length === 0 ? 'everything' : 'content'
  readHtml(html, flow, { parts, layoutTables: tables, marksQuotes: true })
  flow.end('paragraph')
}

/** Blank lines separate paragraphs, and so do changes between quoted and other lines. */
function writeText(text: string, flow: Flow): void {
  let hasText = false
  const end = (): void => {
    if (hasText) flow.end('paragraph')
    hasText = false
  }
  for (const raw of text.split(/\r\n|\r|\n/)) {
    const line = unquoted(raw)
    const isBlank = line.text.trim() === ''
    if (line.isQuoted !== flow.isQuoted || isBlank) end()
    flow.isQuoted = line.isQuoted
    if (isBlank) continue
    if (hasText) flow.newLine()
    flow.text(line.text)
    hasText = true
  }
  end()
}

/** Marks what follows the header of an answered message as quoted. */
function markAnswered(page: Page): Page {
  const at = page.blocks.findIndex(({ start, end }) => isSeparator(page.text.slice(start, end)))
  if (at < 0) return page
  return { ...page, blocks: page.blocks.map((block, i) => (i < at ? block : { ...block, quoted: true })) }
}

/** The most attachments of one file. A mailbox can have more; then it has to be divided. */
const MAX_ATTACHMENTS = 1_000

/** The file can have millions of attachments over the limit. Users see the names of the first ones. */
const MAX_LISTED = 100

/** Hands the attachments of all messages of a file to the output. */
class Attachments {
  readonly skipped: SkippedAttachment[] = []
  /** How many more attachments were skipped. */
  unlisted = 0
  private readonly output: ParserOutput
  private count = 0

  constructor(output: ParserOutput) {
    this.output = output
  }

  async add(attachments: readonly MailAttachment[], page: number): Promise<void> {
    for (const { name, mediaType, isPartOfBody, bytes } of attachments) {
      if (isPartOfBody) continue
      const attachment = { name: safeName(name, mediaType), page, bytes }
      if (++this.count > MAX_ATTACHMENTS) {
        if (this.skipped.length < MAX_LISTED) this.skipped.push({ name: attachment.name, page, code: 'too_many_attachments' })
        else this.unlisted++
      } else await this.output.attachment?.(attachment)
    }
  }
}

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
