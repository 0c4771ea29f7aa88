// `npm run quality [-- [--all] SET…]` measures search quality, with the real daemon over REST. It asks at most 600 questions of a set,
// unless --all is given.
//
// Without a set: all judged collections, into bench/QUALITY.md, and real files compared with other programs' text, into
// bench/DOCUMENTS.md. With `documents`: the real files. With `mismatch` alone: the questions in other words than their answers, which
// are part of the project. With `model`: what the model of the built-in embedder brings to the English collections. With `fusion`: the best
// weight of the vector channel for the embedder in use (DOCSEARCH_EMBEDDER).
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describeMachine } from '../../bench/machine.ts'
import { DATA_DIR } from '../support/data.ts'
import {
  askCollection,
  type CollectionResult,
  collectionSets,
  loadCollection,
  measureCollection,
  readCollection,
  RUN_NAMES,
} from './collections.ts'
import { DEPTHS, type FilingsResult, loadFilings, measureFilings } from './filings.ts'
import { readDocuments } from './documents.ts'
import { reportOf } from './documents-report.ts'
import { measureFusion } from './fusion.ts'
import { type Instance, startInstance } from './instance.ts'
import { loadPairs, ORDINARY_SIZE } from './library.ts'
import { mean } from './metrics.ts'
import { loadMismatchSet, measureMismatch, reportOfMismatch } from './mismatch.ts'
import { measureMixed, MIXED_SETS, reportOfMixed } from './mixed.ts'
import { measureHashed, MODEL_SETS, reportOfGain } from './model-gain.ts'
import { wrapProse } from './report-file.ts'

/** How far hybrid may fall below its own keyword channel, on any set. */
const TOLERANCE = 0.005
/** Mean nDCG@10 of the reranked order to reach, over the sets below. */
const MACRO_GOAL = 0.68
/** The part of the report that stays as it is. */
const TRIED = '## What was tried'
const FILING_FIGURES = ['document', 'page', 'answer'] as const
/** The mean that typing errors may cost when words are corrected, over all sets. */
const TYPO_TOLERANCE = 0.01

const maxQuestions = process.argv.includes('--all') ? Infinity : 600
const wanted = process.argv.slice(2).filter((argument) => argument !== '--all')
if (wanted.length === 1 && wanted[0] === 'mismatch') {
  console.log((await mismatchTables()).join('\n'))
  process.exit()
}
if (DATA_DIR === null) {
  console.log('skipped: no judged collections here (set DOCSEARCH_TEST_DATA to their folder)')
  process.exit(0)
}
const isWanted = (part: string) => wanted.length === 0 || wanted.includes(part)
const sets = collectionSets(join(DATA_DIR, 'retrieval')).filter(
  (set) => isWanted(set) || (isWanted('model') && MODEL_SETS.includes(set)),
)
if (isWanted('documents')) {
  const { markdown, problems } = reportOf(await readDocuments(join(DATA_DIR, 'documents')))
  console.log(markdown)
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) process.exitCode = 1
  const title = '# Extracted text compared with other programs'
  const about =
    '`npm run quality -- documents` wrote this file. It runs the real parser processes on good and bad real files. The reference text is from pdftotext or pandoc, which are not always right.'
  const path = fileURLToPath(new URL('../../bench/DOCUMENTS.md', import.meta.url))
  // The part about other formats is from `npm run test:long`.
  const others = /\n## Other formats\n[^]*$/.exec(readFileSync(path, 'utf8'))?.[0] ?? ''
  writeFileSync(path, `${wrapProse(`${title}\n\n${about}\n\n${markdown}\n`)}${others}`)
  if (wanted.length === 1) process.exit()
}
if (wanted.includes('fusion')) {
  await measureFusion(
    join(DATA_DIR, 'retrieval'),
    collectionSets(join(DATA_DIR, 'retrieval')).filter((set) => wanted.length === 1 || wanted.includes(set)),
  )
  process.exit()
}
const instance = await startInstance()
const results: CollectionResult[] = []
let filings: FilingsResult | null = null
const furtherTables: string[] = []
try {
  for (const set of sets) {
    const result = await measureCollection(instance, join(DATA_DIR, 'retrieval', set), set, maxQuestions)
    results.push(result)
    console.log(row(result))
  }
  if (isWanted('filings')) {
    await loadFilings(instance, join(DATA_DIR, 'filings'))
    filings = await measureFilings(instance, join(DATA_DIR, 'filings'))
  }
  if (isWanted('library')) furtherTables.push(...(await libraryTables(instance, DATA_DIR)))
  // Last, because its texts are in the instance already, in other projects.
  if (isWanted('mixed')) furtherTables.push(...(await mixedTable(instance, DATA_DIR)))
} finally {
  await instance.dispose()
}

