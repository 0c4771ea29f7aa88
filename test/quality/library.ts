import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Instance, Upload } from './instance.ts'

/** The least number of passages in a library of ordinary size. */
export const ORDINARY_SIZE = 15_000
const PAIRS = 6_000
/** Shorter texts are definitions of a few words, which no document consists of. */
const MIN_WORDS = 40

/** These pairs are two ways to ask the same, not passages of documents. */
const QUESTIONS = 'intent'

/** Loads passages from the pairs for training, evenly drawn, each as a file. Needs `xz`. */
export async function loadPairs(instance: Instance, data: string): Promise<void> {
  const file = join(data, 'pairs', 'pairs.tsv.xz')
  if (!existsSync(file)) throw new Error(`There is no ${file}.`)
  const lines = execFileSync('xz', ['-dc', file], { maxBuffer: 1 << 30 })
    .toString()
    .split('\n')
  const texts = new Set<string>()
  for (const line of lines) {
    const [, kind, short = '', passage = ''] = line.split('\t')
    if (kind !== QUESTIONS && passage.split(' ').length >= MIN_WORDS) texts.add(`${short}\n\n${passage}`)
  }
  const step = texts.size / PAIRS
  const drawn = [...texts].filter((_, i) => Math.floor(i / step) !== Math.floor((i - 1) / step))
  await instance.load(
    'pairs',
    drawn.map((content, i): Upload => ({ name: `${i}.txt`, content })),
  )
}
