import { CHUNKER_VERSION } from '../chunk/chunk.ts'
import type { Embedder } from '../embed/embedder.ts'
import { INDEX_LAYOUT_VERSION, USABLE_INDEX_LAYOUTS } from '../index/passage-index.ts'
import { PARSER_VERSION } from '../parse/parser.ts'
import { ANALYSER_VERSION } from '../text/analyse.ts'

/** Names everything that makes an index what it is, in two parts that change for different reasons. */
export interface IndexFingerprint {
  /** `Embedder.fingerprint`. Vectors of two different fingerprints can't be compared. */
  embedder: string
  /** The versions of docsearch's own steps: how it reads, cuts, analyses and stores text. */
  layout: string
}

export function fingerprintOf(embedder: Pick<Embedder, 'fingerprint'>): IndexFingerprint {
  return { embedder: embedder.fingerprint, layout: currentLayout() }
}

/** Returns the `layout` of an index that this version makes. */
export function currentLayout(): string {
  return `pages ${PARSER_VERSION}, chunks ${CHUNKER_VERSION}, terms ${ANALYSER_VERSION}, table ${INDEX_LAYOUT_VERSION}`
}

const SEPARATOR = ' | '

export function formatFingerprint({ embedder, layout }: IndexFingerprint): string {
  return layout + SEPARATOR + embedder
}

export function parseFingerprint(text: string): IndexFingerprint {
  const at = text.indexOf(SEPARATOR)
  return { layout: text.slice(0, at), embedder: text.slice(at + SEPARATOR.length) }
}

/** Returns whether this version can open the index, search it and add to it, even if it makes indexes in another way. */
export function isUsable({ layout }: IndexFingerprint): boolean {
  const [, table] = /\btable (\d+)$/.exec(layout) ?? []
  return table !== undefined && USABLE_INDEX_LAYOUTS.has(Number(table))
}

/** Returns whether a newer version of docsearch made the index. This version would replace that index with its own. */
export function isOfNewerVersion({ layout }: IndexFingerprint): boolean {
  const own = versionsOf(currentLayout())
  return [...versionsOf(layout)].some(([step, version]) => version > (own.get(step) ?? 0))
}

/** Returns the version of each step in a layout. */
function versionsOf(layout: string): Map<string, number> {
  return new Map([...layout.matchAll(/(\w+) (\d+)/g)].map(([, step = '', version]) => [step, Number(version)]))
}

/** Returns whether two indexes differ only in how the documents were read. Then documents can be read again one by one. */
export function differOnlyInPages(a: IndexFingerprint, b: IndexFingerprint): boolean {
  const rest = ({ layout }: IndexFingerprint) => layout.replace(/^pages \d+, /, '')
  return a.embedder === b.embedder && a.layout !== b.layout && rest(a) === rest(b)
}
