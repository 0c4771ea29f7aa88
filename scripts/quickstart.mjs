// `npm start [-- FOLDER]`: an instance that runs, a folder of documents in it, and an answer, in one go.
// The daemon is left running, so that the terminal is free for questions; `npm stop` ends it.
import { spawn } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { bin, dataFolder, ensureBuilt, ensureNode, fail, launch, root, running, stop, typedIn } from './daemon.mjs'

const HELP = `npm start [-- [FOLDER] [--ask QUESTION] [--port N] [--data DIR] [--embedder NAME] [--ollama URL] [--once]]

  FOLDER           documents to search, with the folders in it (default: samples/)
  --ask QUESTION   the question to begin with
  --port N         port of the instance (default 4747, 0 takes a free one)
  --data DIR       where it keeps its data (default: this user's data folder)
  --embedder NAME  auto, builtin or ollama:MODEL (default auto)
  --ollama URL     address of Ollama
  --once           stop the instance again at the end`

ensureNode()
const { values: flags, positionals } = parse()
if (flags.help) {
  console.log(HELP)
  process.exit(0)
}
const samples = join(root, 'samples')
const folder = positionals[0] === undefined ? samples : resolve(typedIn, positionals[0])
if (positionals.length > 1) fail(2, 'Name one folder.', HELP)
if (!existsSync(folder) || !statSync(folder).isDirectory()) fail(2, `${folder} is not a folder.`, HELP)
const question = flags.ask ?? (folder === samples ? 'How much notice do I have to give before moving out?' : undefined)

ensureBuilt()
const dataDir = await dataFolder(flags.data)
const before = await running(dataDir)
const options = ['port', 'embedder', 'ollama'].flatMap((name) => (flags[name] === undefined ? [] : [`--${name}`, flags[name]]))
const instance = before ?? (await launch(options, dataDir))
if (before) {
  console.log(`An instance is running already at ${before.url} with its data in ${dataDir}: it is used.`)
} else {
  console.log(`The instance runs at ${instance.url} and logs to ${instance.logFile}`)
  for (const line of instance.said) console.log(`  ${line}`)
}

console.log(`\nUploading ${folder === samples ? 'the sample documents' : folder}\n`)
const uploaded = await docsearch('upload', folder, '--recursive', '--project', 'default', '--wait')
if (uploaded !== 0 && uploaded !== 3) await finish(uploaded)
let found = 0
if (question !== undefined) {
  console.log(`\nAsking: ${question}\n`)
  found = await docsearch('search', question, '--project', 'default', '--limit', '2', '--format', 'text')
}
if (!flags.once) next()
await finish(found === 0 ? uploaded : found)

function next() {
  const at = instance.url === 'http://127.0.0.1:4747' ? '' : ` --server ${instance.url}`
  console.log(`
It goes on running. From this folder:
  npx docsearch${at} search "who pays for small repairs"
  npx docsearch${at} upload ~/Documents --recursive --wait
  npx docsearch --help
  npm stop${flags.data === undefined ? '' : ` -- --data ${flags.data}`}`)
}

/** Runs the command line in this terminal; its exit code. */
function docsearch(...args) {
  const child = spawn(process.execPath, [bin, '--server', instance.url, ...args], { stdio: ['ignore', 'inherit', 'inherit'] })
  return new Promise((settle) => {
    // A terminal sends Ctrl-C to the child too; it ends as it should, and so do we with its code.
    process.on('SIGINT', () => {})
    child.once('exit', (code) => settle(code ?? 130))
  })
}

async function finish(code) {
  if (flags.once && !before && !(await stop(instance)))
    fail(7, `The instance did not stop as it should; ${instance.logFile} says more.`)
  process.exit(code)
}

function parse() {
  const text = { type: 'string' }
  const known = {
    port: text,
    data: text,
    embedder: text,
    ollama: text,
    ask: text,
    once: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  }
  try {
    return parseArgs({ options: known, allowPositionals: true })
  } catch (error) {
    return fail(2, error.message, HELP)
  }
}
