import { generatedText } from '../../test/support/generated-text.ts'
import { inParallel, type Instance, startInstance } from '../../test/quality/instance.ts'
import { type Figure, median, ms, percentile, ratio, timed } from '../measure.ts'

/** The first is what the others are compared with. */
const PROJECTS = [1, 10, 1_000] as const
const QUESTIONS = 200
const WARM_UP = 50
const LOADS_AT_ONCE = 8

/** Compares searches over ten and a thousand visible projects with one over a single project that has the same passages. */
export async function measureProjects(passages: number): Promise<Figure[]> {
  const text = generatedText()
  const count = Math.max(...PROJECTS, text.documentsFor(passages))
  const documents = Array.from({ length: count }, (_, i) => text.document(i))
  const instances: Instance[] = []
  try {
    for (const projects of PROJECTS) {
      const instance = await startInstance()
      instances.push(instance)
      const parts = Map.groupBy(documents.keys(), (i) => i % projects)
      await inParallel([...parts], LOADS_AT_ONCE, ([project, part]) =>
        instance.load(
          `project-${project}`,
          part.map((i) => documents[i]!),
        ),
      )
    }
    const times = instances.map((): number[] => [])
    const questions = text.questions(QUESTIONS, count)
    for (const [i, query] of [...questions.slice(0, WARM_UP), ...questions].entries())
      for (const [at, instance] of instances.entries()) {
        const { ms: taken } = await timed(() => instance.search({ query }))
        if (i >= WARM_UP) times[at]!.push(taken)
      }
    const [one = [], ...others] = times
    return others.map((many, i) => ({
      name: `search over ${PROJECTS[i + 1]!.toLocaleString('en')} visible projects : over one with the same ${passages} passages, p50; p95`,
      value: `${ratio(median(many) / median(one))} (${ms(median(many))} : ${ms(median(one))}); ${ratio(percentile(many, 0.95) / percentile(one, 0.95))}`,
      bound: '≤ 1.5',
    }))
  } finally {
    for (const instance of instances) await instance.dispose()
  }
}
