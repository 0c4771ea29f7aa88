// `npm run data-folder -- VERSION [BIN]`: writes test/fixtures/version-VERSION, a data folder with something of everything that a data folder
// can hold, and a description of it. Tests open the folders of all released versions with the present one (test/daemon/data-folders.test.ts).
// BIN is the docsearch.js of that version, by default of this checkout.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
/** They open the fixtures and nothing else. */
const PASSWORD = 'fixture-password-of-tests'
const OWNER = 'olga@example.org'
const MEMBER = 'anna@example.org'
const SCOPES = ['read:documents', 'write:documents', 'manage:keys']
/** Files that a stopped daemon does not need, or that differ from run to run without meaning. */
const LEFT_OUT = ['daemon.log', 'page-images', 'tmp', '.config']

/** What the documents of the fixture answer, by the name of the document. */
const QUESTIONS = {
  'lease.pdf': 'how much notice before moving out',
  'travel-policy.docx': 'travel expenses',
  'household-manual.md': 'household manual',
  'minutes.txt': 'pergola',
  'bicycle-shed.html': 'yellow tag bicycle',
}

/** Makes a data folder at `dataDir` with this version of docsearch, and returns the description. */
export async function makeDataFolder({ bin, home, dataDir }) {
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    XDG_CONFIG_HOME: join(home, 'config'),
    DOCSEARCH_DATA: dataDir,
    DOCSEARCH_EMBEDDER: 'builtin',
  }
  const cli = (args, input = '') =>
    execFileSync(process.execPath, [bin, ...args], { env, input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'ignore'] })
  cli(['users', 'add', OWNER, '--name', 'Olga', '--password-stdin', '--data', dataDir], PASSWORD)
  cli(['users', 'add', MEMBER, '--name', 'Anna', '--password-stdin', '--data', dataDir], PASSWORD)
  cli(['users', 'add', 'carl@example.org', '--name', 'Carl', '--data', dataDir])
  const daemon = spawn(process.execPath, [bin, '--json', 'serve', '--port', '0'], { env, stdio: ['ignore', 'pipe', 'ignore'] })
  const exited = once(daemon, 'exit')
  try {
    const [line] = await Promise.race([once(createInterface({ input: daemon.stdout }), 'line'), exited])
    const { url } = JSON.parse(line)
    const { key } = JSON.parse(
      cli(['--json', 'keys', 'create', 'fixture', '--server', url, ...SCOPES.flatMap((scope) => ['--scope', scope])]),
    )
    await fill(apiOf(url, key))
    return {
      password: PASSWORD,
      owner: OWNER,
      member: MEMBER,
      ownerKey: key,
      questions: QUESTIONS,
      ...(await describeInstance(url, key)),
    }
  } finally {
    daemon.kill('SIGTERM')
    await exited
  }
}

function apiOf(url, key) {
  return async (method, path, body, type = 'application/json') => {
    const isJson = body !== undefined && type === 'application/json'
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, prefer: 'wait=60', ...(body !== undefined && { 'content-type': type }) },
      body: isJson ? JSON.stringify(body) : body,
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return text === '' ? null : JSON.parse(text)
  }
}

async function fill(call) {
  const upload = (name, content, query = '') =>
    call('POST', `/upload?name=${encodeURIComponent(name)}&project=house${query}`, content, 'application/octet-stream')
  await call('POST', '/projects', { name: 'house', description: 'Papers of the house' })
  await call('PUT', `/projects/house/members/${MEMBER}`, { role: 'reader' })
  for (const name of readdirSync(join(root, 'samples')))
    await upload(name, readFileSync(join(root, 'samples', name)), `&tags=sample&path=samples/${name}`)
  await upload('bicycle-shed.html', '<title>Bicycle shed</title><p>A bicycle with a yellow tag is removed.</p>')
  await upload('minutes.txt', 'First minutes: nothing was decided.')
  await upload('minutes.txt', 'Final minutes: the pergola is taken down in spring.')
  await upload('broken.pdf', `%PDF-1.7\n${'broken '.repeat(50)}`).catch(() => null)
  const gone = await upload('gone.txt', 'The walrus keeps a ledger.')
  await call('DELETE', `/documents/${gone.documents[0].id}`)
  await call('POST', '/projects/house/synonyms', { synonyms: [{ words: ['bike', 'bicycle'] }] })
  await call('POST', '/saved-searches', { name: 'Notice', search: { q: 'notice period', project: 'house' } })
  await call('POST', '/clients', { name: 'Notebook', redirect_uris: ['https://notebook.example/callback'] })
}

/** Describes what an instance holds, in terms that later versions must still have. */
export async function describeInstance(url, key) {
  const call = apiOf(url, key)
  const documentsOf = async (query) =>
    (await call('GET', `/documents?limit=100${query}`)).documents
      .map(({ id, project, name, path, tags, status, sha256, page_count }) => ({
        id,
        project: project.name,
        name,
        path,
        tags,
        status,
        sha256,
        page_count,
      }))
      .sort((a, b) => (a.id < b.id ? -1 : 1))
  return {
    projects: (await call('GET', '/projects')).projects
      .map(({ id, name, description, role }) => ({ id, name, description, role }))
      .sort((a, b) => (a.id < b.id ? -1 : 1)),
    members: (await call('GET', '/projects/house/members')).members.map(({ user, role }) => [user.name, role]).sort(),
    documents: await documentsOf(''),
    trash: await documentsOf('&trashed=true'),
    synonyms: (await call('GET', '/projects/house/synonyms')).synonyms.map(({ id, words }) => ({ id, words })),
    savedSearches: (await call('GET', '/saved-searches')).saved_searches.map(({ id, name }) => ({ id, name })),
    users: (await call('GET', '/users')).users.map(({ id, name, role, has_password }) => ({ id, name, role, has_password })),
    clients: (await call('GET', '/clients')).clients.map(({ client_id, name }) => ({ client_id, name })),
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [version, bin = join(root, 'bin', 'docsearch.js')] = process.argv.slice(2)
  if (!/^\d+\.\d+\.\d+/.test(version ?? '')) {
    console.error('Usage: npm run data-folder -- VERSION [BIN]')
    process.exit(2)
  }
  const folder = join(root, 'test', 'fixtures', `version-${version}`)
  const home = mkdtempSync(join(tmpdir(), 'docsearch-data-folder-'))
  try {
    const dataDir = join(home, `data-${version}`)
    const facts = await makeDataFolder({ bin, home, dataDir })
    mkdirSync(folder)
    execFileSync('tar', [
      '-czf',
      join(folder, 'data.tar.gz'),
      ...LEFT_OUT.map((name) => `--exclude=${name}`),
      '-C',
      home,
      basename(dataDir),
    ])
    writeFileSync(join(folder, 'facts.json'), JSON.stringify({ format: 2, version, ...facts }, null, 2) + '\n')
    console.log(`Wrote ${folder}.`)
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}
