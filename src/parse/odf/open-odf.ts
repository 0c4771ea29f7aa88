import { corrupt, encrypted } from '../failures.ts'
import { type Package, withPackage } from '../package/package.ts'
import { readTitle } from '../package/properties.ts'
import type { ParserInput } from '../parser.ts'

export const CONTENT = 'content.xml'

/**
 * Opens an OpenDocument file while `use` reads its content, and returns its title. Throws `encrypted` for a file with a password,
 * whose parts the manifest marks.
 */
export async function withOdf(
  { file, limits }: Pick<ParserInput, 'file' | 'limits'>,
  what: string,
  use: (parts: Package) => Promise<void>,
): Promise<string | null> {
  return withPackage({ file, what, maxBytes: limits.xmlBytes }, async (parts) => {
    let isEncrypted = false
    await parts.readOptionalXml('META-INF/manifest.xml', {
      open({ name }) {
        if (name === 'encryption-data') isEncrypted = true
      },
    })
    if (isEncrypted) throw encrypted()
    if (!parts.has(CONTENT)) throw corrupt(what)
    await use(parts)
    return readTitle(parts, 'meta.xml')
  })
}
