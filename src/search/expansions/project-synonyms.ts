import { eachInTurns } from '../../core/in-turns.ts'
import { ReadCache } from '../../core/read-cache.ts'
import type { Synonyms } from '../../records/records.ts'
import type { ProjectSynonyms } from './expand.ts'
import { SynonymMatcher } from './synonym-matcher.ts'

/** Characters of phrases to keep in memory, of all owners together. This takes at most 60 MB. */
const MAX_CHARS = 1_000_000

/** Returns the matchers for the synonyms of projects. Keeps them in memory while nobody changes any synonyms. */
export class ProjectSynonymMatchers {
  readonly #synonyms: Pick<Synonyms, 'byProject' | 'version'>
  readonly #byOwner: ReadCache<readonly ProjectSynonyms[]>
  /** Matchers that are being made, by owner and version, because several searches of an owner may need them at once. */
  readonly #reading = new Map<string, Promise<readonly ProjectSynonyms[]>>()

  constructor(synonyms: Pick<Synonyms, 'byProject' | 'version'>) {
    this.#synonyms = synonyms
    const sizeOf = (own: readonly ProjectSynonyms[]) => own.reduce((sum, { matcher }) => sum + matcher.size, 100)
    this.#byOwner = new ReadCache(() => synonyms.version(), MAX_CHARS, sizeOf)
  }

  /** Returns the matchers of some of the owner's projects, or of all when `projectIds` is undefined. Projects without synonyms are missing. */
  async of(ownerId: string, projectIds: readonly string[] | undefined): Promise<readonly ProjectSynonyms[]> {
    const all = (await this.#byOwner.get(ownerId, () => this.#readOnce(ownerId))) ?? []
    return projectIds === undefined ? all : all.filter(({ projectId }) => projectIds.includes(projectId))
  }

  #readOnce(ownerId: string): Promise<readonly ProjectSynonyms[]> {
    const key = `${ownerId} ${this.#synonyms.version()}`
    const known = this.#reading.get(key)
    if (known !== undefined) return known
    const reading = this.#read(ownerId).finally(() => this.#reading.delete(key))
    this.#reading.set(key, reading)
    return reading
  }

  async #read(ownerId: string): Promise<readonly ProjectSynonyms[]> {
    const all: ProjectSynonyms[] = []
    for (const [projectId, rules] of await this.#synonyms.byProject(ownerId)) {
      const matcher = new SynonymMatcher('project')
      await eachInTurns(rules, (rule) => matcher.add(rule))
      all.push({ projectId, matcher })
    }
    return all
  }
}
