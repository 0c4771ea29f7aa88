import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ConnectionList } from '../../src/contract/clients.ts'
import type { Document } from '../../src/contract/documents.ts'
import type { ModelList } from '../../src/contract/models.ts'
import type { UserList } from '../../src/contract/users.ts'
import { runDoctor } from '../support/damage-files.ts'
import { type FakeOllama, startFakeOllama } from '../support/fake-ollama.ts'
import { makeModel } from '../support/fake-ollama-model.ts'
import { type Instance, newInstance, type Running } from '../support/instance.ts'
import { unpackDataFolder } from '../support/old-data-folder.ts'
import { type Rest, rest } from '../support/rest.ts'
import { until } from '../support/until.ts'
import { webClient } from '../support/web-client.ts'

const FIXTURE = new URL('../fixtures/version-0.1.0/', import.meta.url)

interface Facts {
  password: string
  ownerKey: string
  annaKey: string
  clientId: string
  documents: {
    id: string
    owner: 'olga' | 'anna'
    project: string
    name: string
    status: string
    error: string | null
    warnings: string[]
    sha256: string
    page_count: number | null
  }[]
}

const facts = JSON.parse(readFileSync(new URL('facts.json', FIXTURE), 'utf8')) as Facts

/** For each format a question and the document that answers it. */
const QUESTIONS: [owner: 'olga' | 'anna', query: string, name: string][] = [
  ['olga', 'how much notice before moving out', 'lease.pdf'],
  ['olga', 'travel expenses', 'travel-policy.docx'],
  ['olga', 'field notes', 'field-notes.txt'],
  ['olga', 'household manual', 'household-manual.md'],
  ['olga', 'yellow tag bicycle', 'bicycle-shed.html'],
  ['olga', 'pergola', 'minutes.txt'],
  ['anna', 'heron boathouse', 'notes.txt'],
  ['anna', 'crowbar', 'inventory-30.txt'],
]

let instance: Instance
beforeEach(async () => {
  instance = await newInstance()
  await unpackDataFolder('0.1.0', instance.dataDir)
})
afterEach(() => instance.remove())

function clients(running: Running): Record<'olga' | 'anna', Rest> {
  return { olga: rest(running.url, facts.ownerKey), anna: rest(running.url, facts.annaKey) }
}

const summaryOf = ({ id, project, name, status, error, warnings, sha256, page_count }: Document) => ({
  id,
  project: project.name,
  name,
  status,
  error: error?.code ?? null,
  warnings: warnings.map(({ code }) => code),
  sha256,
  page_count,
})

async function expectEverySearchToWork({ olga, anna }: Record<'olga' | 'anna', Rest>): Promise<void> {
  const asked = { olga, anna }
  for (const [owner, query, name] of QUESTIONS) {
    const answer = await asked[owner].search(query)
    expect(
      answer.results.map(({ document }) => document.name),
      query,
    ).toContain(name)
  }
  expect((await anna.search('yellow tag bicycle')).results.map(({ document }) => document.name)).not.toContain(
    'bicycle-shed.html',
  )
  expect((await olga.search('walrus ledger', { correct: false, mode: 'keyword' })).results).toEqual([])
}

