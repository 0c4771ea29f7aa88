import { setTimeout as sleep } from 'node:timers/promises'
import { generatedText } from '../../../test/support/generated-text.ts'
import { canCluster } from '../../../test/support/cluster.ts'
import type { Figure } from '../../measure.ts'
import { Documents, measureDuringIngest, measureIngest } from './ingest.ts'
import { Report } from './report.ts'
import { measureLatency, measureSmallNode, measureStarts, measureThroughput } from './search.ts'
import { measureSizes } from './sizes.ts'
import { startSystem, type System } from './system.ts'

const ROUNDS = 4
const SEARCH_ROUNDS = 10
/** The share of the passages that the bench loads while it measures searches. */
const DURING = 0.1
const IDLE_MS = 20_000

export interface ProcessesOptions {
  passages: number
  notes: number
  pdfs: number
  questions: number
}

/** Compares one and two workers, one and two API nodes, and an instance in a data folder with the same documents. */
export async function measureProcesses({ passages, notes, pdfs, questions: asked }: ProcessesOptions): Promise<Figure[]> {
  if (!canCluster) throw new Error('Install PostgreSQL and versitygw to measure several processes.')
  const corpus = generatedText()
  const documents = new Documents(corpus)
  const report = new Report()
  const system = await startSystem()
  try {
    const all = corpus.documentsFor(passages)
    const during = inTens(all * DURING)
    const count = inTens((all - during) / (2 * ROUNDS))
    await measureIngest(system, documents, { kind: 'documents', count, rounds: ROUNDS }, report)
    await measureIngest(system, documents, { kind: 'notes', count: Math.ceil(notes / (2 * ROUNDS)), rounds: ROUNDS }, report)
    await measureIngest(system, documents, { kind: 'PDFs', count: Math.ceil(pdfs / (2 * ROUNDS)), rounds: ROUNDS }, report)
    const questions = corpus.questions(asked, documents.taken)
    await measureStarts(system, questions[0]!, report)
    await measureLatency(system, questions, report)
    await measureThroughput(system, { questions, rounds: SEARCH_ROUNDS }, report)
    await system.wakeReader()
    await measureDuringIngest(system, documents, { count: during, questions }, report)
    await measureAtRest(system, report)
    system.freezeReader()
    await measureSizes(system, report)
    await measureSmallNode(system, questions, report)
    return report.figures
  } finally {
    await system.dispose()
  }
}

/** Rounds up to a multiple of ten: each ten generated documents have the same sizes, so rounds can be compared. */
const inTens = (documents: number): number => Math.ceil(documents / 10) * 10

/** Processes look for work, leases and events when nobody uses the instance. */
async function measureAtRest({ meter }: System, report: Report): Promise<void> {
  const { usage } = await meter.during(() => sleep(IDLE_MS))
  report.addUsage('two API nodes and two workers at rest', 'second', usage, usage.elapsedMs / 1000)
}
