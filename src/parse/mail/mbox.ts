import { readFile } from 'node:fs/promises'
import { isDocsearchError } from '../../core/errors.ts'
import { decodeText } from '../encoding/decode.ts'
import { corrupt } from '../failures.ts'
import type { Parser } from '../parser.ts'
import { isSeparatorOfMailbox } from '../sniff/begins-as.ts'
import { readEml } from './eml.ts'
import type { Message } from './message.ts'
import { writeMessages } from './write-messages.ts'

const FROM = Buffer.from('From ')
const LINE_FEED = 0x0a
/** A separator and the first line after it. */
const LOOK_BYTES = 2_000
/** Of a message that cannot be read, only its beginning is worth searching. */
const MAX_DAMAGED_BYTES = 100_000

/** Reads a file of messages in the formats mboxo, mboxrd and mboxcl. Each message is a page. */
export const parseMbox: Parser = async ({ file, limits }, output) => {
  const bytes = await readFile(file)
  const starts = messageStarts(bytes)
  if (starts.length === 0) throw corrupt('The mailbox')
  const damaged: number[] = []
  const messages = async function* (): AsyncGenerator<Message> {
    for (const [i, { from }] of starts.entries()) {
      const message = unescaped(bytes.subarray(from, starts[i + 1]?.separator ?? bytes.length))
      try {
        yield await readEml(message)
      } catch (error) {
        if (!isDocsearchError(error, 'corrupt')) throw error
        damaged.push(i + 1)
        yield damagedMessage(message)
      }
    }
  }
  const written = await writeMessages(messages(), starts.length, limits, output)
  return { title: null, ...written, warnings: warningsAbout(damaged), facts: { engine: 'postal-mime' } }
}

/** Returns where each message begins, and the line in front of it that separates it from the message before. */
function messageStarts(bytes: Buffer): { separator: number; from: number }[] {
  const starts: { separator: number; from: number }[] = []
  for (let at = bytes.indexOf(FROM); at >= 0; at = bytes.indexOf(FROM, at + 1)) {
    if (at > 0 && bytes[at - 1] !== LINE_FEED) continue
    const next = bytes.indexOf(LINE_FEED, at)
    if (next < 0) break
    const isAfterBlank = at < 2 || bytes[at - 2] === LINE_FEED || (bytes[at - 2] === 0x0d && bytes[at - 3] === LINE_FEED)
    const look = bytes.toString('latin1', at, Math.min(bytes.length, next + LOOK_BYTES))
    if (isSeparatorOfMailbox(look, isAfterBlank)) starts.push({ separator: at, from: next + 1 })
  }
  return starts
}

/** Programs put `>` in front of a line of a message that looks like a separator. */
function unescaped(message: Buffer): Buffer {
  if (!message.includes('\n>From ') && !message.includes('\n>>From ')) return message
  return Buffer.from(message.toString('latin1').replace(/^>(>*From )/gm, '$1'), 'latin1')
}

function damagedMessage(bytes: Buffer): Message {
  const { text } = decodeText(bytes.subarray(0, MAX_DAMAGED_BYTES))
  const header = { subject: null, from: '', to: '', cc: '', sentAt: null, shownDate: null, messageId: null, answers: [] }
  return { ...header, text, html: null, attachments: [] }
}

function warningsAbout([first, ...others]: readonly number[]) {
  if (first === undefined) return []
  const which = others.length === 0 ? `Message ${first} is` : `${others.length + 1} messages are`
  const message = `${which} damaged. A search finds the beginning as plain text, and no attachments.`
  return [{ code: 'messages_damaged' as const, message, page: first }]
}
