/**
 * A text collection of any size, the same in every run. Its words follow Zipf's law, and each document has a subject of its own, so that
 * rare words come in clusters as they do in real text.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readModel, shippedModel } from '../../src/embed/model/file.ts'
import { DATA_DIR } from './data.ts'
import { seeded } from './seeded.ts'

const WORDS = 200_000
/**
 * Zipf's exponent, and the shift with which Mandelbrot fitted it to the most frequent words of real text. As in the judged collections, about
 * one word in forty is none that the built-in embedder knows.
 */
const EXPONENT = 1.25
const SHIFT = 2.7
const SUBJECTS = 500
/** The average length of the passages that docsearch makes of this text. */
const WORDS_IN_PASSAGE = 195
/** Words of a note, a report and a book. Of ten documents, five are notes, four reports and one is a book. */
const SIZES = [250, 250, 250, 250, 250, 3_000, 3_000, 3_000, 3_000, 30_000]
const PASSAGES_IN_TEN = SIZES.reduce((sum, words) => sum + words, 0) / WORDS_IN_PASSAGE
/** The share of a document's words that belong to its subject, and of names and terms that few other documents have. */
const FROM_SUBJECT = 0.12
const FROM_DOCUMENT = 0.04

export interface GeneratedDocument {
  name: string
  content: string
}

type Random = () => number

export interface GeneratedText {
  /** The number of documents that make this number of passages, roughly. */
  documentsFor(passages: number): number
  document(number: number): GeneratedDocument
  /** Questions of words of the first documents, and of the judged collections where they are installed. */
  questions(count: number, documents: number): string[]
}

export function generatedText(): GeneratedText {
  const words = vocabulary()
  const draw = zipf(words)
  const subjects = Array.from({ length: SUBJECTS }, (_, i) => drawMany(seeded(i + 1), 60, 300, 50_000, words))
  const document = (number: number): GeneratedDocument => {
    const random = seeded(1_000 + number)
    const subject = pick(random, subjects)
    const own = drawMany(random, 12, 5_000, 80_000, words)
    const word = (): string => {
      const share = random()
      if (share < FROM_DOCUMENT) return pick(random, own)
      return share < FROM_DOCUMENT + FROM_SUBJECT ? pick(random, subject) : draw(random())
    }
    const size = SIZES[number % SIZES.length]!
    return { name: `${nameOf(size)}-${String(number).padStart(6, '0')}.md`, content: textOf(random, size, word, subject) }
  }
  return {
    documentsFor: (passages) => Math.max(SIZES.length, Math.ceil((passages / PASSAGES_IN_TEN) * SIZES.length)),
    document,
    questions: (count, documents) => drawQuestions(count, documents, document),
  }
}

const pick = <T>(random: Random, items: readonly T[]): T => items[Math.floor(random() * items.length)]!

function drawMany(random: Random, count: number, from: number, to: number, words: readonly string[]): string[] {
  return Array.from({ length: count }, () => words[Math.floor(from * (to / from) ** random())]!)
}

/** The words that the built-in embedder knows, most frequent first, then invented words of their beginnings and ends, numbers and codes. */
function vocabulary(): string[] {
  const known = readModel(shippedModel()).wordList.split('\n')
  const random = seeded(11)
  const words = new Set(known)
  while (words.size < WORDS) {
    const [a, b] = [pick(random, known), pick(random, known)]
    const kind = random()
    if (kind < 0.04) words.add(String(Math.floor(10 ** (2 + 3 * random()))))
    else if (kind < 0.08) words.add(`${a.slice(0, 2)}${Math.floor(1_000 * random())}`.toUpperCase())
    else words.add(a.slice(0, Math.ceil(a.length * 0.7)) + b.slice(Math.floor(b.length * 0.4)))
  }
  return [...words]
}

/** Returns a function that turns an even random number into a word. */
function zipf(words: readonly string[]): (random: number) => string {
  const sums = new Float64Array(words.length)
  let sum = 0
  for (let rank = 0; rank < words.length; rank++) sums[rank] = sum += 1 / (rank + 1 + SHIFT) ** EXPONENT
  return (random) => {
    let [low, high] = [0, words.length - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if (sums[middle]! < random * sum) low = middle + 1
      else high = middle
    }
    return words[low]!
  }
}

const nameOf = (size: number): string => (size < 1_000 ? 'note' : size < 10_000 ? 'report' : 'book')

const capital = (text: string): string => `${text[0]!.toUpperCase()}${text.slice(1)}`

/** Markdown: a title, headings, and paragraphs of three to eight sentences. */
function textOf(random: Random, size: number, word: () => string, subject: readonly string[]): string {
  const heading = () => capital(Array.from({ length: 2 + Math.floor(random() * 4) }, () => pick(random, subject)).join(' '))
  const blocks = [`# ${heading()}`]
  for (let written = 0; written < size;) {
    if (random() < 0.15) blocks.push(`## ${heading()}`)
    const sentences: string[] = []
    for (let left = 3 + Math.floor(random() * 6); left > 0; left--) {
      const words = Array.from({ length: 6 + Math.floor(random() * 20) }, word)
      if (words.length > 14) words[6] += ','
      sentences.push(`${capital(words.join(' '))}.`)
      written += words.length
    }
    blocks.push(sentences.join(' '))
  }
  return `${blocks.join('\n\n')}\n`
}

/** Half of the questions are part of a sentence, half mix words of a paragraph. Every fifth comes from a judged collection. */
function drawQuestions(count: number, documents: number, document: (number: number) => GeneratedDocument): string[] {
  const random = seeded(5)
  const real = realQuestions()
  return Array.from({ length: count }, (_, i) => {
    if (i % 5 === 4 && real.length > 0) return real[Math.floor(i / 5) % real.length]!
    const paragraphs = document(Math.floor(random() * documents))
      .content.split('\n\n')
      .slice(1)
    const words = pick(random, paragraphs).match(/[\p{L}\p{N}]+/gu) ?? []
    const length = 3 + Math.floor(random() * 4)
    const start = Math.floor(random() * Math.max(1, words.length - length))
    return (i % 2 === 0 ? words.slice(start, start + length) : Array.from({ length }, () => pick(random, words))).join(' ')
  })
}

function realQuestions(): string[] {
  return ['cranfield', 'anthropic_docs'].flatMap((set) => {
    const file = join(DATA_DIR ?? '', 'retrieval', set, 'queries.jsonl')
    if (DATA_DIR === null || !existsSync(file)) return []
    const lines = readFileSync(file, 'utf8').trim().split('\n')
    return lines.slice(0, 100).map((line) => (JSON.parse(line) as { text: string }).text)
  })
}
