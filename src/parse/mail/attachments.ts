import type { SkippedAttachment } from '../../core/parsed.ts'
import type { ParserOutput } from '../parser.ts'
import { safeName } from './attachment-name.ts'
import type { MailAttachment } from './message.ts'

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
