import type { MessageHeader } from '../../core/parsed.ts'
import { Flow } from '../blocks/flow.ts'
import type { ParserLimits, ParserOutput, ParseSummary } from '../parser.ts'
import { Attachments } from './attachments.ts'
import type { Message } from './message.ts'
import { markAnswered, writeMessage } from './write-message.ts'

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
