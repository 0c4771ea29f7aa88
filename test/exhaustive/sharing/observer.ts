import { expect } from 'vitest'
import type { Me } from '../../../src/contract/account.ts'
import type { DocumentList } from '../../../src/contract/documents.ts'
import type { ProjectList } from '../../../src/contract/projects.ts'
import type { SearchAnswer } from '../../../src/contract/search.ts'
import type { Library, Credential, ModelProject } from './library.ts'
import { WORDS } from './library.ts'

const SEARCHES = [
  { query: 'xylophone lighthouse gooseberry', limit: 100, explain: true, facets: ['project', 'folder', 'media_type'] },
  { query: 'marmalade', limit: 100, mode: 'keyword', correct: false, explain: true, facets: ['project'] },
  { query: 'dragonfy cathedrall windmil', limit: 100, explain: true },
]

/** What a credential sees. */
interface View {
  projects: ProjectList
  documents: DocumentList
  me: Me
  searches: SearchAnswer[]
}

/** Looks at the library with every credential, and compares what it sees with the model. */
export class Observer {
  readonly #library: Library
  /** What each credential saw last, and what it may see by the model. */
  readonly #last = new Map<Credential, { allowed: string; seen: string }>()

  constructor(library: Library) {
    this.#library = library
  }

  async look(): Promise<void> {
    for (const credential of this.#library.credentials) {
      const view = await look(credential)
      this.#checkLists(credential, view)
      this.#checkSearches(credential, view)
      this.#checkTraces(credential, view)
      const allowed = this.#allowed(credential)
      const seen = JSON.stringify(view)
      const last = this.#last.get(credential)
      if (last?.allowed === allowed)
        expect(JSON.parse(seen), `${nameOf(credential)} sees a change`).toEqual(JSON.parse(last.seen))
      this.#last.set(credential, { allowed, seen })
    }
  }

  /** Returns everything on which the view of a credential may depend. */
  #allowed(credential: Credential): string {
    const visible = this.#library.visibleTo(credential)
    return JSON.stringify(
      visible.map((project) => [
        { ...project, members: [...project.members].map(([user, role]) => [user?.id, role]) },
        this.#library.roleOf(credential, project),
      ]),
    )
  }

  #checkLists(credential: Credential, { projects, documents, me }: View): void {
    const visible = this.#library.visibleTo(credential)
    const who = nameOf(credential)
    const expected = visible.map((project) => ({
      id: project.id,
      name: project.name,
      role: this.#library.roleOf(credential, project),
      owner: project.owner.id,
      documents: project.documents.length,
    }))
    const listed = projects.projects.map(({ id, name, role, owner, document_count }) => {
      return { id, name, role, owner: owner.id, documents: document_count }
    })
    expect(listed.toSorted(byId), `the projects of ${who}`).toEqual(expected.toSorted(byId))
    const names = visible.flatMap((project) => project.documents.map(({ name }) => name))
    expect(documents.documents.map(({ name }) => name).toSorted(), `the documents of ${who}`).toEqual(names.toSorted())
    const own = visible.filter(({ owner }) => owner === credential.user)
    expect(me.usage.documents, `the usage of ${who}`).toBe(own.reduce((sum, project) => sum + project.documents.length, 0))
    const limit = credential.limit?.filter((project) => visible.includes(project)).map(({ id }) => id)
    expect(me.projects?.map(({ id }) => id).toSorted(), `the limit of ${who}`).toEqual(limit && [...new Set(limit)].toSorted())
  }

  #checkSearches(credential: Credential, { searches }: View): void {
    const visible = this.#library.visibleTo(credential)
    const [, exact] = searches
    const hasSynonym = visible.some(({ synonyms }) => synonyms.some((words) => words.includes('marmalade')))
    const withWord = (project: ModelProject) => project.documents.filter(({ words }) => words.includes('marmalade'))
    if (hasSynonym) return
    const expected = visible.flatMap((project) => withWord(project).map(({ id }) => id))
    const found = new Set(exact!.results.flatMap((result) => [result.document.id, ...alsoIn(result)]))
    expect([...found].toSorted(), `what ${nameOf(credential)} finds`).toEqual(expected.toSorted())
    const counts = exact!.facets?.['project']?.reduce((sum, { count }) => sum + count, 0) ?? 0
    expect(counts, `the facets of ${nameOf(credential)}`).toBe(expected.length)
  }

  /** Nothing of the view names a document, a project or a word that is in no visible project. */
  #checkTraces(credential: Credential, { searches, ...lists }: View): void {
    const visible = this.#library.visibleTo(credential)
    const isVisible = (project: ModelProject) => visible.includes(project)
    const hidden = this.#library.projects.filter((project) => !isVisible(project))
    const known = new Set(
      visible.flatMap(({ documents, synonyms }) => [...documents.map(({ words }) => words), ...synonyms].flat()),
    )
    const text = JSON.stringify([lists, searches.map((answer) => ({ ...answer, query: null }))])
    const secrets = [
      ...this.#library.formerNames,
      ...hidden.flatMap(({ id, documents }) => [id, ...documents.flatMap((document) => [document.id, document.name])]),
      // A word of the query is in explanations.
      ...WORDS.filter((word) => !known.has(word) && !SEARCHES.some(({ query }) => query.includes(word))),
    ]
    for (const secret of secrets) expect(text.includes(secret), `${nameOf(credential)} sees ${secret}`).toBe(false)
  }
}

async function look({ client }: Credential): Promise<View> {
  const searches = []
  for (const request of SEARCHES) {
    const { status, body } = await client.post<SearchAnswer>('/api/v1/search', request)
    expect(status).toBe(200)
    searches.push({ ...body, took_ms: 0, rerank: { ...body.rerank, took_ms: 0 } })
  }
  return {
    projects: (await client.get<ProjectList>('/api/v1/projects?limit=100')).body,
    documents: (await client.get<DocumentList>('/api/v1/documents?limit=100')).body,
    me: (await client.get<Me>('/api/v1/me')).body,
    searches,
  }
}

/** Documents with the same passage are in one result. */
function alsoIn(result: SearchAnswer['results'][number]): string[] {
  return (result.also_in ?? []).map(({ id }) => id)
}

function nameOf({ user, limit }: Credential): string {
  return limit === null ? user.name : `${user.name}, limited to ${limit.map(({ id }) => id).join(', ')},`
}

function byId(a: { id: string }, b: { id: string }): number {
  return a.id < b.id ? -1 : 1
}
