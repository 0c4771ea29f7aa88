import { eachInTurns } from '../../core/in-turns.ts'
import { ReadCache } from '../../core/read-cache.ts'
import type { Synonyms } from '../../records/records.ts'
import type { OwnSynonyms } from './expand.ts'
import { SynonymMatcher } from './synonym-matcher.ts'

/** Characters of phrases to keep in memory, of all owners together. This takes at most 60 MB. */
const MAX_CHARS = 1_000_000

/** Returns a matcher for the synonyms of a user's projects. Keeps it in memory while nobody changes any synonyms. */
export class ProjectSynonymMatchers {
  readonly #synonyms: Pick<Synonyms, 'byProject' | 'version'>
  readonly #byOwner: ReadCache<SynonymMatcher>
  /** Matchers that are being made, by owner and version, because several searches of an owner may need them at once. */
  readonly #reading = new Map<string, Promise<SynonymMatcher>>()

  constructor(synonyms: Pick<Synonyms, 'byProject' | 'version'>) {
    this.#synonyms = synonyms
    this.#byOwner = new ReadCache(
      () => synonyms.version(),
      MAX_CHARS,
      ({ size }) => size + 100,
    )
  }

  /** Returns the synonyms of some of the owner's projects, or of all when `projectIds` is undefined. Returns null if the owner has none. */
  async of(ownerId: string, projectIds: readonly string[] | undefined): Promise<OwnSynonyms | null> {
    const matcher = await this.#byOwner.get(ownerId, () => this.#readOnce(ownerId))
    if (matcher === undefined || matcher.size === 0) return null
    return { matcher, projectIds: projectIds === undefined ? null : new Set(projectIds) }
  }

  #readOnce(ownerId: string): Promise<SynonymMatcher> {
    const key = `${ownerId} ${this.#synonyms.version()}`
    const known = this.#reading.get(key)
    if (known !== undefined) return known
    const reading = this.#read(ownerId).finally(() => this.#reading.delete(key))
    this.#reading.set(key, reading)
    return reading
  }

  async #read(ownerId: string): Promise<SynonymMatcher> {
    const matcher = new SynonymMatcher('project')
    for (const [projectId, rules] of await this.#synonyms.byProject(ownerId))
      await eachInTurns(rules, (rule) => matcher.add(rule, projectId))
    return matcher
  }
}
