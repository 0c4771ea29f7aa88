import { capitalized } from '../../core/capitalized.ts'
import type { MessageHeader, Page } from '../../core/parsed.ts'
import { shorten } from '../../core/text-limits.ts'
import { Flow } from '../blocks/flow.ts'
import { layoutTables } from '../html/layout-tables.ts'
import { readHtml } from '../html/read-html.ts'
import type { Message } from './message.ts'
import { isSeparator, unquoted } from './quotes.ts'

/** The longest sender and subject. A message has one sender or a few, and every result in the message names them. */
const MAX_HEADER_CHARS = 1_000

/** Plain text with a smaller share of the characters of the HTML says only that the message is HTML. */
const MIN_TEXT_SHARE = 0.3

/** Writes a message: its subject as a heading, its header, and its body. Throws `too_much_text`. */
export function writeMessage(message: Message, page: number, flow: Flow): MessageHeader {
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
export function markAnswered(page: Page): Page {
  const at = page.blocks.findIndex(({ start, end }) => isSeparator(page.text.slice(start, end)))
  if (at < 0) return page
  return { ...page, blocks: page.blocks.map((block, i) => (i < at ? block : { ...block, quoted: true })) }
}
