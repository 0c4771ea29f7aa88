import { STOP_WORDS } from '../../../src/text/stop-words.ts'

/** A passage as docsearch cut and embedded it. */
export interface BenchPassage {
  id: string
  text: string
  vector: Float32Array
}

/** Another program, with the passages of the daemon. */
export interface Rival {
  name: string
  buildMs: number
  /** Size on disk. */
  bytes: number
  /** Finds the ten best passages and returns their texts. */
  search(question: string): Promise<string[]>
  close(): Promise<void>
}

/** A rival behind an HTTP server in a process of its own. */
export interface RivalServer extends Pick<Rival, 'name' | 'search' | 'close'> {
  pid: number
}

export interface RivalInput {
  /** An empty folder for the rival's files. */
  folder: string
  /** Reads all passages again with each call, in batches. */
  passages(): AsyncIterable<BenchPassage[]>
  embed(question: string): Promise<Float32Array>
}

/** Builds a rival. Returns the reason as a text if this machine lacks the program. */
export type BuildRival = (input: RivalInput) => Promise<Rival | string>

/** Returns the words that docsearch asks for, so that no rival has to count every passage with `the`. */
export function wordsOf(question: string): string[] {
  const words = question.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  const content = words.filter((word) => !STOP_WORDS.english!.has(word))
  return content.length > 0 ? content : words
}
