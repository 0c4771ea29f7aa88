import { afterAll, beforeAll, expect, test } from 'vitest'
import { SCOPES } from '../../src/core/model.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { seeded } from '../support/seeded.ts'
import { until } from '../support/until.ts'

const MAX_STREAMS = 3
const STEPS = 120

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ limits: { eventStreams: MAX_STREAMS } })
  // Documents stay in the queue, so that each upload makes exactly one event.
  await app.stopReading()
})
afterAll(() => app?.close())

interface ModelUser {
  id: string
  projectId: string
  isActive: boolean
}

interface ModelKey {
  user: ModelUser
  id: string
  key: string
  isDeleted: boolean
}

/** A listener over real HTTP. `expected` is what the model says that it has heard. */
class Listener {
  readonly key: ModelKey
  readonly expected: string[] = []
  readonly heard: { id: number; document: string }[] = []
  hasEnded = false
  readonly #leave = new AbortController()

  constructor(key: ModelKey) {
    this.key = key
  }

  /** Returns the status of the answer once the stream has begun. */
  async open(): Promise<number> {
    const headers = { Authorization: `Bearer ${this.key.key}` }
    const response = await fetch(`${app.url}/api/v1/events`, { headers, signal: this.#leave.signal })
    if (response.status !== 200) {
      await response.body?.cancel()
      return response.status
    }
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    await reader.read()
    void this.#listen(reader)
    return 200
  }

  leave(): void {
    this.#leave.abort()
  }

  async #listen(reader: ReadableStreamDefaultReader<string>): Promise<void> {
    try {
      for (let next = await reader.read(); !next.done; next = await reader.read()) {
        for (const [, data = ''] of next.value.matchAll(/^data: (.*)$/gm)) {
          const event = JSON.parse(data) as { id: number; document_id: string }
          this.heard.push({ id: event.id, document: event.document_id })
        }
      }
    } catch {
      // The connection was cut, or the listener has left.
    }
    this.hasEnded = true
  }
}

class Run {
  readonly #random: () => number
  readonly #users: ModelUser[] = []
  readonly #keys: ModelKey[] = []
  readonly #listeners = new Set<Listener>()
  #made = 0

  constructor(seed: number) {
    this.#random = seeded(seed)
  }

  async step(): Promise<void> {
    const dice = Math.floor(this.#random() * 20)
    if (this.#users.length < 2 || dice === 0) await this.#addUser()
    else if (this.#keys.length < 3 || dice <= 2) await this.#addKey()
    else if (dice <= 9) await this.#listen()
    else if (dice <= 14) await this.#upload()
    else if (dice === 15) await this.#deleteKey()
    else if (dice === 16) await this.#disable()
    else if (dice === 17) await this.#enable()
    else if (dice === 18) await this.#leave()
    else await this.#deleteUser()
  }

  /** Waits until every listener has heard and ended as the model says, and checks that nobody has heard anything else. */
  async check(): Promise<void> {
    for (const listener of this.#listeners) {
      const { key, expected, heard } = listener
      await until('all events to be heard', () => heard.length >= expected.length)
      expect(heard.map(({ document }) => document)).toEqual(expected)
      expect(new Set(heard.map(({ id }) => id)).size).toBe(heard.length)
      if (isValid(key)) expect(listener.hasEnded).toBe(false)
      else {
        await until('the stream to end', () => listener.hasEnded, 10_000)
        this.#listeners.delete(listener)
      }
    }
  }

  close(): void {
    for (const listener of this.#listeners) listener.leave()
  }

  async #addUser(): Promise<void> {
    const { records } = app.backend
    const { id } = await records.users.create({ name: 'Eve', email: null, role: 'member' })
    const project = await records.projects.create({ ownerId: id, name: 'default', description: '' })
    this.#users.push({ id, projectId: project.id, isActive: true })
  }

  async #addKey(): Promise<void> {
    const user = this.#pick(this.#users)
    const { key, record } = await app.backend.apiKeys.create({ ownerId: user.id, name: 'k', scopes: SCOPES, expiresAt: null })
    this.#keys.push({ user, id: record.id, key, isDeleted: false })
  }

  async #listen(): Promise<void> {
    const listener = new Listener(this.#pick(this.#keys))
    const { key } = listener
    const open = [...this.#listeners].filter((other) => other.key.user === key.user).length
    const expected = !isValid(key) ? 401 : open >= MAX_STREAMS ? 429 : 200
    // A slot becomes free when the instance has noticed that its listener has left.
    const status = await until('the expected answer', async () => {
      const answer = await listener.open()
      return (answer === expected || answer !== 429) && answer
    })
    expect(status).toBe(expected)
    if (status === 200) this.#listeners.add(listener)
  }

  async #upload(): Promise<void> {
    const user = this.#pick(this.#users)
    const name = `${(this.#made += 1)}.txt`
    const file = { name, path: name, mediaType: 'text/plain', sizeBytes: 1, sha256: 'a'.repeat(64), tags: null }
    const { documents } = app.backend.records
    const { document } = await documents.register({ uploaderId: user.id, projectId: user.projectId, ...file }, 'replace')
    for (const { key, expected } of this.#listeners) if (key.user === user) expected.push(document.id)
  }

  async #deleteKey(): Promise<void> {
    const key = this.#pick(this.#keys)
    key.isDeleted = true
    await app.backend.records.keys.delete(key.user.id, key.id)
  }

  async #disable(): Promise<void> {
    const user = this.#pick(this.#users)
    user.isActive = false
    await app.backend.records.users.setDisabled(user.id, true)
  }

  /** Streams of a disabled user have ended by now, and stay so. */
  async #enable(): Promise<void> {
    const user = this.#pick(this.#users)
    user.isActive = true
    await app.backend.records.users.setDisabled(user.id, false)
  }

  async #leave(): Promise<void> {
    const [listener] = this.#listeners
    if (listener === undefined) return
    this.#listeners.delete(listener)
    listener.leave()
  }

  async #deleteUser(): Promise<void> {
    const [user] = this.#users.splice(Math.floor(this.#random() * this.#users.length), 1)
    user!.isActive = false
    await app.backend.records.users.delete(user!.id)
    const kept = this.#keys.filter((key) => key.user !== user)
    this.#keys.splice(0, this.#keys.length, ...kept)
  }

  #pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.#random() * items.length)]!
  }
}

function isValid({ user, isDeleted }: ModelKey): boolean {
  return user.isActive && !isDeleted
}

test.each([1, 2, 3])('streams of random users and keys behave like the model (seed %i)', async (seed) => {
  const run = new Run(seed)
  try {
    for (let i = 0; i < STEPS; i++) {
      await run.step()
      await run.check()
    }
  } finally {
    run.close()
  }
})
