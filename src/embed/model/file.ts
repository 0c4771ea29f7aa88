import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { DocsearchError } from '../../core/errors.ts'
import { SHIPPED } from './shipped.ts'

/** The path is right from src/ and from dist/. */
const MODEL_FILE = fileURLToPath(new URL(`../../../models/${SHIPPED.file}`, import.meta.url))

const FORMAT = 1

/** The first line of a model's file, as JSON. */
interface Header {
  /** Version of the layout. */
  format: number
  name: string
  version: number
  dimensions: number
  words: number
  phrases: number
  /** Size of the list of words that follows. */
  wordBytes: number
}

/** A table of word vectors as stored: four bits a number, with a scale for each row. */
export interface ModelTable extends Omit<Header, 'format' | 'wordBytes'> {
  /** The words in the order of their rows, separated by line feeds. */
  wordList: string
  /** For each phrase, the rows of its two words. The phrases' own rows follow those of the words, in this order. */
  pairs: Uint16Array
  /** For each row, the value of one step. */
  scales: Float32Array
  /** For each row, `dimensions / 2` bytes with two numbers each, the first in the low bits. A number is stored as its value plus 8. */
  rows: Uint8Array
}

let shipped: SharedArrayBuffer | null = null

/**
 * Returns the bytes of the shipped model, which all threads can share. The first call reads the file and verifies its checksum. Throws
 * DocsearchError `internal_error` when the file is missing or damaged.
 */
export function shippedModel(): SharedArrayBuffer {
  return (shipped ??= readModelFile(MODEL_FILE, SHIPPED.sha256))
}

/** Returns the bytes of a file. Throws DocsearchError `internal_error` when it can't be read or has another checksum. */
export function readModelFile(path: string, sha256: string): SharedArrayBuffer {
  let read: Buffer
  try {
    read = readFileSync(path)
  } catch (cause) {
    throw damaged(path, 'cannot be read', cause)
  }
  if (hash('sha256', read) !== sha256) throw damaged(path, 'is damaged')
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

/** Returns views of a model's bytes; copies only the list of words. `training/README.md` describes the layout. */
export function readModel(bytes: ArrayBufferLike): ModelTable {
  const all = Buffer.from(bytes)
  const { wordBytes, start, ...header } = readHeader(all)
  const { words, phrases, dimensions } = header
  let at = start
  const wordList = all.toString('utf8', at, at + wordBytes)
  at = aligned(at + wordBytes)
  const pairs = new Uint16Array(bytes, at, phrases * 2)
  at = aligned(at + pairs.byteLength)
  const scales = new Float32Array(bytes, at, words + phrases)
  const rows = new Uint8Array(bytes, at + scales.byteLength, ((words + phrases) * dimensions) / 2)
  return { ...header, wordList, pairs, scales, rows }
}

/** Reads the first line of a model's file. `start` is the place of the list of words. */
function readHeader(bytes: Buffer): Omit<Header, 'format'> & { start: number } {
  const end = bytes.indexOf('\n')
  const { format, ...header } = JSON.parse(bytes.toString('utf8', 0, end)) as Header
  if (format !== FORMAT) throw new Error(`unknown model file format ${format}`)
  return { ...header, start: aligned(end + 1) }
}

/** Rounds up to a multiple of 4, because typed arrays have to start at a multiple of their element size. */
function aligned(at: number): number {
  return Math.ceil(at / 4) * 4
}
