import { readFile } from 'node:fs/promises'
import type { Parser } from '../parser.ts'
import { readEml } from './read-eml.ts'
import { writeMessages } from './write-messages.ts'

/** Reads a message. */
export const parseEml: Parser = async ({ file, limits }, output) => {
  const message = await readEml(await readFile(file))
  return {
    title: message.subject,
    ...(await writeMessages([message], 1, limits, output)),
    warnings: [],
    facts: { engine: 'postal-mime' },
  }
}
