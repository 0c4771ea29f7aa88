import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { DocsearchError } from '../../core/errors.ts'
import { SHIPPED } from './shipped.ts'

/** The same folder for the sources and for what is built of them. */
const FILE = fileURLToPath(new URL(`../../../models/${SHIPPED.file}`, import.meta.url))

const FORMAT = 1

/** What stands in the first line of a model's file. */
interface Header {
  /** Of the layout. */
  format: number
  name: string
  version: number
  dimensions: number
  words: number
  phrases: number
  /** Of the list of words that follows. */
  wordBytes: number
}

/** A table of word vectors as it is kept: of four bits a number, with a scale for each row. */
export interface ModelTable extends Omit<Header, 'format' | 'wordBytes'> {
  /** The words in the order of their rows, parted by line feeds. */
  wordList: string
  /** Two rows of words for each phrase; its own row comes after all words, in this order. */
  pairs: Uint16Array
  /** For each row: what one step is worth. */
  scales: Float32Array
  /** For each row `dimensions / 2` bytes, the first of two numbers in the low bits, 8 more than its value. */
  rows: Uint8Array
}

let shipped: SharedArrayBuffer | null = null

/**
 * The shipped model's bytes, read and held against their checksum once, and shared by all threads that are given them.
 * Throws DocsearchError `internal_error` when the file is missing or damaged.
 */
export function shippedModel(): SharedArrayBuffer {
  return (shipped ??= readModelFile(FILE, SHIPPED.sha256))
}

/** The bytes of a file that has this checksum. Throws DocsearchError `internal_error` when it has not, or cannot be read. */
export function readModelFile(path: string, sha256: string): SharedArrayBuffer {
  let read: Buffer
  try {
    read = readFileSync(path)
  } catch (cause) {
    throw damaged(path, 'cannot be read', cause)
  }
  if (hash('sha256', read) !== sha256) throw damaged(path, 'is not what was shipped')
  const bytes = new SharedArrayBuffer(read.length)
  new Uint8Array(bytes).set(read)
  return bytes
}

function damaged(path: string, what: string, cause?: unknown): DocsearchError {
  return new DocsearchError('internal_error', `The built-in embedding model ${what}: ${path}. Install docsearch again.`, {
    fault: 'outside',
    cause,
  })
}

/** Views of a model's bytes; only the list of words is copied. `training/README.md` has the layout. */
export function readModel(bytes: ArrayBufferLike): ModelTable {
  const all = Buffer.from(bytes)
  const { format, wordBytes, ...header } = JSON.parse(all.toString('utf8', 0, all.indexOf('\n'))) as Header
  if (format !== FORMAT) throw new Error(`a model's file of format ${format}`)
  const { words, phrases, dimensions } = header
  let at = aligned(all.indexOf('\n') + 1)
  const wordList = all.toString('utf8', at, at + wordBytes)
  at = aligned(at + wordBytes)
  const pairs = new Uint16Array(bytes, at, phrases * 2)
  at = aligned(at + pairs.byteLength)
  const scales = new Float32Array(bytes, at, words + phrases)
  const rows = new Uint8Array(bytes, at + scales.byteLength, ((words + phrases) * dimensions) / 2)
  return { ...header, wordList, pairs, scales, rows }
}

/** Typed arrays begin where their elements may. */
function aligned(at: number): number {
  return Math.ceil(at / 4) * 4
}
