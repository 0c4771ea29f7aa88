import type { Readable } from 'node:stream'
import type { Entry, ZipFile } from 'yauzl'
import { isDocsearchError } from '../../core/errors.ts'
import { cleanTitle } from '../blocks/page-builder.ts'
import { encrypted, tooManyEntries, tooMuchXml } from '../failures.ts'
import { ElementText, readXml, type XmlHandlers, type XmlOptions } from './xml.ts'
import { MAX_ENTRIES, withZip } from './zip.ts'

/** Parts that can have text. Their inflated sizes count towards the limit. */
const TEXT_PART = /\.(?:xml|rels|opf|ncx|x?html?)$/i

/**
 * The parts of a document that is a ZIP archive, by name. All that is read of them counts towards the limit on inflated bytes, also
 * when a part is read twice, so parts that refer to each other in a circle end with `too_much_xml`.
 */
export class Package {
  readonly what: string
  private readonly zip: ZipFile
  private readonly entries: ReadonlyMap<string, Entry>
  private readonly maxBytes: number
  private readBytes = 0

  constructor(what: string, zip: ZipFile, entries: ReadonlyMap<string, Entry>, maxBytes: number) {
    this.what = what
    this.zip = zip
    this.entries = entries
    this.maxBytes = maxBytes
  }

  has(name: string): boolean {
    return this.entries.has(keyOf(name))
  }

  /** Returns the names of the parts, in the order of the archive. */
  names(): string[] {
    return [...this.entries.values()].map(({ fileName }) => fileName)
  }

  /** Reads a part as XML. Returns false if there is no such part. Throws `corrupt`, `encrypted`, `too_much_xml`. */
  async readXml(name: string, handlers: XmlHandlers, options: Omit<XmlOptions, 'what'> = {}): Promise<boolean> {
    const stream = await this.open(name)
    if (stream === null) return false
    await readXml(stream, { ...options, what: this.what }, handlers)
    return true
  }

  /** Reads a part without which the document can still be read: if it is missing or broken, the handlers may get a part of it. */
  async readOptionalXml(name: string, handlers: XmlHandlers, options?: Omit<XmlOptions, 'what'>): Promise<void> {
    try {
      await this.readXml(name, handlers, options)
    } catch (error) {
      if (!isDocsearchError(error, 'corrupt') && !isBrokenPart(error)) throw error
    }
  }

  /** Returns the bytes of a part; null if there is no such part. Throws `encrypted`, `too_much_xml`. */
  async readBytesOf(name: string): Promise<Buffer | null> {
    const stream = await this.open(name)
    if (stream === null) return null
    const chunks: Buffer[] = []
    for await (const chunk of stream) chunks.push(chunk as Buffer)
    return Buffer.concat(chunks)
  }

  private async open(name: string): Promise<Readable | null> {
    const entry = this.entries.get(keyOf(name))
    if (entry === undefined) return null
    if (entry.isEncrypted()) throw encrypted()
    // The stream ends with an error if the part is longer than this.
    this.readBytes += entry.uncompressedSize
    if (this.readBytes > this.maxBytes) throw tooMuchXml(this.what, this.readBytes, this.maxBytes)
    return this.zip.openReadStreamPromise(entry)
  }
}

/**
 * Opens a document that is a ZIP archive while `use` runs.
 * @param what The kind of file, for messages: `The PPTX`.
 * @param maxBytes Limit on the inflated bytes of its text parts.
 * Throws `corrupt`, `too_many_entries`, `too_much_xml`.
 */
export async function withPackage<T>(
  { file, what, maxBytes }: { file: string; what: string; maxBytes: number },
  use: (parts: Package) => Promise<T>,
): Promise<T> {
  return withZip(file, what, async (zip) => {
    if (zip.entryCount > MAX_ENTRIES) throw tooManyEntries(what, MAX_ENTRIES)
    const entries = new Map<string, Entry>()
    let declared = 0
    for await (const entry of zip.eachEntry()) {
      if (TEXT_PART.test(entry.fileName)) declared += entry.uncompressedSize
      // An archive that declares too much is refused before anything is inflated.
      if (declared > maxBytes) throw tooMuchXml(what, declared, maxBytes)
      const key = keyOf(entry.fileName)
      if (!entries.has(key)) entries.set(key, entry)
    }
    return use(new Package(what, zip, entries, maxBytes))
  })
}

/** Names of parts are the same in upper and lower case (ECMA-376, part 2), and some programs write them with a slash in front. */
function keyOf(name: string): string {
  return name.replaceAll('\\', '/').replace(/^\/+/, '').toLowerCase()
}

/** A part that cannot be inflated. */
function isBrokenPart(error: unknown): boolean {
  return error instanceof Error && !isDocsearchError(error) && !(error instanceof TypeError)
}

/** Resolves an address in a part like a relative address, without its fragment. It never leaves the package, because names are only compared. */
export function resolvePart(from: string, address: string): string {
  const target = decode(address.replace(/[?#].*$/s, ''))
  const path = target.startsWith('/') ? [] : from.split('/').slice(0, -1)
  for (const step of target.split('/')) {
    if (step === '..') path.pop()
    else if (step !== '' && step !== '.') path.push(step)
  }
  return path.join('/')
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // A percent sign that encodes nothing.
    return text
  }
}

/** Titles that programs write themselves. */
const DEFAULT_TITLE =
  /^(?:PowerPoint[ -]?Pr.sentation|Pr.sentation PowerPoint|Slide 1|Folie 1|Diapositive 1|untitled|Microsoft (?:Word|Excel|PowerPoint).*)$/i

/** Returns the title in the properties of a document; null if it has none of its own. */
export async function readTitle(parts: Package, part: string): Promise<string | null> {
  const title = new ElementText('title')
  await parts.readOptionalXml(part, title)
  const text = cleanTitle(title.value)
  return text === null || DEFAULT_TITLE.test(text) ? null : text
}
