import { expect } from 'vitest'
import { generatedText } from './generated-text.ts'
import type { Running } from './instance.ts'
import { makeReport } from './make-report.ts'
import { found } from './promises.ts'
import { until } from './until.ts'
import { rareWord } from './words.ts'

const CLIENTS = 4
/** How many documents one request takes. The total never grows, so only a leak can make memory grow. */
const PATHS_PER_CLIENT = 20
/** One of this many uploads is a PDF. */
const PDF_EVERY = 15

/** The work of all clients in one step. */
export interface Work {
  changes: number
  searches: number
  reads: number
  scrapes: number
}

interface Stored {
  id: string
  word: string
}

/** Clients with paths of their own. Each knows what a search must find, because every change waits until it is searchable. */
export class Workday {
  #running: Running
  readonly #text = generatedText()
  readonly #questions = this.#text.questions(100, 100)
  readonly #stored = Array.from({ length: CLIENTS }, () => new Map<string, Stored>())
  #metricsKey: string | null = null
  readonly figures = { changes: 0, uploads: 0, replaces: 0, deletes: 0, searches: 0, reads: 0, scrapes: 0, checked: 0 }

  constructor(running: Running) {
    this.#running = running
  }

  /** Continues with another daemon on the same data. */
  continueOn(running: Running): void {
    this.#running = running
  }

  /** Uploads a document to every path, so that the first hours have the same load as later ones. */
  async begin(): Promise<void> {
    for (const [client, stored] of this.#stored.entries()) {
      const words = new Map(Array.from({ length: PATHS_PER_CLIENT }, (_, i) => [`client-${client}-${i}.md`, rareWord()]))
      const { status, body } = await this.#running.upload(
        [...words].map(([name, word]) => ({ name, content: this.#textWith(word) })),
      )
      expect(status, JSON.stringify(body)).toBe(202)
      for (const { name, id } of body.documents) stored.set(name, { id, word: words.get(name)! })
    }
    await this.#running.settled(600_000)
  }

  /** Divides work among the clients, which do it at the same time. */
  async work({ changes, searches, reads, scrapes }: Work): Promise<void> {
    const share = (count: number) => Math.round(count / CLIENTS)
    const scraping = async () => {
      for (let i = 0; i < scrapes; i++) await this.#scrape()
    }
    const clients = this.#stored.map(async (stored, client) => {
      for (let i = 0; i < share(changes); i++) {
        await this.#change(client, stored)
        for (let k = 0; k < searches / changes; k++) await this.#search(stored, k)
        for (let k = 0; k < reads / changes; k++) await this.#read(stored)
      }
    })
    await Promise.all([...clients, scraping()])
  }

  /** Finds every document by its word. */
  async check(): Promise<void> {
    for (const [name, { word }] of this.#stored.flatMap((one) => [...one])) {
      expect(await found(this.#running, word)).toEqual([name])
      this.figures.checked++
    }
  }

  async #change(client: number, stored: Map<string, Stored>): Promise<void> {
    const name = `client-${client}-${Math.floor(Math.random() * PATHS_PER_CLIENT)}.md`
    const before = stored.get(name)
    if (before !== undefined && Math.random() < 0.3) await this.#remove(name, before, stored)
    else await this.#put(name, before, stored)
    if (++this.figures.changes % PDF_EVERY === 0) await this.#readPdf()
  }

  async #put(name: string, before: Stored | undefined, stored: Map<string, Stored>): Promise<void> {
    const word = rareWord()
    const { status, body } = await this.#running.upload([{ name, content: this.#textWith(word) }])
    expect(status, JSON.stringify(body)).toBe(202)
    const { id } = body.documents[0]!
    await this.#ready(id, name)
    stored.set(name, { id, word })
    if (before !== undefined) expect(await found(this.#running, before.word), 'the replaced text').toEqual([])
    this.figures[before === undefined ? 'uploads' : 'replaces']++
  }

  /** A document of 250 or 3,000 words. */
  #textWith(word: string): string {
    const { content } = this.#text.document(Math.floor(Math.random() * 100) * 10 + Math.floor(Math.random() * 9))
    return `${content}\nThe mark of this document is ${word}.\n`
  }

  async #remove(name: string, { id, word }: Stored, stored: Map<string, Stored>): Promise<void> {
    expect((await this.#running.call('DELETE', `/api/v1/documents/${id}`)).status).toBe(204)
    stored.delete(name)
    expect(await found(this.#running, word), 'the deleted text').toEqual([])
    this.figures.deletes++
  }

  /** Uploads a PDF, gets its first page and deletes it, so that the processes for PDFs and page images work too. */
  async #readPdf(): Promise<void> {
    const report = Buffer.concat([await makeReport(), Buffer.from(`\n% ${rareWord()}\n`)])
    const { body } = await this.#running.upload([{ name: `${rareWord()}.pdf`, content: new Uint8Array(report) }])
    const { id, name } = body.documents[0]!
    await this.#ready(id, name)
    const image = await this.#running.call('GET', `/api/v1/documents/${id}/pages/1.png`)
    expect(image.status, JSON.stringify(image.body).slice(0, 500)).toBe(200)
    expect((await this.#running.call('DELETE', `/api/v1/documents/${id}`)).status).toBe(204)
  }

  async #search(stored: ReadonlyMap<string, Stored>, turn: number): Promise<void> {
    const one = pick([...stored])
    if (turn % 2 === 0 && one !== undefined) expect(await found(this.#running, one[1].word)).toEqual([one[0]])
    else await this.#running.search(this.#questions[this.figures.searches % this.#questions.length]!)
    this.figures.searches++
  }

  async #read(stored: ReadonlyMap<string, Stored>): Promise<void> {
    const one = pick([...stored.values()])
    const paths = ['/api/v1/documents?limit=50', '/api/v1/projects', '/api/v1/me', '/api/v1/audit?limit=20']
    if (one !== undefined)
      paths.push(`/api/v1/documents/${one.id}`, `/api/v1/documents/${one.id}/content`, `/api/v1/documents/${one.id}/text`)
    const path = pick(paths)!
    const { status, body } = await this.#running.call('GET', path)
    expect(status, `${path} ${JSON.stringify(body).slice(0, 500)}`).toBe(200)
    this.figures.reads++
  }

  async #scrape(): Promise<void> {
    this.#metricsKey ??= await this.#createKey()
    const metrics = await fetch(`${this.#running.url}/metrics`, { headers: { authorization: `Bearer ${this.#metricsKey}` } })
    expect(await metrics.text()).toContain('docsearch_build_info')
    await this.#running.health()
    this.figures.scrapes++
  }

  async #createKey(): Promise<string> {
    const { status, body } = await this.#running.call<{ key: string }>('POST', '/api/v1/keys', {
      name: 'metrics',
      scopes: ['read:metrics'],
    })
    expect(status, JSON.stringify(body)).toBe(201)
    return body.key
  }

  async #ready(id: string, name: string): Promise<void> {
    await until(`${name} ready`, async () => (await this.#running.document(id)).status === 'ready', 600_000)
  }
}

function pick<T>(values: readonly T[]): T | undefined {
  return values[Math.floor(Math.random() * values.length)]
}
