import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { newApiKey } from '../../src/auth/api-keys.ts'
import { hashSecret } from '../../src/core/secrets.ts'
import { startFakeOllama } from '../support/fake-ollama.ts'
import { canCluster, type Cluster, type Node, startCluster } from '../support/cluster.ts'
import { runCli, startRealDaemon } from '../support/daemon.ts'
import { BUCKET, startS3rver } from '../support/object-stores.ts'
import { withClient } from '../support/postgres-server.ts'
import { rest, type Rest } from '../support/rest.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'
import { until } from '../support/until.ts'
import { asRichText, rareWord, textWith } from '../support/words.ts'
import { WebhookReceiver } from '../support/webhook-receiver.ts'

describe.skipIf(!canCluster)('an instance of several processes', () => {
  let cluster: Cluster
  let apis: [Node, Node]
  let workers: Node[]
  beforeAll(async () => {
    cluster = await startCluster()
    apis = [await cluster.start('api'), await cluster.start('api')]
    workers = await Promise.all([cluster.start('worker'), cluster.start('worker')])
  })
  afterAll(() => cluster[Symbol.asyncDispose]())

  const aliveWorkers = () => workers.filter(({ daemon }) => isAlive(daemon.pid))
  const found = async (node: Rest, query: string) => {
    const { results } = await node.search(query, { mode: 'keyword', correct: false })
    return results.map(({ document }) => document.path)
  }
  const expectOnBoth = async (query: string, paths: string[]) => {
    for (const node of apis) expect(await found(node, query), `${query} on ${node.name}`).toEqual(paths)
  }
  /** A word of letters only, which is one term. */
  const wordOf = (i: number, word: string) => `${word}q${'abcdefghijkl'[i]!}z`
  const textOf = (i: number, word: string) => {
    const text = `The ${wordOf(i, word)} is in the shed.`
    return { name: `${word}-${i}.txt`, content: i % 2 === 0 ? text : asRichText(text) }
  }

  test('a document that is ready on one process is found on the other at once, and so are its changes', async () => {
    const [one, other] = apis
    for (let i = 0; i < 5; i++) {
      const [here, there] = i % 2 === 0 ? [one, other] : [other, one]
      const { body } = await here.upload([textOf(i, 'lantern')], { wait: true })
      const [document] = body.documents
      expect(document).toMatchObject({ status: 'ready', outcome: 'created' })
      expect(await found(there, wordOf(i, 'lantern'))).toEqual([`lantern-${i}.txt`])

      const replaced = await there.upload([{ name: `lantern-${i}.txt`, content: `Now a ${wordOf(i, 'beacon')}.` }], {
        wait: true,
      })
      expect(replaced.body.documents[0]).toMatchObject({ id: document!.id, status: 'ready', outcome: 'replaced' })
      expect([await found(here, wordOf(i, 'beacon')), await found(here, wordOf(i, 'lantern'))]).toEqual([
        [`lantern-${i}.txt`],
        [],
      ])

      const edited = await here.call<object>('PATCH', `/api/v1/documents/${document!.id}`, { tags: [`tag${i}`], name: 'Renamed' })
      expect(edited).toMatchObject({ status: 200, body: { status: 'ready', tags: [`tag${i}`], name: 'Renamed' } })
      const { results } = await there.search(wordOf(i, 'beacon'), { filter: { tags: [`tag${i}`] } })
      expect(results.map(({ document }) => document.name)).toEqual(['Renamed'])

      expect((await there.call('DELETE', `/api/v1/documents/${document!.id}`)).status).toBe(204)
      await expectOnBoth(wordOf(i, 'beacon'), [])
    }
  })

  test('projects, synonyms and settings that one process changes take effect on the other at once', async () => {
    const [one, other] = apis
    const project = await one.call<{ id: string }>('POST', '/api/v1/projects', { name: 'Shared' })
    expect(await other.project('Shared')).toMatchObject({ id: project.body.id })
    await other.upload([{ name: 'car.txt', content: 'The automobile is red.' }], { project: 'Shared', wait: true })
    const path = `/api/v1/projects/${project.body.id}/synonyms`
    const rule = await one.call('POST', path, { synonyms: [{ words: ['zoomer', 'automobile'] }] })
    expect(rule.status, JSON.stringify(rule.body)).toBeLessThan(300)
    expect(await found(other, 'zoomer')).toEqual(['car.txt'])
    expect((await one.call('DELETE', `/api/v1/projects/${project.body.id}`)).status).toBe(200)
    await expectOnBoth('automobile', [])
  })

  test('a key that one process deletes, and a member that it removes, lose access on the other from the next request on', async () => {
    const [one, other] = apis
    const project = await one.call<{ id: string }>('POST', '/api/v1/projects', { name: 'Cellar' })
    await one.upload([{ name: 'cellar.txt', content: 'The zithercellar is locked.' }], { project: 'Cellar', wait: true })
    const member = `/api/v1/projects/${project.body.id}/members/kim@example.org`
    await one.call('PUT', member, { role: 'reader' })
    const key = newApiKey()
    await withClient(cluster.env['DOCSEARCH_DATABASE']!, (client) =>
      client.query(
        `insert into api_keys (id, owner_id, name, sha256, last_four, scopes, created_at)
          select 'key_kim', id, 'k', $1, 'abcd', '["read:documents"]', 1 from users where email = 'kim@example.org'`,
        [hashSecret(key)],
      ),
    )
    for (let i = 0; i < 4; i++) {
      const [here, there] = i % 2 === 0 ? [one, other] : [other, one]
      const kim = rest(there.url, key)
      for (let times = 0; times < 2; times++) expect(await found(kim, 'zithercellar')).toEqual(['cellar.txt'])
      expect((await here.call('DELETE', member)).status).toBe(204)
      expect(await found(kim, 'zithercellar')).toEqual([])
      expect((await here.call('PUT', member, { role: 'reader' })).status).toBe(200)
      expect(await found(kim, 'zithercellar')).toEqual(['cellar.txt'])

      const { id, key: own } = (await here.call<{ id: string; key: string }>('POST', '/api/v1/keys', { name: 'k' })).body
      const owner = rest(there.url, own)
      for (let times = 0; times < 2; times++) expect(await found(owner, 'zithercellar')).toEqual(['cellar.txt'])
      expect((await here.call('DELETE', `/api/v1/keys/${id}`)).status).toBe(204)
      expect((await owner.call('POST', '/api/v1/search', { query: 'zithercellar' })).status).toBe(401)
    }
  })

  test('nothing is lost or duplicated when the process that writes the index is killed', async () => {
    const paths: string[] = []
    const uploadSome = async (word: string) => {
      const files = Array.from({ length: 12 }, (_, i) => textOf(i, word))
      const answers = await Promise.all(files.map((file, i) => apis[i % 2]!.upload([file])))
      for (const { status } of answers) expect(status).toBe(202)
      paths.push(...files.map(({ name }) => name))
    }
    const writer = await cluster.writer(aliveWorkers())
    await uploadSome('anchor')
    await writer.daemon.kill()
    await uploadSome('rudder')
    workers.push(await cluster.start('worker'))
    await expectAllFoundOnce(paths)
  })

  test('a frozen process that writes the index is replaced, and does no harm when it wakes up', async () => {
    const frozen = await cluster.writer(aliveWorkers())
    const paths: string[] = []
    const uploadSome = async (word: string) => {
      for (let i = 0; i < 6; i++) {
        const file = textOf(i, word)
        expect((await apis[i % 2]!.upload([file])).status).toBe(202)
        paths.push(file.name)
      }
    }
    await uploadSome('anvil')
    frozen.signal('SIGSTOP')
    await uploadSome('bellows')
    await cluster.writer(aliveWorkers().filter((worker) => worker !== frozen))
    await expectAllFoundOnce(paths)
    frozen.signal('SIGCONT')
    await until('it notices that it was replaced', () => !frozen.isWriter())
    await uploadSome('tongs')
    await expectAllFoundOnce(paths)
  })

  async function expectAllFoundOnce(paths: readonly string[]): Promise<void> {
    const documents = await apis[0].settled()
    const ours = documents.filter(({ path }) => paths.includes(path))
    expect(ours.map(({ path }) => path).toSorted()).toEqual(paths.toSorted())
    expect(ours.filter(({ status }) => status !== 'ready')).toEqual([])
    for (const path of paths) {
      const [, word, i] = /^(.*)-(\d+)\.txt$/.exec(path)!
      await expectOnBoth(wordOf(Number(i), word!), [path])
    }
  }

  test('while the database hangs, requests get 503 with Retry-After, and work again afterwards', async () => {
    const database = new URL(cluster.env['DOCSEARCH_DATABASE']!)
    await using proxy = await startTcpProxy({ host: database.hostname, port: Number(database.port) })
    database.port = String(proxy.port)
    const node = await cluster.start('api', { DOCSEARCH_DATABASE: database.href })
    const search = () =>
      fetch(`${node.url}/api/v1/search`, {
        method: 'POST',
        headers: { authorization: `Bearer ${cluster.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query: 'shed' }),
        // PostgreSQL itself would end a statement only after minutes.
        signal: AbortSignal.timeout(60_000),
      })
    expect((await search()).status).toBe(200)
    proxy.cut('silence')
    const failed = await Promise.all([search(), search(), search()])
    expect(failed.map(({ status, headers }) => [status, headers.has('retry-after')])).toEqual(failed.map(() => [503, true]))
    proxy.heal()
    await until('searches work again', async () => (await search()).status === 200)
    await node.daemon.stop()
  })

  test('while the database or the object store is down, requests get 503 with Retry-After, and work continues by itself afterwards', async () => {
    const [one, other] = apis
    await one.upload([textOf(1, 'compass')], { wait: true })
    await cluster.postgres.kill()
    const failed = await one.call('POST', '/api/v1/search', { query: wordOf(1, 'compass') })
    expect([failed.status, failed.headers.has('retry-after')]).toEqual([503, true])
    await cluster.postgres.start()
    await until(
      'searches work again',
      async () => (await one.call('POST', '/api/v1/search', { query: wordOf(1, 'compass') })).status === 200,
    )
    await expectOnBoth(wordOf(1, 'compass'), ['compass-1.txt'])

    cluster.store.proxy.fault = () => 'fail'
    const refused = await one.upload([textOf(2, 'compass')])
    expect([refused.status, refused.headers.has('retry-after')]).toEqual([503, true])
    cluster.store.proxy.fault = () => 'pass'
    await until('uploads work again', async () => (await other.upload([textOf(2, 'compass')])).status === 202)
    await one.settled()
    await expectOnBoth(wordOf(2, 'compass'), ['compass-2.txt'])
  })

  test('each message to a webhook is sent once', async () => {
    const receiver = await WebhookReceiver.start()
    onTestFinished(() => receiver.close())
    const project = await apis[0].call<{ id: string }>('POST', '/api/v1/projects', { name: 'Hooked' })
    const webhook = { url: receiver.url(), events: ['document.ready'] }
    const created = await apis[1].call('POST', `/api/v1/projects/${project.body.id}/webhooks`, webhook)
    expect(created.status, JSON.stringify(created.body)).toBe(201)
    for (let i = 0; i < 5; i++) await apis[i % 2]!.upload([textOf(i, 'signal')], { project: 'Hooked', wait: true })
    const messages = await receiver.messages(5)
    await until('every message was recorded as delivered', async () => {
      const log = await apis[0].call<{ deliveries: { state: string }[] }>(
        'GET',
        `/api/v1/projects/${project.body.id}/webhooks/${(created.body as unknown as { id: string }).id}/deliveries`,
      )
      return log.body.deliveries.every(({ state }) => state === 'delivered')
    })
    expect(new Set(messages.map(({ headers }) => headers['webhook-id'])).size).toBe(5)
    expect(receiver.received).toHaveLength(5)
  })

  test('a worker answers only health requests', async () => {
    const [worker] = aliveWorkers()
    const health = await fetch(`${worker!.daemon.url}/api/v1/health`)
    expect([health.status, await health.json()]).toEqual([
      200,
      { status: expect.stringMatching(/ok|degraded/), version: expect.any(String) },
    ])
    expect((await fetch(`${worker!.daemon.url}/api/v1/documents`)).status).toBe(404)
    expect((await fetch(`${worker!.daemon.url}/`)).status).toBe(404)
  })

  test('a command on the folder of a process works on the database, and shows no password', async () => {
    const { env, dataDir } = apis[1].daemon
    const made = await runCli(['--json', 'users', 'add', 'bob@example.org', '--data', dataDir], env)
    expect([made.code, made.stderr]).toEqual([0, ''])
    const { body } = await apis[0].call<{ users: { email: string | null }[] }>('GET', '/api/v1/users')
    expect(body.users.map(({ email }) => email)).toContain('bob@example.org')
    const refused = await runCli(['reindex', '--data', dataDir], env)
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('works only on a data folder')])
    const shown = await runCli(['serve', '--print-config'], {
      ...env,
      DOCSEARCH_DATABASE: 'postgres://ann:s3cret@db.example/docs',
    })
    expect(shown.stdout).toContain('postgres://ann:***@db.example/docs')
    expect(shown.stdout).not.toContain('s3cret')
  })
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe.skipIf(!canCluster)('a start', () => {
  test('refuses an object store that would lose writes, and says why', async () => {
    await using store = await startS3rver({ addsConditions: false })
    const env = { ...store.env, DOCSEARCH_DATABASE: 'postgres://127.0.0.1:1/none', DOCSEARCH_STORE: `s3://${BUCKET}` }
    await expect(startRealDaemon({ env })).rejects.toThrow('This object store would lose writes')
  })
})

describe.skipIf(!canCluster)('an instance of several processes with Ollama', () => {
  test('a change of name and tags embeds nothing again, and a change of text does', async () => {
    await using cluster = await startCluster()
    const ollama = await startFakeOllama()
    onTestFinished(() => ollama.close())
    const env = { DOCSEARCH_EMBEDDER: 'ollama:embeddinggemma', DOCSEARCH_OLLAMA: ollama.url }
    const node = await cluster.start('all', env)
    const embedded = () => ollama.embedCalls().filter((inputs) => inputs.some((text) => text.includes('password'))).length
    const word = rareWord()
    const { body } = await node.upload([{ name: 'one.txt', content: textWith(word) }], { wait: true })
    const before = embedded()
    expect(before).toBeGreaterThan(0)

    const change = { name: 'Renamed', tags: ['new'] }
    const edited = await node.call<object>('PATCH', `/api/v1/documents/${body.documents[0]!.id}`, change)
    expect(edited).toMatchObject({ status: 200, body: { status: 'ready', ...change } })
    const found = await node.search(word, { mode: 'vector' })
    expect(found.results[0]?.document).toMatchObject({ name: 'Renamed' })
    expect(embedded()).toBe(before)

    await node.upload([{ name: 'one.txt', content: textWith(rareWord()) }], { wait: true })
    expect(embedded()).toBeGreaterThan(before)
  })
})
