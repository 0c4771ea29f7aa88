import { eachInTurns } from '../../core/turns.ts'
import { ReadCache } from '../../core/read-cache.ts'
import type { Synonyms } from '../../records/records.ts'
import type { OwnSynonyms } from './expand.ts'
import { SynonymMatcher } from './synonym-matcher.ts'

/** Characters of phrases to keep in memory, of all projects together. This takes at most 60 MB. */
const MAX_CHARS = 1_000_000

/** Returns a matcher for the synonyms of the projects of a search. Keeps it in memory while nobody changes any synonyms. */
export class ProjectSynonymMatchers {
  readonly #synonyms: Pick<Synonyms, 'byProject' | 'version'>
  readonly #byProjects: ReadCache<SynonymMatcher>
  /** Matchers that are being made, by projects and version, because several searches may need them at once. */
  readonly #reading = new Map<string, Promise<SynonymMatcher>>()

  constructor(synonyms: Pick<Synonyms, 'byProject' | 'version'>) {
    this.#synonyms = synonyms
    this.#byProjects = new ReadCache(
      () => synonyms.version(),
      MAX_CHARS,
      ({ size }) => size + 1000,
    )
  }

  /** Returns the synonyms of some projects. Returns null if they have none. */
  async of(projectIds: readonly string[]): Promise<OwnSynonyms | null> {
    const matcher = await this.#byProjects.get(projectIds.join(' '), () => this.#readOnce(projectIds))
    if (matcher === undefined || matcher.size === 0) return null
    return { matcher, projectIds: null }
  }

  async #readOnce(projectIds: readonly string[]): Promise<SynonymMatcher> {
    const key = `${projectIds.join(' ')} ${await this.#synonyms.version()}`
    const known = this.#reading.get(key)
    if (known !== undefined) return known
    const reading = this.#read(projectIds).finally(() => this.#reading.delete(key))
    this.#reading.set(key, reading)
    return reading
  }

  async #read(projectIds: readonly string[]): Promise<SynonymMatcher> {
    const matcher = new SynonymMatcher('project')
    for (const [projectId, rules] of await this.#synonyms.byProject(new Set(projectIds)))
      await eachInTurns(rules, (rule) => matcher.add(rule, projectId))
    return matcher
  }
}
