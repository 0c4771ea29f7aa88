import { type Package, resolvePart } from '../package/package.ts'
import type { Element } from '../package/xml.ts'

/** What a part refers to. */
export interface Relationship {
  /** The end of its type, such as `slide`: the rest differs between the transitional and the strict form of the format. */
  type: string
  /** The name of the other part within the package. */
  target: string
}

/** Returns the relationships of a part by their IDs, or those of the package for an empty name. Skips what lies outside of the package. */
export async function readRelationships(parts: Package, part: string): Promise<Map<string, Relationship>> {
  const [folder, name] = split(part)
  const found = new Map<string, Relationship>()
  await parts.readOptionalXml(`${folder}_rels/${name}.rels`, {
    open({ name: element, attribute }) {
      const target = attribute('Target')
      if (element !== 'Relationship' || target === null || attribute('TargetMode') === 'External') return
      const type = attribute('Type') ?? ''
      found.set(attribute('Id') ?? '', { type: type.slice(type.lastIndexOf('/') + 1), target: resolvePart(part, target) })
    },
  })
  return found
}

/** Returns the `r:id` of an element, which can have an `id` of its own. */
export function relationshipId({ attributes }: Element): string | null {
  const key = Object.keys(attributes).find((name) => /^[^:]+:id$/.test(name))
  return key === undefined ? null : (attributes[key] ?? null)
}

/** Returns the names of the parts that a part refers to with this type. */
export function targetsOf(relationships: ReadonlyMap<string, Relationship>, type: string): string[] {
  return [...relationships.values()].filter((one) => one.type === type).map(({ target }) => target)
}

/** Returns the name of the part with the document itself; null if the package names none that it has. */
export async function findMainPart(parts: Package, usual: string): Promise<string | null> {
  const named = targetsOf(await readRelationships(parts, ''), 'officeDocument').find((target) => parts.has(target))
  return named ?? (parts.has(usual) ? usual : null)
}

function split(part: string): [folder: string, name: string] {
  const slash = part.lastIndexOf('/') + 1
  return [part.slice(0, slash), part.slice(slash)]
}
