import { fork } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { timed } from '../../measure.ts'
import { httpClient } from '../http-client.ts'
import { type BuildRival, type RivalServer, wordsOf } from './rival.ts'

/** Opens the full-text table for searches. The cache is large enough for the pages that searches read at a million passages. */
export function openFts5(file: string): (question: string) => string[] {
  const database = new DatabaseSync(file, { readOnly: true })
  database.exec('pragma cache_size = -262144; pragma mmap_size = 8589934592')
  const best = database.prepare('select text from passages where passages match ? order by rank limit 10')
  return (question) => {
    const anyWord = wordsOf(question)
      .map((word) => `"${word}"`)
      .join(' OR ')
    return best.all(anyWord).map(({ text }) => text as string)
  }
}

/** SQLite FTS5 in this process: any of the words, ordered by bm25. */
export const buildFts5: BuildRival = async ({ folder, passages }) => {
  const file = join(folder, 'fts5.db')
  const { ms } = await timed(async () => {
    const database = new DatabaseSync(file)
    database.exec("pragma synchronous = off; create virtual table passages using fts5(text, tokenize = 'porter unicode61')")
    const insert = database.prepare('insert into passages (text) values (?)')
    for await (const batch of passages()) {
      database.exec('begin')
      for (const { text } of batch) insert.run(text)
      database.exec('commit')
    }
    database.exec("insert into passages (passages) values ('optimize')")
    database.close()
  })
  const search = openFts5(file)
  return {
    name: 'SQLite FTS5',
    buildMs: ms,
    bytes: statSync(file).size,
    search: async (question: string) => search(question),
    close: async () => {},
  }
}

/** Puts the table of `buildFts5` behind Koa with JSON, in a process of its own. */
export async function serveFts5(folder: string): Promise<RivalServer> {
  const child = fork(new URL('fts5-server.ts', import.meta.url), [join(folder, 'fts5.db')])
  const [port] = (await once(child, 'message')) as [number]
  const client = httpClient(`http://127.0.0.1:${port}`)
  return {
    name: 'SQLite FTS5 behind Koa',
    pid: child.pid!,
    search: async (question) => ((await client.post('/search', { query: question })) as { results: string[] }).results,
    async close() {
      client.close()
      child.kill()
    },
  }
}
