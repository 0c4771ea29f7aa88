import { readFile } from 'node:fs/promises'
import type { Parser } from '../parser.ts'
import { readMsg } from './read-msg.ts'
import { writeMessages } from './write-messages.ts'

/** Reads a message, an appointment or another item that Outlook saved. */
export const parseMsg: Parser = async ({ file, limits }, output) => {
  const message = await readMsg(await readFile(file))
  return {
    title: message.subject,
    ...(await writeMessages([message], 1, limits, output)),
    warnings: [],
    facts: { engine: 'msgreader' },
  }
}
