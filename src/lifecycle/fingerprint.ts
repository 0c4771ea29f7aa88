import { CHUNKER_VERSION } from '../chunk/chunk.ts'
import type { Embedder } from '../embed/embedder.ts'
import { INDEX_LAYOUT_VERSION } from '../index/chunk-index.ts'
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
