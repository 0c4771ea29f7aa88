import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { analyse, queryWords } from '../../src/text/analyse.ts'
import { contentOf, readMismatchSet, reportOfMismatch, type MismatchResult } from './mismatch.ts'

const { passages, questions } = readMismatchSet()
const termsOf = new Map(passages.map((passage) => [passage.id, new Set(analyse(contentOf(passage)).map((token) => token.term))]))

/** A word in this many passages is common: a question and its passage may share it without a hint that they belong together. */
const COMMON = passages.length / 20

/** Returns the terms that a question shares with the passages that answer it. */
function shared({ question, passages: right }: (typeof questions)[number]): string[] {
  const asked = queryWords(question).flatMap((word) => word.terms)
  return [...new Set(asked)].filter((term) => right.some((id) => termsOf.get(id)!.has(term)))
}

/** Returns every run of `length` words. */
function runs(text: string, length: number): string[] {
  const words = text.toLowerCase().match(/[a-z0-9']+/g) ?? []
  return words.slice(length - 1).map((_, i) => words.slice(i, i + length).join(' '))
}

function countBy<T>(items: readonly T[], key: (item: T) => string): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const item of items) counts[key(item)] = (counts[key(item)] ?? 0) + 1
  return counts
}

describe('the mismatch set follows its rules:', () => {
  test('ten fields, thirty passages and twelve questions in each', () => {
    const perPassage = countBy(passages, ({ field }) => field)
    expect(Object.keys(perPassage)).toHaveLength(10)
    expect(new Set(Object.values(perPassage))).toEqual(new Set([30]))
    expect(countBy(questions, ({ field }) => field)).toEqual(
      Object.fromEntries(Object.keys(perPassage).map((field) => [field, 12])),
    )
  })

  test('ids are unique, and so are texts and questions', () => {
    const ids = [...passages, ...questions].map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(new Set(passages.map(({ text }) => text)).size).toBe(passages.length)
    expect(new Set(questions.map(({ question }) => question)).size).toBe(questions.length)
  })

  test('no part of it is in the training texts', () => {
    const folder = fileURLToPath(new URL('../../training/everyday', import.meta.url))
    const parts = readdirSync(folder).flatMap((name) => readFileSync(`${folder}/${name}`, 'utf8').split(/[|\t\n]/))
    expect(parts.length).toBeGreaterThan(10_000)
    const trained = (length: number) => new Set(parts.flatMap((part) => runs(part, length)))
    const [short, long] = [trained(5), trained(6)]
    expect(questions.filter(({ question }) => runs(question, 5).some((run) => short.has(run))).map(({ id }) => id)).toEqual([])
    expect(passages.filter(({ text }) => runs(text, 6).some((run) => long.has(run))).map(({ id }) => id)).toEqual([])
  })

  test('every question has a passage of its field, and no passage has two questions', () => {
    const fieldOf = new Map(passages.map(({ id, field }) => [id, field]))
    for (const { id, field, passages: right } of questions) {
      expect(right.length, id).toBeGreaterThan(0)
      for (const passage of right) expect(fieldOf.get(passage), `${id}: ${passage}`).toBe(field)
    }
    const asked = questions.flatMap(({ passages: right }) => right)
    expect(new Set(asked).size).toBe(asked.length)
  })

  test('passages have 50 to 130 words, questions 4 to 12', () => {
    const words = (text: string): number => text.trim().split(/\s+/).length
    expect(passages.filter(({ text }) => words(text) < 50 || words(text) > 130).map(({ id }) => id)).toEqual([])
    expect(questions.filter(({ question }) => words(question) < 4 || words(question) > 12).map(({ id }) => id)).toEqual([])
  })

  test('a question shares no term with its passage, or only a common one', () => {
    const sharing = questions
      .map((question) => ({ id: question.id, terms: shared(question) }))
      .filter(({ terms }) => terms.length > 0)
    const common = (term: string): boolean => [...termsOf.values()].filter((terms) => terms.has(term)).length >= COMMON
    expect(sharing.filter(({ terms }) => terms.length > 1 || !common(terms[0]!))).toEqual([])
    expect(sharing.length).toBeLessThanOrEqual(questions.length / 5)
  })
})

describe('the report', () => {
  const result = (keyword: number, hybrid: number, reranked: number, others = 0): MismatchResult => ({
    questions: 120,
    others,
    byRun: {
      keyword: { 3: 0, 5: keyword, 10: 1 },
      vector: { 3: 0, 5: 0, 10: 0 },
      hybrid: { 3: 0, 5: hybrid, 10: 1 },
      reranked: { 3: 0.4, 5: reranked, 10: 1 },
    },
    byField: { housing: { 3: 0.25, 5: 0.75, 10: 1 } },
  })

  test('shows each mode and field at each depth', () => {
    const { lines, problems } = reportOfMismatch(result(0.1, 0.71, 0.75))
    expect(lines).toContain('| reranked | 40 % | 75 % | 100 % |')
    expect(lines).toContain('| housing | 25 % | 75 % | 100 % |')
    expect(problems).toEqual([])
  })

  test('lists questions that keywords answer, and answers that are not found, as problems', () => {
    expect(reportOfMismatch(result(0.25, 0.71, 0.71)).problems).toEqual([expect.stringContaining('keyword')])
    expect(reportOfMismatch(result(0, 0.7, 0.71)).problems).toEqual([expect.stringContaining('hybrid')])
    expect(reportOfMismatch(result(0, 0.71, 0.7)).problems).toEqual([expect.stringContaining('reranked')])
  })

  test('asks less of a library with other passages', () => {
    expect(reportOfMismatch(result(0, 0.65, 0.65, 15_000)).problems).toEqual([])
    expect(reportOfMismatch(result(0, 0.65, 0.64, 15_000)).problems).toEqual([expect.stringContaining('15,000 other passages')])
  })
})
