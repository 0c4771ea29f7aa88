import { execFile, spawn } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

type Arguments = (file: string, page: string) => string[]

/** Programs for PDFs that open at a page, by a part of their desktop file's name. */
const LINUX_VIEWERS: readonly [RegExp, string, Arguments][] = [
  [/evince/i, 'evince', (file, page) => [`--page-index=${page}`, file]],
  [/papers/i, 'papers', (file, page) => [`--page-index=${page}`, file]],
  [/atril/i, 'atril', (file, page) => [`--page-index=${page}`, file]],
  [/xreader/i, 'xreader', (file, page) => [`--page-index=${page}`, file]],
  [/okular/i, 'okular', (file, page) => ['--page', page, file]],
  [/zathura/i, 'zathura', (file, page) => [`--page=${page}`, file]],
  [/mupdf/i, 'mupdf', (file, page) => [file, page]],
]

/** A program that fails does so at once. One that shows the file may run until the user closes it. */
const FAILS_WITHIN_MS = 2_000

/**
 * Opens a file with the user's program for it, at a page if that is not the first. Throws an Error when no program can be started, or
 * none that opens at a page.
 */
export async function openFile(file: string, page = 1): Promise<void> {
  if (page > 1) {
    const [program, args] = await viewerFor(file, page)
    return start(program, args)
  }
  const { default: open } = await import('open')
  await settled(await open(file))
}

async function viewerFor(file: string, page: number): Promise<[string, string[]]> {
  if (process.platform === 'win32') return ['SumatraPDF', ['-page', String(page), file]]
  // Skim opens at a page through its own scheme. Preview can't be told a page.
  if (process.platform === 'darwin') return ['open', [`skim${pathToFileURL(file).href.slice('file'.length)}#page=${page}`]]
  const { stdout } = await promisify(execFile)('xdg-mime', ['query', 'default', 'application/pdf'])
  const [, program, args] = LINUX_VIEWERS.find(([name]) => name.test(stdout)) ?? []
  if (program === undefined || args === undefined)
    throw new Error(`${stdout.trim() === '' ? 'no PDF viewer is set up' : `${stdout.trim()} can't open a file at a page`}`)
  return [program, args(file, String(page))]
}

async function start(program: string, args: readonly string[]): Promise<void> {
  const child = spawn(program, args, { stdio: 'ignore', detached: true })
  child.unref()
  await settled(child)
}

/** Resolves when the program has ended well or still runs. Rejects when it can't be started or fails at once. */
function settled(child: ReturnType<typeof spawn>): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, FAILS_WITHIN_MS)
    child.once('error', (error) => {
      clearTimeout(timer)
      reject(error)
    })
    child.once('exit', (code) => {
      clearTimeout(timer)
      if (code === 0 || code === null) resolve()
      else reject(new Error(`exit code ${code}`))
    })
  })
}
