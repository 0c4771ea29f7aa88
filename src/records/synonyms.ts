import type { SynonymRecord, SynonymRule } from '../core/synonyms.ts'
import type { ProjectIds } from './projects.ts'
import type { ListRequest, ResultPage } from './result-page.ts'

export interface SynonymChange {
  projectId: string
  /** Tidy rules without faults (core/synonyms.ts). */
  rules: readonly SynonymRule[]
  /** How many words and phrases the rules of all projects of the project's owner may have together. */
  maxSynonyms: number
}

/** A rule that was added, or one that the project had already. */
export interface SavedSynonym {
  record: SynonymRecord
  isNew: boolean
}

/** The synonyms of projects. A project has each rule once: rules with the same words in the same direction are the same rule. */
export interface Synonyms {
  /**
   * Adds rules to a project. Returns them in the given order, each once, or null when there is no such project. Throws
   * `too_many_synonyms`.
   */
  add(change: SynonymChange): Promise<SavedSynonym[] | null>
  /** Makes these the project's only rules. Rules that stay keep their ids. Otherwise like `add`. */
  replace(change: SynonymChange): Promise<{ synonyms: SavedSynonym[]; removed: number } | null>
  /** Oldest first, and rules that were added together in the order in which they were given. */
  list(projectId: string, page: ListRequest): Promise<ResultPage<SynonymRecord>>
  /** Returns false when the project has no such rule. */
  delete(projectId: string, id: string): Promise<boolean>
  /** Returns the rules of projects, by the ids of the projects. Projects without rules are missing. */
  byProject(projects: ProjectIds): Promise<Map<string, SynonymRule[]>>
  /**
   * Returns a number that grows whenever rules of any project may have changed, in this process or another one. Callers ask
   * for it before each use of remembered rules. See `Records.credentialsVersion` for what that costs.
   */
  version(): number | Promise<number>
}
