import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Document } from '../../src/contract/documents.ts'
import type { SearchAnswer } from '../../src/contract/search.ts'
import { canCluster, type Cluster, type Node, startCluster } from '../support/cluster.ts'
import { reportFaults } from '../support/fault-report.ts'
import { generatedText } from '../support/generated-text.ts'
import { newInstance } from '../support/instance.ts'
import { type Acknowledged, Ledger } from '../support/ledger.ts'
import { withClient } from '../support/postgres-server.ts'
import type { Answer, Rest } from '../support/rest.ts'
import type { Fault } from '../support/store-proxy.ts'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'
import { until } from '../support/until.ts'
import { asRichText, rareWord, textWith } from '../support/words.ts'

const ROUNDS = Number(process.env.DOCSEARCH_TEST_ROUNDS ?? 1)
const CLIENTS = 4
/** How many changes clients try before a fault, and during a fault that the test ends. */
const CHANGES = 8
/** How long an acknowledged change may take to become searchable, with faults and on a busy machine. */
const READY_MS = 300_000

type Member = Node & { database: TcpProxy }

const figures = { faults: 0, searches: 0, withReason: 0, unavailable: 0, readYourWrites: 0, slowestRecoveryMs: 0 }
const recoveries: Record<string, number> = {}

describe.skipIf(!canCluster)('two processes for the API and two workers', () => {
  const text = generatedText()
  let texts = 0
  const ledger = new Ledger((word) => {
    // Five of ten documents are notes, four are reports. The last is a book, which would take too long.
    if (texts % 10 === 9) texts++
    const content = textWith(word) + text.document(texts++).content
    return texts % 2 === 0 ? asRichText(content) : content
  })
  let cluster: Cluster
  let apis: Member[] = []
  let workers: Member[] = []
  /** The word of a document that nobody changes, so that every search must find it. */
  let steady: string
  let attempts = 0

  beforeAll(async () => {
    cluster = await startCluster()
    apis = [await start('api'), await start('api')]
    workers = await Promise.all([start('worker'), start('worker')])
    steady = await ledger.add(apis[0]!, 'steady', 'steady.txt')
    await apis[0]!.settled()
  })
  afterAll(async () => {
    for (const { database } of [...apis, ...workers]) await database[Symbol.asyncDispose]()
    await cluster?.[Symbol.asyncDispose]()
  })

  async function start(role: 'api' | 'worker', name?: string): Promise<Member> {
    const url = new URL(cluster.env.DOCSEARCH_DATABASE!)
    const database = await startTcpProxy({ host: url.hostname, port: Number(url.port) })
    url.port = String(database.port)
    const node = await cluster.start(role, { DOCSEARCH_DATABASE: url.href }, name)
    return { ...node, ...strict(node), database }
  }

  const writer = (among: readonly Member[] = workers) =>
    until('a process writes the index', () => among.find((node) => node.isWriter()))
  const others = (node: Member) => workers.filter((worker) => worker !== node)
  const moreAttempts = async (count = CHANGES) => {
    const wanted = attempts + count
    await until(`${count} more changes`, () => attempts >= wanted, READY_MS)
  }

  /** Kills a process, lets clients go on without it for a while, and starts it again on its folder. */
  async function killAndRestart(group: Member[], node: Member): Promise<void> {
    group.splice(group.indexOf(node), 1)
    await node.daemon.kill()
    await moreAttempts()
    group.push(await start(group === apis ? 'api' : 'worker', node.name))
    await node.database[Symbol.asyncDispose]()
  }

  async function whileStore(fault: () => Fault): Promise<void> {
    cluster.store.proxy.fault = fault
    await moreAttempts()
    cluster.store.proxy.fault = () => 'pass'
  }

  let requests = 0

  const FAULTS: Record<string, () => Promise<void>> = {
    'SIGKILL of the worker that writes': async () => killAndRestart(workers, await writer()),
    'SIGKILL of the worker that reads': async () => killAndRestart(workers, others(await writer())[0]!),
    'SIGSTOP of the worker that writes, beyond its lease': async () => {
      const frozen = await writer()
      frozen.signal('SIGSTOP')
      await writer(others(frozen))
      await moreAttempts()
      frozen.signal('SIGCONT')
      await until('it notices that it was replaced', () => !frozen.isWriter())
    },
    'the worker that writes is cut off from PostgreSQL': async () => {
      const lonely = await writer()
      lonely.database.cut('silence')
      await writer(others(lonely))
      await moreAttempts()
      lonely.database.heal()
    },
    'a process for the API is cut off from PostgreSQL': async () => {
      apis[0]!.database.cut('refuse')
      await moreAttempts()
      apis[0]!.database.heal()
    },
    'PostgreSQL ends all connections': async () => {
      for (let i = 0; i < 5; i++) {
        await withClient(cluster.postgres.admin, (client) =>
          client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
            new URL(cluster.env.DOCSEARCH_DATABASE!).pathname.slice(1),
          ]),
        )
        await moreAttempts(2)
      }
    },
    'PostgreSQL restarts': async () => {
      await cluster.postgres.kill()
      await moreAttempts()
      await cluster.postgres.start()
    },
    'the store answers 503': () => whileStore(() => 'fail'),
    'the store never answers': () => whileStore(() => 'hang'),
    'the store fails, refuses, and loses answers now and then': () =>
      whileStore(() => (['pass', 'pass', 'fail', 'pass', 'lose', 'pass', 'refuse'] as const)[requests++ % 7]!),
    'SIGKILL of a process for the API': () => killAndRestart(apis, apis[0]!),
  }

  /** Lets clients change and search documents until `work` has ended. */
  async function underLoad(work: () => Promise<void>): Promise<void> {
    let isOver = false
    const repeat = async (step: () => Promise<void>) => {
      while (!isOver) await step()
    }
    const clients = Array.from({ length: CLIENTS }, (_, client) => repeat(() => change(client)))
    const searches = repeat(async () => {
      await whileAlive(async () => {
        const names = await search(pick(apis), steady)
        if (names !== null) expect(names).toEqual(['steady.txt'])
      })
      await pause(100)
    })
    // Rejects as soon as one of them fails.
    const load = Promise.all([...clients, searches])
    try {
      await Promise.race([work(), load])
    } finally {
      isOver = true
      await Promise.allSettled([...clients, searches])
    }
    await load
  }

  async function change(client: number): Promise<void> {
    const here = pick(apis)
    const isAnswered = await ledger.change(here, client, { mayFail: true })
    attempts += 1
    const change = ledger.acknowledged(client)
    // A client that does not wait keeps changing documents while no document becomes ready.
    if (change !== undefined && client > 0) await whileAlive(() => expectVisible(change, here))
    if (!isAnswered || change === undefined) await pause(200)
  }

  /** Expects that searches on both processes find a change at once: after the acknowledgement of a deletion, or when `here` calls it ready. */
  async function expectVisible({ id, name, word, before }: Acknowledged, here: Rest): Promise<void> {
    const isReady = async () => {
      const { status, body } = await here.call<Document>('GET', `/api/v1/documents/${id}`)
      if (status === 503) return false
      expect(status, `${name}, which was acknowledged`).toBe(200)
      expect(body.status, `${name}: ${JSON.stringify(body.error)}`).not.toBe('failed')
      return body.status === 'ready'
    }
    if (word !== null) await until(`${name} is ready`, isReady, READY_MS)
    for (const node of [...apis.filter((node) => node.url !== here.url), here]) {
      if (word !== null) expect(await current(node, word), `${name} on ${node.url}`).toEqual([name])
      for (const old of before) expect(await current(node, old), `the previous text of ${name} on ${node.url}`).toEqual([])
    }
    figures.readYourWrites += 1
  }

  const current = async (node: Rest, word: string) =>
    (await until('a search answers', async () => ((names) => names && { names })(await search(node, word)), READY_MS)).names

  async function recover(fault: string): Promise<void> {
    const began = performance.now()
    const word = rareWord()
    const file = { name: 'probe.txt', content: textWith(word) }
    for (const node of apis)
      await until('uploads are accepted', async () => (await node.upload([file], { project: 'probe' })).status < 300, READY_MS)
    for (const node of apis)
      await until('searches find new documents', async () => (await search(node, word))?.length === 1, READY_MS)
    recoveries[fault] = Math.round(performance.now() - began)
    figures.slowestRecoveryMs = Math.max(figures.slowestRecoveryMs, recoveries[fault])
    await apis[0]!.call('DELETE', '/api/v1/projects/probe')
  }

  test.each(Array.from({ length: ROUNDS }, () => Object.keys(FAULTS)).flat())(
    '%s: nothing that was acknowledged is lost or there twice, and both processes show it at once',
    async (fault) => {
      const before = { ...ledger.figures }
      await underLoad(async () => {
        await moreAttempts()
        await FAULTS[fault]!()
        await recover(fault)
        await moreAttempts()
      })
      figures.faults += 1
      await ledger.check(apis[0]!, apis.slice(1))
      reportFaults({
        fault: `several processes: ${fault}`,
        tried: 1,
        documents: ledger.figures.documentsChecked - before.documentsChecked,
      })
      console.log(JSON.stringify({ fault, recoveryMs: recoveries[fault], ...figures, ...ledger.figures }))
    },
  )

  test('afterwards, searches find the same passages in the same order as an instance in a data folder', async () => {
    const documents = await apis[0]!.settled()
    const instance = await newInstance()
    try {
      const alone = await instance.start()
      for (const { id, name, project } of documents.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
        const { body } = await apis[0]!.call<string>('GET', `/api/v1/documents/${id}/content`)
        expect((await alone.upload([{ name, content: body }], { project: project.name })).status).toBe(202)
      }
      await alone.settled()
      const queries = [steady, 'password of the gate', 'archive note', ...text.questions(30, texts)]
      for (const query of queries)
        for (const mode of ['hybrid', 'keyword', 'vector'] as const) {
          const expected = await results(alone, query, mode)
          for (const node of apis) expect(await results(node, query, mode), `${mode}: ${query}`).toEqual(expected)
        }
      console.log(
        JSON.stringify({ documents: documents.length, queries: queries.length, ...figures, recoveries, ...ledger.figures }),
      )
    } finally {
      await instance.remove()
    }
  })
})

