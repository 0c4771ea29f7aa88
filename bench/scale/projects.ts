import { generatedText } from '../../test/support/generated-text.ts'
import { inParallel, type Instance, startInstance } from '../../test/quality/instance.ts'
import { type Figure, median, ms, percentile, ratio, timed } from '../measure.ts'

const PROJECTS = 1_000
const QUESTIONS = 200
const WARM_UP = 50
const LOADS_AT_ONCE = 8

/** Compares a search over a thousand projects with one over a single project that has the same passages. */
export async function measureProjects(passages: number): Promise<Figure[]> {
  const text = generatedText()
  const count = Math.max(PROJECTS, text.documentsFor(passages))
  const documents = Array.from({ length: count }, (_, i) => text.document(i))
  const instances: Instance[] = []
  try {
    for (let i = 0; i < 2; i++) instances.push(await startInstance())
    const [one, many] = instances as [Instance, Instance]
    await one.load('one', documents)
    const parts = Map.groupBy(documents.keys(), (i) => i % PROJECTS)
    await inParallel([...parts], LOADS_AT_ONCE, ([project, part]) =>
      many.load(
        `project-${project}`,
        part.map((i) => documents[i]!),
      ),
    )
    const [inOne, inMany]: [number[], number[]] = [[], []]
    const questions = text.questions(QUESTIONS, count)
    for (const [i, query] of [...questions.slice(0, WARM_UP), ...questions].entries()) {
      const times = [await timed(() => one.search({ query })), await timed(() => many.search({ query }))]
      if (i < WARM_UP) continue
      inOne.push(times[0]!.ms)
      inMany.push(times[1]!.ms)
    }
    return [
      {
        name: `search over ${PROJECTS} projects : over one with the same passages, p50; p95`,
        value: `${ratio(median(inMany) / median(inOne))} (${ms(median(inMany))} : ${ms(median(inOne))}); ${ratio(percentile(inMany, 0.95) / percentile(inOne, 0.95))}`,
        bound: '≤ 1.5',
      },
    ]
  } finally {
    for (const instance of instances) await instance.dispose()
  }
}
