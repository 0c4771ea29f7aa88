import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { folderSize } from '../../../test/support/folder-size.ts'
import { timed } from '../../measure.ts'
import { type BuildRival, type RivalInput, wordsOf } from './rival.ts'

const END = 'end of answer'

/** PostgreSQL with pgvector, over `psql` and a local socket: text search and nearest vectors, one query after the other. */
export const buildPostgres: BuildRival = async (input) => {
  const programs = findPrograms()
  if (programs === null) return 'PostgreSQL is not installed'
  const { folder, embed } = input
  const server = startServer(programs, folder)
  const psql = spawn(
    join(programs, 'psql'),
    ['-h', folder, '-U', 'postgres', '-qAtX', '-v', 'ON_ERROR_STOP=1', '-P', 'null=', '-R', '\u001e'],
    {
      env: { PATH: process.env.PATH! },
    },
  )
  const close = async (): Promise<void> => {
    psql.kill()
    server.stop()
  }
  const ask = conversation(psql)
  try {
    await ask('create extension vector;')
  } catch {
    await close()
    return 'pgvector is not installed'
  }
  const { ms } = await timed(() => fill(psql, ask, input))
  return {
    name: 'PostgreSQL, text search and pgvector',
    buildMs: ms,
    bytes: folderSize(join(folder, 'data', 'base')),
    async search(question: string) {
      const anyWord = wordsOf(question).join(' | ')
      const vector = literal(await embed(question))
      await ask(
        `select text from passages, to_tsquery('english', '${anyWord}') query where terms @@ query order by ts_rank(terms, query) desc limit 10;`,
      )
      return ask(`select text from passages order by vector <=> '${vector}' limit 10;`)
    },
    close,
  }
}

function findPrograms(): string | null {
  const root = '/usr/lib/postgresql'
  try {
    const [newest] = readdirSync(root).toSorted((a, b) => Number(b) - Number(a))
    return newest === undefined ? null : join(root, newest, 'bin')
  } catch {
    return null
  }
}

/** PostgreSQL refuses to run as root, so root starts it as the user that its package creates. */
function startServer(programs: string, folder: string): { stop(): void } {
  const data = join(folder, 'data')
  mkdirSync(data)
  const isRoot = process.getuid?.() === 0
  if (isRoot) {
    const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
    for (const path of [folder, data]) chownSync(path, id('-u'), id('-g'))
  }
  chmodSync(folder, 0o755)
  const run = (program: string, ...args: string[]): void => {
    const command = [join(programs, program), ...args]
    const [file, ...rest] = isRoot ? ['runuser', '-u', 'postgres', '--', ...command] : command
    execFileSync(file!, rest, { cwd: folder, stdio: 'ignore' })
  }
  run('initdb', '-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync', '-E', 'UTF8', '--locale=C')
  const settings = `-c listen_addresses= -c unix_socket_directories=${folder} -c fsync=off -c shared_buffers=512MB -c maintenance_work_mem=1GB`
  run('pg_ctl', '-D', data, '-w', '-o', settings, '-l', join(data, 'log'), 'start')
  return { stop: () => run('pg_ctl', '-D', data, '-m', 'immediate', 'stop') }
}

/** Returns a function that sends SQL to psql and returns the rows of its answer. */
function conversation(psql: ChildProcessWithoutNullStreams): (sql: string) => Promise<string[]> {
  let problem = ''
  psql.stderr.setEncoding('utf8').on('data', (text: string) => (problem += text))
  const lines = createInterface({ input: psql.stdout })[Symbol.asyncIterator]()
  return async (sql) => {
    psql.stdin.write(`${sql}\n\\echo '${END}'\n`)
    const answer: string[] = []
    for (;;) {
      const { value, done } = await lines.next()
      if (done) throw new Error(`psql: ${problem}`)
      if (value.endsWith(END)) break
      answer.push(value)
    }
    return answer.join('\n').split('\u001e')
  }
}

const literal = (vector: Float32Array): string => `[${Array.from(vector, (one) => +one.toFixed(5)).join()}]`

async function fill(
  psql: ChildProcessWithoutNullStreams,
  ask: (sql: string) => Promise<string[]>,
  { passages }: RivalInput,
): Promise<void> {
  let hasTable = false
  const write = async (text: string): Promise<void> => {
    if (!psql.stdin.write(text)) await once(psql.stdin, 'drain')
  }
  for await (const batch of passages()) {
    if (!hasTable) await ask(`create table passages (${columns(batch[0]!.vector.length)});`)
    hasTable = true
    await write('copy passages (text, vector) from stdin;\n')
    for (const { text, vector } of batch) await write(`${escaped(text)}\t${literal(vector)}\n`)
    await ask('\\.')
  }
  await ask('create index on passages using gin (terms);')
  await ask('create index on passages using hnsw (vector vector_cosine_ops);')
  await ask('vacuum analyze passages;')
}

const columns = (dimensions: number): string =>
  `text text, vector vector(${dimensions}), terms tsvector generated always as (to_tsvector('english', text)) stored`

const escaped = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\t', '\\t').replaceAll('\r', '\\r')
