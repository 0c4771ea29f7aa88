import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { cleanTitle } from '../blocks/page-builder.ts'
import { corrupt, encrypted, tooMuchXml } from '../failures.ts'
import { withPackage, readTitle } from '../package/package.ts'
import { readXml, together, type XmlHandlers } from '../package/xml.ts'
import type { ParserInput } from '../parser.ts'

const CONTENT = 'content.xml'
const ZIP = 'PK'

interface OdfHandlers {
  /** Get the styles: all that is outside of the body. */
  styles: XmlHandlers
  /** Get the body, which comes after the styles. */
  body: XmlHandlers
}

/**
 * Reads an OpenDocument file, which is a ZIP archive or, with the extensions .fodt, .fods and .fodp, one XML file. Returns its title.
 * Throws `encrypted` for a file with a password, whose parts the manifest marks, `corrupt`, `too_much_xml`, `too_many_entries`.
 */
export async function readOdf(
  { file, limits }: Pick<ParserInput, 'file' | 'limits'>,
  what: string,
  handlers: OdfHandlers,
): Promise<string | null> {
  if (!(await isZip(file))) return readFlat(file, what, limits.xmlBytes, handlers)
  return withPackage({ file, what, maxBytes: limits.xmlBytes }, async (parts) => {
    let isEncrypted = false
    await parts.readOptionalXml('META-INF/manifest.xml', {
      open({ name }) {
        if (name === 'encryption-data') isEncrypted = true
      },
    })
    if (isEncrypted) throw encrypted()
    if (!parts.has(CONTENT)) throw corrupt(what)
    await parts.readOptionalXml('styles.xml', handlers.styles)
    await parts.readXml(CONTENT, byPlace(handlers))
    return readTitle(parts, 'meta.xml')
  })
}

async function isZip(file: string): Promise<boolean> {
  const handle = await open(file)
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(ZIP.length), 0, ZIP.length, 0)
    return buffer.toString('latin1', 0, bytesRead) === ZIP
  } finally {
    await handle.close()
  }
}

async function readFlat(file: string, what: string, maxBytes: number, { styles, body }: OdfHandlers): Promise<string | null> {
  const { size } = await stat(file)
  if (size > maxBytes) throw tooMuchXml(what, size, maxBytes)
  let title = ''
  let isInTitle = false
  const properties: XmlHandlers = {
    open({ qualified }) {
      isInTitle = qualified === 'dc:title'
    },
    text(text) {
      if (isInTitle) title += text
    },
    close() {
      isInTitle = false
    },
  }
  await readXml(createReadStream(file), { what }, byPlace({ styles: together(styles, properties), body }))
  return cleanTitle(title)
}

/** Returns handlers that pass what is in the body to one reader, and all else to the other. */
function byPlace({ styles, body }: OdfHandlers): Required<XmlHandlers> {
  let depth = 0
  return {
    open(element) {
      if (depth > 0 || element.name === 'body') depth++
      ;(depth > 0 ? body : styles).open(element)
    },
    text: (text) => (depth > 0 ? body : styles).text?.(text),
    close(name, qualified) {
      ;(depth > 0 ? body : styles).close?.(name, qualified)
      if (depth > 0) depth--
    },
  }
}