const gain = isWanted('model') ? await gainTable(DATA_DIR) : []
const mismatch = isWanted('mismatch') ? await mismatchTables() : []
const report = [
  ...collectionTable(results),
  ...gain,
  ...typoTable(results),
  ...mismatch,
  ...furtherTables,
  ...(filings ? filingsTable(filings) : []),
].join('\n')
console.log(report)
if (wanted.length === 0) {
  const file = fileURLToPath(new URL('../../bench/QUALITY.md', import.meta.url))
  const header = `# Retrieval quality\n\n\`npm run quality\` wrote this file on ${describeMachine()}, with the built-in embedder and the real daemon over REST. Each judged document is uploaded as a text file, and results are grouped by document.\n\n`
  const written = readFileSync(file, 'utf8')
  // This section is written by hand.
  const tried = written.slice(written.indexOf(TRIED))
  writeFileSync(file, `${wrapProse(`${header}${report}\n\n`)}${tried}`)
}
const worse = results.filter(({ byRun }) => byRun.hybrid.ndcg10 < byRun.keyword.ndcg10 - TOLERANCE)
for (const { set } of worse) console.error(`hybrid is below keyword by more than ${TOLERANCE} on ${set}`)
if (worse.length > 0) process.exitCode = 1
const lost = mean(results.flatMap(({ typos }) => (typos === null ? [] : [typos.clean.ndcg10 - typos.corrected.ndcg10])))
if (lost > TYPO_TOLERANCE) {
  console.error(`typing errors cost ${lost.toFixed(3)}, more than ${TYPO_TOLERANCE}`)
  process.exitCode = 1
}

/** Uses a separate instance, because other collections would change the weights of words. A problem sets the exit code. */
async function mismatchTables(): Promise<string[]> {
  const instance = await startInstance()
  try {
    await loadMismatchSet(instance)
    return linesOf(reportOfMismatch(await measureMismatch(instance, 0)))
  } finally {
    await instance.dispose()
  }
}

/** Asks the mismatch questions among all collections and filings. Loads those that are not in the instance yet. */
async function libraryTables(instance: Instance, data: string): Promise<string[]> {
  for (const set of collectionSets(join(data, 'retrieval')).filter((name) => !sets.includes(name)))
    await loadCollection(instance, set, readCollection(join(data, 'retrieval', set)))
  if (!isWanted('filings')) await loadFilings(instance, join(data, 'filings'))
  await loadPairs(instance, data)
  const others = await instance.countPassages()
  if (others < ORDINARY_SIZE) throw new Error(`The library has only ${others} passages.`)
  await loadMismatchSet(instance)
  return linesOf(reportOfMismatch(await measureMismatch(instance, others)))
}

async function mixedTable(instance: Instance, data: string): Promise<string[]> {
  const alone = new Map(results.map(({ set, byRun }) => [set, byRun.reranked.ndcg10]))
  for (const set of MIXED_SETS.filter((name) => !alone.has(name))) {
    const collection = readCollection(join(data, 'retrieval', set))
    if (!isWanted('library')) await loadCollection(instance, set, collection)
    alone.set(set, (await askCollection(instance, set, collection, 'reranked', maxQuestions)).ndcg10)
  }
  return linesOf(reportOfMixed(await measureMixed(instance, data, alone, maxQuestions)))
}

