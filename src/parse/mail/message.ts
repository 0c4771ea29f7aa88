import type { MessageHeader } from '../../core/parsed.ts'
import { collapse } from '../blocks/page-builder.ts'

/** A message as one of the readers of mail returns it. */
export interface Message extends Omit<MessageHeader, 'page' | 'sentAt'> {
  sentAt: Date | null
  /** When it was sent, on the clock of its sender. */
  shownDate: string | null
  /** The body as plain text; null if it has none. */
  text: string | null
  /** The body as HTML; null if it has none. */
  html: string | null
  attachments: MailAttachment[]
}

export interface MailAttachment {
  /** The name in the message, which can be anything. Null without one. */
  name: string | null
  mediaType: string
  /** True for a picture of the body, a signature and other parts that a mail program doesn't list. */
  isPartOfBody: boolean
  bytes: Uint8Array
}

/**
 * Characters that a header never needs: control characters, and characters that change the direction of text and so can make one address look
 * like another.
 */
const CONTROLS = /[\p{Cc}\u202a-\u202e\u2066-\u2069]+/gu

/** Puts the headers of a message on one line each, without control characters and noncharacters. */
export function withPlainHeaders(message: Message): Message {
  const { subject, from, to, cc } = message
  return { ...message, subject: plain(subject ?? '') || null, from: plain(from), to: plain(to), cc: plain(cc) }
}

function plain(header: string): string {
  return collapse(header.replaceAll(CONTROLS, ' ')).replace(/\s+/g, ' ')
}

const MONTHS = 'January February March April May June July August September October November December'.split(' ')

/** Returns the moment as its sender saw it, `3 May 2024, 14:05`, with the time zone if the header names one. */
export function showDate(date: Date, header: string): string {
  const zone = /(?:^|\s)([+-])(\d\d)(\d\d)(?=\s|$)/.exec(header)
  const minutes = zone === null ? 0 : (zone[1] === '-' ? -1 : 1) * (Number(zone[2]) * 60 + Number(zone[3]))
  const local = new Date(date.getTime() + minutes * 60_000)
  const time = local.toISOString().slice(11, 16)
  const day = `${local.getUTCDate()} ${MONTHS[local.getUTCMonth()]} ${local.getUTCFullYear()}`
  return `${day}, ${time} ${zone === null || minutes === 0 ? 'UTC' : `UTC${zone[1]}${zone[2]}:${zone[3]}`}`
}

/** Returns a date of a header; null if it is not a date, or so far away that a mistyped year is more likely. */
export function toDate(header: string | null | undefined): Date | null {
  if (header == null) return null
  const date = new Date(header.replace(/\([^()]*\)\s*$/, '').trim())
  const year = date.getUTCFullYear()
  return year >= 1970 && year < 2200 ? date : null
}

/** Returns the IDs that a header such as `References` names, nearest first, each once. */
export function messageIds(...headers: readonly (string | null | undefined)[]): string[] {
  const found = headers.flatMap((header) => [...(header ?? '').matchAll(/<([^<>\s]{3,500})>/g)].map(([, id]) => id!).toReversed())
  return [...new Set(found)].slice(0, MAX_ANSWERS)
}

/** A thread is rarely longer. The nearest messages have most of what a reply quotes. */
const MAX_ANSWERS = 30

/** A line that quotes, with its marks: `> `, `>> `, `> > `. */
const QUOTING = /^[ \t]?((?:>[ \t]?)+)/

/** Programs for mail put such a line in front of the message that a reply answers. */
const SEPARATORS: readonly RegExp[] = [
  /^[-_\s]*(?:original message|ursprüngliche nachricht|message d'origine|mensaje original|messaggio originale|oorspronkelijk bericht|forwarded message|begin forwarded message)[-_\s:]*(?:\n|$)/i,
  // Outlook writes the header of the answered message in the language of its user: four lines with a colon, the first and the second about people and time.
  /^(?:from|von|de|da|van|från|fra): .+\n(?:sent|date|gesendet|datum|envoyé|enviado|inviato|verzonden|skickat|sendt): .+\n(?:to|an|à|para|a|aan|till|til)\s?: /i,
]

/** A line of a text without its marks of quoting, and whether it had any. */
export function unquoted(line: string): { text: string; isQuoted: boolean } {
  const marks = QUOTING.exec(line)
  return marks === null ? { text: line, isQuoted: false } : { text: line.slice(marks[0].length), isQuoted: true }
}

/** True if everything after a paragraph with this text is the message that is answered. */
export function isSeparator(paragraph: string): boolean {
  return paragraph.length < 1000 && SEPARATORS.some((separator) => separator.test(paragraph))
}

/**
 * The reader of messages joins the lines of `format=flowed` paragraphs, and of quoted paragraphs too, whose marks it leaves within the line. Cuts
 * such a line where the depth of the quote changes, and drops the other marks.
 */
export function joinFlowedQuotes(text: string): string {
  if (!text.includes('>')) return text
  return text
    .split('\n')
    .map((line) => (line.startsWith('>') ? joinFlowedQuote(line) : line))
    .join('\n')
}

function joinFlowedQuote(line: string): string {
  const lines: { marks: string; text: string }[] = []
  for (const part of line.split(/ (?=>)/)) {
    const marks = /^>+/.exec(part)![0]
    const last = lines.at(-1)
    const rest = part.slice(marks.length).trimStart()
    if (last?.marks === marks) last.text += ` ${rest}`
    else lines.push({ marks, text: rest })
  }
  return lines.map(({ marks, text }) => `${marks} ${text}`).join('\n')
}
