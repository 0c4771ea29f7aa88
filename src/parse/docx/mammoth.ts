import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import mammoth from 'mammoth'
import { isDocsearchError } from '../../core/errors.ts'
import type { Flow } from '../blocks/flow.ts'
import { readHtml } from '../html/read-html.ts'
import { isForMammoth, NOTES } from './parts.ts'
import { rewriteForMammoth, STYLE_MAP } from './rewrite.ts'
import type { DocxDefinitions } from './definitions.ts'
import { readParts } from './zip.ts'

/** The interface through which mammoth reads an archive. It gets the rewritten parts, and nothing else of the file. */
interface Archive {
  exists(name: string): boolean
  read(name: string, encoding?: string): Promise<Uint8Array | string>
}

/**
 * Reads body and notes into `flow` with mammoth. Returns false if mammoth fails; the flow is then unchanged.
 * Throws `too_much_text`, `too_many_pages`.
 */
export async function readWithMammoth(file: string, main: string, flow: Flow, definitions: DocxDefinitions): Promise<boolean> {
  let html: string
  try {
    const archive = await archiveOf(file, main, definitions)
    const { value } = await mammoth.convertToHtml({ file: archive } as unknown as Parameters<typeof mammoth.convertToHtml>[0], {
      styleMap: STYLE_MAP,
      includeEmbeddedStyleMap: false,
    })
    html = numberNotes(value)
  } catch (error) {
    if (isDocsearchError(error) && error.code !== 'corrupt') throw error
    // The streaming reader can often read what mammoth can't. If not, its error says what is wrong.
    return false
  }
  readHtml(html, flow)
  return true
}

async function archiveOf(file: string, main: string, definitions: DocxDefinitions): Promise<Archive> {
  const parts = new Map<string, string>()
  await readParts(
    file,
    (name) => isForMammoth(name, main),
    async (name, stream: Readable) => {
      parts.set(name, name === main || NOTES.test(name) ? await rewriteForMammoth(stream, definitions) : await text(stream))
    },
  )
  return {
    exists: (name) => parts.has(name),
    async read(name, encoding) {
      const part = parts.get(name) ?? ''
      return encoding === undefined ? Buffer.from(part) : part
    },
  }
}

/** Writes the number of each note in front of it. mammoth numbers only the references and lists the notes at the end. */
function numberNotes(html: string): string {
  let number = 0
  return html
    .replace(/<a href="#(?:foot|end)note-ref-[^"]*">↑<\/a>/g, '')
    .replace(/<li id="(?:foot|end)note-[^"]*">(?:<p>)?/g, (opening) => `${opening}[${++number}] `)
}