/** Compares the results of this run with those of a program without the vectors of the model. */
async function gainTable(data: string): Promise<string[]> {
  const measured = new Map(results.map(({ set, byRun }) => [set, byRun.hybrid.ofQuestions]))
  const hashed = await measureHashed(data, maxQuestions)
  return linesOf(reportOfGain([...hashed].map(([set, figures]) => ({ set, hashed: figures, model: measured.get(set)! }))))
}

/** A problem sets the exit code. */
function linesOf({ lines, problems }: { lines: string[]; problems: string[] }): string[] {
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) process.exitCode = 1
  return lines
}

function row({ set, queries, byRun }: CollectionResult): string {
  const figures = RUN_NAMES.flatMap((run) => [byRun[run].ndcg10, byRun[run].recall100]).map((figure) =>
    figure.toFixed(3).replace(/^0/, ''),
  )
  return `| ${[set, queries, ...figures].join(' | ')} |`
}

function collectionTable(all: CollectionResult[]): string[] {
  const titles = RUN_NAMES.flatMap((run) => [`${run} nDCG@10`, `${run} Recall@100`])
  return [
    `| set | questions | ${titles.join(' | ')} |`,
    `|---|---|${titles.map(() => '---|').join('')}`,
    ...all.map(row),
    '',
    ...macroLine(all),
  ]
}

/** Returns the means to compare with the goal. */
function macroLine(all: CollectionResult[]): string[] {
  const english = all.filter(({ set }) => MODEL_SETS.includes(set))
  if (english.length < MODEL_SETS.length) return []
  const now = (run: (typeof RUN_NAMES)[number]) => mean(english.map(({ byRun }) => byRun[run].ndcg10)).toFixed(3)
  return [
    `Mean nDCG@10 over ${MODEL_SETS.join(', ')}: keyword ${now('keyword')}, hybrid ${now('hybrid')}, reranked ${now('reranked')} (goal ${MACRO_GOAL}).`,
    '',
  ]
}

/** One letter in a quarter of the longer words of the questions wrong. */
function typoTable(all: CollectionResult[]): string[] {
  const rows = all.flatMap(({ set, typos }) => (typos === null ? [] : [{ set, ...typos }]))
  const figures = rows.map(({ clean, corrected, insisted }) => [clean, corrected, insisted].map(({ ndcg10 }) => ndcg10))
  const line = (name: string, values: number[]) => {
    const [clean = 0, corrected = 0, insisted = 0] = values
    const shown = [clean, corrected, clean - corrected, insisted, clean - insisted]
    return `| ${[name, ...shown.map((value) => value.toFixed(3).replace(/^(-?)0/, '$1'))].join(' | ')} |`
  }
  return [
    'One wrong letter in a quarter of the longer words, nDCG@10 of the reranked order',
    '',
    '| set | as asked | with slips | lost | not corrected | lost |',
    '|---|---|---|---|---|---|',
    ...rows.map(({ set }, i) => line(set, figures[i]!)),
    line(
      'mean',
      [0, 1, 2].map((column) => mean(figures.map((values) => values[column]!))),
    ),
    '',
  ]
}

function filingsTable({ questions, byRun }: FilingsResult): string[] {
  const percent = (share: number): string => `${Math.round(share * 100)} %`
  return [
    `Filings, ${questions} questions: the right document, the right page, a passage with the text of the evidence among the first, and whether the excerpt of the first result is part of the evidence`,
    '',
    `| mode | ${FILING_FIGURES.flatMap((figure) => DEPTHS.map((d) => `${figure} @${d}`)).join(' | ')} | snippet @1 |`,
    `|---|${'---|'.repeat(DEPTHS.length * FILING_FIGURES.length + 1)}`,
    ...RUN_NAMES.map((mode) => {
      const figures = FILING_FIGURES.flatMap((figure) => DEPTHS.map((d) => byRun[mode][figure][d]))
      return `| ${[mode, ...[...figures, byRun[mode].snippet1].map(percent)].join(' | ')} |`
    }),
  ]
}
