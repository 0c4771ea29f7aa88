import { type Relationship, targetsOf } from '../ooxml/relationships.ts'
import type { Package } from '../package/package.ts'
import { StringText } from './strings.ts'

/** Excel repeats each threaded comment as an older one, for programs that know only those. It begins with this word in any language. */
const REPEATED = /^\[[^\]]{3,60}\]\s/

/** Returns the comments on the cells of a sheet, each with the address of its cell. */
export async function readCellComments(parts: Package, relationships: ReadonlyMap<string, Relationship>): Promise<string[]> {
  const threaded = targetsOf(relationships, 'threadedComment')
  const comments: string[] = []
  for (const part of threaded) comments.push(...(await readComments(parts, part, 'threadedComment')))
  for (const part of targetsOf(relationships, 'comments')) {
    const older = await readComments(parts, part, 'comment')
    comments.push(...(threaded.length === 0 ? older : older.filter((text) => !REPEATED.test(text.replace(/^\S+: /, '')))))
  }
  return comments
}

async function readComments(parts: Package, part: string, element: string): Promise<string[]> {
  const comments: string[] = []
  let address: string | null = null
  let plain = ''
  let isPlain = false
  const rich = new StringText()
  await parts.readOptionalXml(part, {
    open(opened) {
      if (opened.name === element) address = opened.attribute('ref') ?? ''
      else if (address !== null && element === 'threadedComment') isPlain = opened.name === 'text'
      else rich.open(opened)
    },
    text(text) {
      if (isPlain) plain += text
      else if (address !== null) rich.text(text)
    },
    close(name) {
      rich.close(name)
      isPlain &&= name !== 'text'
      if (name !== element || address === null) return
      const text = (plain + rich.take()).replace(/\s+/g, ' ').trim()
      if (text !== '') comments.push(`${address}: ${text}`)
      address = null
      plain = ''
    },
  })
  return comments
}
