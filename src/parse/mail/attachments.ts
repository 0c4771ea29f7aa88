import type { SkippedAttachment } from '../../core/parsed.ts'
import type { ParserOutput } from '../parser.ts'
import type { MailAttachment } from './message.ts'
import { FORMATS } from '../../core/formats.ts'

/** The most attachments of one file. A mailbox can have more; then it has to be divided. */
export const MAX_ATTACHMENTS = 1_000

/** The file can have millions of attachments over the limit. Users see the names of the first ones. */
const MAX_LISTED = 100

/** Hands the attachments of all messages of a file to the output. */
export class Attachments {
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
