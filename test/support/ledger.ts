import { expect } from 'vitest'
import type { Document } from '../../src/contract/documents.ts'
import { found } from './promises.ts'
import type { Rest } from './rest.ts'
import { rareWord, textWith } from './words.ts'

const PATHS_PER_CLIENT = 8
/** The first client deletes its projects now and then. */
const PROJECTS_PER_CLIENT = 2

/** What can be at a path: a document with one of these words, or null for none. Several, if it is unknown whether a change took effect. */
type Possible = readonly (string | null)[]

/** A change of a document that was acknowledged. */
export interface Acknowledged {
  id: string
  name: string
  /** Null if the document was deleted. */
  word: string | null
  /** The words that a search could find before. */
  before: string[]
}

/**
 * Knows, outside of the instance, what was acknowledged. Clients change paths of their own and write down what may be there now. `check`
 * compares the instance with it.
 */
export class Ledger {
  readonly #paths = new Map<string, Possible>()
  readonly #ids = new Map<string, string>()
  /** Words that no search may find any more. Unfinished work could bring them back. */
  readonly #gone = new Set<string>()
  readonly #newest = new Map<number, Acknowledged>()
  readonly #text: (word: string) => string
  readonly figures = {
    uploads: 0,
    replaces: 0,
    deletes: 0,
    projectDeletes: 0,
    refused: 0,
    unanswered: 0,
    checks: 0,
    documentsChecked: 0,
  }

  /** `text` makes the text of a document with this word. */
  constructor(text: (word: string) => string = withFilling) {
    this.#text = text
  }

  /** Uploads a document that no client changes. Returns its word. */
  async add(rest: Rest, project: string, name: string): Promise<string> {
    const word = rareWord()
    const { status, body } = await rest.upload([{ name, content: this.#text(word) }], { project })
    expect(status, JSON.stringify(body)).toBe(202)
    this.#paths.set(`${project}/${name}`, [word])
    this.figures.uploads += 1
    return word
  }

  /** Returns what the last call of `change` for this client did to a document. Undefined if nothing of that kind was acknowledged. */
  acknowledged(client: number): Acknowledged | undefined {
    return this.#newest.get(client)
  }

  /**
   * Makes one random change for a client. A server error (5xx) counts as refused if `mayFail`: the change may or may not have taken
   * effect. Returns false if no answer came, because the daemon has died.
   */
  async change(rest: Rest, client: number, { mayFail = false } = {}): Promise<boolean> {
    const project = `project-${client}-${Math.floor(Math.random() * PROJECTS_PER_CLIENT)}`
    this.#newest.delete(client)
    try {
      if (client === 0 && Math.random() < 0.1) await this.#deleteProject(rest, project, mayFail)
      else await this.#changeDocument(rest, project, client, mayFail)
      return true
    } catch (error) {
      if (!(error instanceof TypeError || (error as { name?: string }).name === 'AbortError')) throw error
      this.figures.unanswered += 1
      return false
    }
  }

  async #changeDocument(rest: Rest, project: string, client: number, mayFail: boolean): Promise<void> {
    const name = `client-${client}-${Math.floor(Math.random() * PATHS_PER_CLIENT)}.txt`
    const path = `${project}/${name}`
    const before = this.#paths.get(path) ?? [null]
    // Deletes only what certainly exists.
    const remove = before.length === 1 && before[0] !== null && Math.random() < 0.25
    const after = remove ? null : rareWord()
    this.#paths.set(path, [...before, after])
    if (remove) {
      const { status } = await rest.call('DELETE', `/api/v1/documents/${this.#ids.get(path)}`)
      if (this.#isRefused(status, mayFail)) return
      expect(status).toBe(204)
    } else {
      const { status, body } = await rest.upload([{ name, content: this.#text(after!) }], { project })
      if (this.#isRefused(status, mayFail)) return
      expect(status, JSON.stringify(body)).toBe(202)
      this.#ids.set(path, body.documents[0]!.id)
    }
    this.#settle(path, before, after)
    this.#newest.set(client, { id: this.#ids.get(path)!, name, word: after, before: before.filter((word) => word !== null) })
    this.figures[remove ? 'deletes' : before.includes(null) ? 'uploads' : 'replaces'] += 1
  }

  async #deleteProject(rest: Rest, project: string, mayFail: boolean): Promise<void> {
    const paths = [...this.#paths].filter(([path]) => path.startsWith(`${project}/`))
    for (const [path, before] of paths) this.#paths.set(path, [...before, null])
    const { status } = await rest.call('DELETE', `/api/v1/projects/${project}`)
    if (this.#isRefused(status, mayFail)) return
    expect([200, 404]).toContain(status)
    for (const [path, before] of paths) this.#settle(path, before, null)
    this.figures.projectDeletes += 1
  }

  #isRefused(status: number, mayFail: boolean): boolean {
    if (!mayFail || status < 500) return false
    this.figures.refused += 1
    return true
  }

  /** Records an answer: from now on, the path has this document and no earlier one. */
  #settle(path: string, before: Possible, after: string | null): void {
    this.#paths.set(path, [after])
    for (const word of before) if (word !== null) this.#gone.add(word)
  }

  /** Expects the instance to match the ledger, and makes uncertain entries certain. Searches on `others` must find the same. */
  async check(rest: Rest, others: readonly Rest[] = []): Promise<void> {
    const nodes = [rest, ...others]
    const byName = new Map<string, Document[]>()
    for (const document of await rest.settled(300_000)) {
      const path = `${document.project.name}/${document.name}`
      byName.set(path, [...(byName.get(path) ?? []), document])
    }
    for (const [path, allowed] of this.#paths) {
      const documents = byName.get(path) ?? []
      expect(documents.length, `documents at ${path}`).toBeLessThanOrEqual(1)
      const text = documents[0] ? (await rest.call<string>('GET', `/api/v1/documents/${documents[0].id}/content`)).body : null
      const is = allowed.find((word) => (word === null ? text === null : text?.includes(word)))
      expect(is, `${path} holds none of what it may hold: ${JSON.stringify(allowed)}`).not.toBe(undefined)
      for (const word of allowed) {
        if (word !== null && word !== is) this.#gone.add(word)
      }
      this.#paths.set(path, [is!])
      if (is === null) continue
      expect(documents[0]!.status, JSON.stringify(documents[0]!.error)).toBe('ready')
      this.#ids.set(path, documents[0]!.id)
      for (const node of nodes) expect(await found(node, is!)).toEqual([documents[0]!.name])
      this.figures.documentsChecked += 1
    }
    for (const name of byName.keys()) expect(this.#paths.has(name), `nobody sent ${name}`).toBe(true)
    for (const word of this.#gone) for (const node of nodes) expect(await found(node, word), 'a ghost').toEqual([])
    this.#gone.clear()
    this.figures.checks += 1
  }
}

function withFilling(word: string): string {
  return textWith(word) + 'a line of filling\n'.repeat(Math.floor(Math.random() ** 3 * 2000))
}