/** Fails on a server error other than a 503 with Retry-After. */
function strict(node: Rest): Pick<Rest, 'call' | 'upload'> {
  const check = <A extends Answer<unknown>>(answer: A): A => {
    if (answer.status < 500) return answer
    expect(answer.status, JSON.stringify(answer.body)).toBe(503)
    expect(answer.headers.get('retry-after'), JSON.stringify(answer.body)).not.toBeNull()
    figures.unavailable += 1
    return answer
  }
  return {
    call: async <T>(...args: Parameters<Rest['call']>) => check(await node.call<T>(...args)),
    upload: async (...args) => check(await node.upload(...args)),
  }
}

/** Returns the names of the documents with this word. Null if the search failed with 503, or went on without the newest commits and says so. */
async function search(node: Rest, word: string): Promise<string[] | null> {
  const query = { query: word, mode: 'keyword', correct: false, limit: 100 }
  const { status, body } = await node.call<SearchAnswer>('POST', '/api/v1/search', query)
  if (status === 503) return null
  expect(status, JSON.stringify(body)).toBe(200)
  figures.searches += 1
  if (body.mode_reason !== null) {
    figures.withReason += 1
    return null
  }
  return body.results.map(({ document }) => document.name)
}

async function results(node: Rest, query: string, mode: 'hybrid' | 'keyword' | 'vector') {
  const { results } = await node.search(query, { mode, limit: 50 })
  return results.map(({ document, text, score }) => ({ path: `${document.project.name}/${document.path}`, text, score }))
}

/** Ends the work early if no answer came, because the process was killed. */
async function whileAlive(work: () => Promise<void>): Promise<void> {
  await work().catch((error: unknown) => {
    if (!(error instanceof TypeError)) throw error
  })
}

function pick<T>(items: readonly T[]): T {
  return items[Math.floor(Math.random() * items.length)]!
}
