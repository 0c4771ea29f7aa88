import type { Readable } from 'node:stream'
import { SaxesParser } from 'saxes'
import { byMark } from '../encoding/decode.ts'
import { corrupt } from '../failures.ts'

/** Office programs nest elements a few dozen deep. */
const MAX_DEPTH = 2_000

/** An element that opens. Names come without the prefix of their namespace, because each program chooses its own prefixes. */
export interface Element {
  name: string
  /** The name with its prefix, as written. */
  qualified: string
  attributes: Readonly<Record<string, string>>
  /** Returns the attribute with this name, without regard to its prefix; null if there is none. */
  attribute(name: string): string | null
}

export interface XmlHandlers {
  open(element: Element): void
  text?(text: string): void
  close?(name: string, qualified: string): void
}

export interface XmlOptions {
  /** The kind of file, for messages: `The DOCX`. */
  what: string
  /**
   * Accepts a document type declaration that only names a DTD, as in the table of contents of an EPUB. The DTD is never read, and
   * a declaration with entities is always refused, because entities can expand without end.
   */
  allowsDoctype?: boolean
}

/**
 * Reads XML as a stream, in memory that doesn't grow with it. Throws `corrupt`, also for a document type declaration and for more
 * than 2,000 levels.
 */
export async function readXml(
  source: Readable | string,
  { what, allowsDoctype = false }: XmlOptions,
  handlers: XmlHandlers,
): Promise<void> {
  const parser = new SaxesParser()
  let depth = 0
  let failure: unknown = null
  parser.on('error', (error) => (failure ??= error))
  parser.on('doctype', (doctype) => {
    if (!allowsDoctype || doctype.includes('[')) failure ??= new Error('document type declaration')
  })
  parser.on('opentag', ({ name: qualified, attributes }) => {
    if (++depth > MAX_DEPTH) failure ??= new Error(`elements nested more than ${MAX_DEPTH} deep`)
    handlers.open({
      name: local(qualified),
      qualified,
      attributes,
      attribute(name) {
        for (const key in attributes) if (local(key) === name) return attributes[key] ?? null
        return null
      },
    })
  })
  parser.on('text', (text) => handlers.text?.(text))
  parser.on('cdata', (text) => handlers.text?.(text))
  parser.on('closetag', ({ name: qualified }) => {
    depth--
    handlers.close?.(local(qualified), qualified)
  })
  let decoder: InstanceType<typeof TextDecoder> | null = null
  for await (const chunk of typeof source === 'string' ? [source] : source) {
    if (typeof chunk !== 'string') decoder ??= new TextDecoder(encodingOf(chunk as Buffer))
    parser.write(decoder === null ? String(chunk) : decoder.decode(chunk as Buffer, { stream: true }))
    if (failure !== null) throw corrupt(what, failure)
  }
  parser.write(decoder?.decode() ?? '')
  parser.close()
  if (failure !== null) throw corrupt(what, failure)
}

/** Collects the text of the first element with this local name, e.g. `title` in `docProps/core.xml`. */
export class ElementText implements XmlHandlers {
  /** Null if there is no such element. */
  value: string | null = null
  private readonly element: string
  private isInside = false

  constructor(element: string) {
    this.element = element
  }

  open({ name }: Element): void {
    if (name !== this.element || this.value !== null) return
    this.isInside = true
    this.value = ''
  }

  text(text: string): void {
    if (this.isInside) this.value += text
  }

  close(name: string): void {
    if (name === this.element) this.isInside = false
  }
}

/** XML in UTF-16 begins with a byte order mark. Other encodings are declared. */
function encodingOf(start: Buffer): string {
  const marked = byMark(start)
  const declared = /^<\?xml[^>]{0,100}encoding\s*=\s*["']([\w-]{2,40})["']/.exec(start.toString('latin1', 0, 200))?.[1] ?? 'utf-8'
  if (marked !== null || /^utf-?16/i.test(declared)) return marked ?? 'utf-8'
  try {
    return new TextDecoder(declared).encoding
  } catch {
    // An unknown encoding is nearly always declared by mistake.
    return 'utf-8'
  }
}

function local(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

/** Returns handlers that pass each event to all of the others. */
export function together(...all: readonly XmlHandlers[]): Required<XmlHandlers> {
  return {
    open: (element) => all.forEach((one) => one.open(element)),
    text: (text) => all.forEach((one) => one.text?.(text)),
    close: (name, qualified) => all.forEach((one) => one.close?.(name, qualified)),
  }
}