describe('a data folder of version 0.1.0', () => {
  test('keeps its documents, projects, users, keys and applications', async () => {
    const { olga, anna } = clients(await instance.start())

    for (const [owner, client] of Object.entries({ olga, anna })) {
      const documents = await client.settled()
      const expected = facts.documents.filter((document) => document.owner === owner)
      expect(new Set(documents.map((document) => ({ owner, ...summaryOf(document) })))).toEqual(new Set(expected))
      for (const { id, sha256, status } of documents) {
        const original = await fetch(`${client.url}/api/v1/documents/${id}/content`, {
          headers: { authorization: `Bearer ${owner === 'olga' ? facts.ownerKey : facts.annaKey}` },
        })
        const bytes = new Uint8Array(await original.arrayBuffer())
        expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256)
        const text = await client.call('GET', `/api/v1/documents/${id}/text`)
        expect(text.status).toBe(status === 'ready' ? 200 : 409)
      }
    }
    expect(await olga.project('house')).toMatchObject({ description: 'Papers of the house', document_count: 7 })
    expect(await anna.project('barn')).toMatchObject({ document_count: 30 })

    const { users } = (await olga.call<UserList>('GET', '/api/v1/users')).body
    expect(users.map(({ name, role, disabled, has_password }) => [name, role, disabled, has_password])).toEqual([
      ['Olga', 'owner', false, true],
      ['Anna', 'member', false, true],
      ['Bea', 'member', true, true],
      ['Carl', 'member', false, false],
    ])
    expect((await anna.call<ConnectionList>('GET', '/api/v1/connections')).body.connections).toMatchObject([
      { client_id: facts.clientId, name: 'Notebook', scopes: ['read:documents'] },
    ])
  })

  test('answers every search without Ollama, for each user from their own documents', async () => {
    const running = await instance.start()
    await expectEverySearchToWork(clients(running))
  })

  test('the doctor reports no damage while an index that Ollama made waits for its conversion', async () => {
    await instance.start()
    const { report } = await runDoctor(instance)
    expect(report.checks.find(({ name }) => name === 'index')).toMatchObject({ status: 'ok' })
    // Version 0.1.0 left permissions to the umask.
    expect(report.findings.map(({ code }) => code)).toEqual(['permissions_open'])
  })

  test('lets its users log in with their passwords, except the disabled one', async () => {
    const { url } = await instance.start()
    const browser = () => webClient({ url, baseUrl: url })
    expect(await browser().logIn('olga@example.org', facts.password)).toMatchObject({ status: 303, location: '/' })
    expect(await browser().logIn('anna@example.org', facts.password)).toMatchObject({ status: 303, location: '/' })
    expect((await browser().logIn('bea@example.org', facts.password)).status).not.toBe(303)
  })

  test('takes uploads: the same file is unchanged, another one replaces it under the same id', async () => {
    const { olga } = clients(await instance.start())
    const before = facts.documents.find(({ name }) => name === 'minutes.txt')!
    const same = await olga.upload([{ name: 'minutes.txt', content: 'Final minutes: the pergola is taken down in spring.' }])
    expect(same.body.documents).toMatchObject([{ id: before.id, outcome: 'unchanged' }])
    const changed = await olga.upload([{ name: 'minutes.txt', content: 'The gazebo is built instead.' }], { wait: true })
    expect(changed.body.documents).toMatchObject([{ id: before.id, outcome: 'replaced', status: 'ready' }])
    expect((await olga.search('gazebo')).results[0]?.document.id).toBe(before.id)
    expect((await olga.search('pergola', { correct: false, mode: 'keyword' })).results).toEqual([])
  })

  describe('with its Ollama', () => {
    let ollama: FakeOllama
    beforeEach(async () => {
      ollama = await startFakeOllama([makeModel('first', { dimensions: 32 }), makeModel('second', { dimensions: 48 })])
      return () => ollama.close()
    })

    test('completes the change of model that was under way, and keeps the retired indexes', async () => {
      const running = await instance.start({ env: { DOCSEARCH_OLLAMA: ollama.url, DOCSEARCH_EMBEDDER: 'auto' } })
      const both = clients(running)
      const models = async () => (await both.olga.call<ModelList>('GET', '/api/v1/models')).body.models
      await until('ollama:second in use', async () =>
        (await models()).some(({ name, in_use }) => in_use && name === 'ollama:second'),
      )
      expect(new Map((await models()).map(({ name, indexes }) => [name, indexes.map(({ state }) => state)]))).toEqual(
        new Map([
          ['builtin', ['kept']],
          ['ollama:first', ['kept']],
          ['ollama:second', ['in_use']],
        ]),
      )
      // Documents that were already in the unfinished index are not embedded again.
      const embedded = ollama.embedCalls().flat()
      expect(embedded.some((text) => text.includes('crowbar'))).toBe(true)
      expect(embedded.filter((text) => text.includes('yellow tag'))).toEqual([])
      await expectEverySearchToWork(both)
      expect(await both.anna.search('crowbar', { mode: 'vector' })).toMatchObject({ embedding_model: 'ollama:second' })
    })
  })
})
