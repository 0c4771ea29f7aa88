import { join } from 'node:path'
import { askCollection, loadCollection, readCollection } from './collections.ts'
import { copyWithoutWordVectors } from './hashed-features.ts'
import { startInstance } from './instance.ts'
import { bootstrapInterval, mean } from './metrics.ts'

/** English collections, because the model knows only English words. */
export const MODEL_SETS: readonly string[] = ['anthropic_docs', 'cisi', 'cranfield', 'med', 'xquad_en']
/**
 * The least gain of nDCG@10 in hybrid search, as the mean of the sets. The model gained that much on a set that was left out when the
 * settings of the vectors were chosen on the other sets (models/README.md), so it is the part of the gain that is not due to tuning. All runs
 * ask the same questions, so a smaller gain comes from a change of docsearch. The interval in the report says something else: how far
 * the gain of other questions might be from this one.
 */
const MIN_GAIN = 0.008
/**
 * What the model may cost on a set, so that the mean doesn't hide a set that the model makes worse. It costs as much if the right answer to one
 * question in 120 falls from the first place to the second, because the second place counts .37 less.
 */
const MAX_COST = 0.003

/** nDCG@10 of the same questions in hybrid search. */
export interface ComparedSet {
  set: string
  /** With hashed features only. */
  hashed: readonly number[]
  /** With the model. */
  model: readonly number[]
}

/**
 * Returns the nDCG@10 of each question of the sets when the built-in embedder has hashed features only. Everything else is the same as in an
 * ordinary instance, so a change of keyword search changes both figures.
 */
export async function measureHashed(data: string, maxQuestions: number): Promise<ReadonlyMap<string, readonly number[]>> {
  await using copy = await copyWithoutWordVectors()
  const instance = await startInstance(undefined, {}, copy.bin)
  try {
    const bySet = new Map<string, readonly number[]>()
    for (const set of MODEL_SETS) {
      const collection = readCollection(join(data, 'retrieval', set))
      await loadCollection(instance, set, collection)
      bySet.set(set, (await askCollection(instance, set, collection, 'hybrid', maxQuestions)).ofQuestions)
    }
    return bySet
  } finally {
    await instance.dispose()
  }
}

/** Returns a table for the report, and the problems. */
export function reportOfGain(sets: readonly ComparedSet[]): { lines: string[]; problems: string[] } {
  const compared = sets.map(({ set, hashed, model }) => ({
    set,
    questions: model.length,
    hashed: mean(hashed),
    model: mean(model),
    gains: model.map((figure, i) => figure - hashed[i]!),
  }))
  const gain = mean(compared.map(({ gains }) => mean(gains)))
  const all = bootstrapInterval(compared.map(({ gains }) => gains))
  const row = (cells: (string | number)[], gained: number, [low, high]: readonly [number, number]) =>
    `| ${[...cells, figure(gained), `${figure(low)} to ${figure(high)}`].join(' | ')} |`
  const lines = [
    'What the model adds to the built-in embedder: nDCG@10 of hybrid search with hashed features only, and with the model. In 95 % of 10,000 samples of the questions, drawn with replacement within each set, the gain is in the interval.',
    '',
    '| set | questions | hashed features | model | gain | interval |',
    '|---|---|---|---|---|---|',
    ...compared.map(({ set, questions, hashed, model, gains }) =>
      row([set, questions, figure(hashed), figure(model)], mean(gains), bootstrapInterval([gains])),
    ),
    row(['mean', '', ...(['hashed', 'model'] as const).map((of) => figure(mean(compared.map((set) => set[of]))))], gain, all),
    '',
    `The mean gain must be ${figure(MIN_GAIN)} or more: the model gained that much on a set that was left out when its settings were chosen. On any set, the model may lose at most ${figure(MAX_COST)}.`,
    '',
  ]
  const problems = compared
    .filter(({ gains }) => mean(gains) < -MAX_COST)
    .map(({ set, gains }) => `the model costs ${figure(-mean(gains))} on ${set}, more than ${figure(MAX_COST)}`)
  if (gain < MIN_GAIN) problems.push(`the model brings ${figure(gain)}, less than ${figure(MIN_GAIN)}`)
  return { lines, problems }
}

function figure(value: number): string {
  return value.toFixed(4).replace(/^(-?)0/, '$1')
}
