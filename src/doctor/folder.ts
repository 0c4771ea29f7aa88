import { access, chmod, constants, lstat, readdir, rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { countOf } from '../core/count-of.ts'
import { finding, repaired } from '../core/findings.ts'
import type { FolderCheck, FolderScene } from './scene.ts'

const NAMED = 5
/** Folders whose files no start of a daemon keeps. */
const TEMPORARY = ['tmp', 'incoming', 'ocr']
/** Unfinished files: docsearch renames them when they are complete. */
const UNFINISHED = /^(?:webhook\.key\.new|daemon\.log\.new|docsearch\.db\.before-.*\.unfinished)$/
/** Operators write this file, and it contains no secret, so its permissions don't matter. */
const CONFIG = 'config.json'

/** Looks at the settings, and at the permissions and owners of all files. */
export const checkFolder: FolderCheck = async (scene) => {
  const { dataDir, settings, add, progress } = scene
  for (const problem of settings.problems)
    add(finding('config_invalid', `The settings are not valid: ${problem}.`, { place: CONFIG }))
  const folder = await lstat(dataDir)
  const open: string[] = []
  const foreign: string[] = []
  const leftovers: string[] = []
  let files = 0
  for await (const path of walk(dataDir)) {
    const name = relative(dataDir, path)
    // A daemon may delete a file meanwhile.
    const stats = await lstat(path).catch(() => null)
    if (stats === null || stats.isSymbolicLink() || stats.isSocket()) continue
    progress(++files, null, 'files')
    if (process.platform !== 'win32') {
      if ((stats.mode & 0o077) !== 0 && name !== CONFIG) open.push(path)
      const isUsable = await access(path, constants.R_OK | constants.W_OK).then(
        () => true,
        (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
      )
      if (stats.uid !== folder.uid || !isUsable) foreign.push(path)
    }
    if (scene.isAlone && isLeftover(name)) leftovers.push(path)
  }
  await reportOpen(scene, open)
  if (foreign.length > 0)
    add(
      finding(
        'owner_differs',
        `${named(scene, foreign)} ${foreign.length === 1 ? 'belongs' : 'belong'} to another user, or cannot be read and written.`,
        {
          place: relative(dataDir, foreign[0]!),
        },
      ),
    )
  await reportLeftovers(scene, leftovers)
  return { message: `${countOf(files, 'file')} and ${settings.problems.length === 0 ? 'the settings' : 'invalid settings'}.` }
}

async function reportOpen(scene: FolderScene, open: readonly string[]): Promise<void> {
  if (open.length === 0) return
  const found = finding('permissions_open', `Other users of the machine can read or write ${named(scene, open)}.`, {
    place: relative(scene.dataDir, open[0]!) || '.',
  })
  if (scene.wantsFix) {
    for (const path of open) {
      // A daemon may have deleted it.
      const stats = await lstat(path).catch(() => null)
      if (stats !== null) await chmod(path, stats.mode & 0o7700)
    }
    repaired(found, 'Removed the permissions of group and others.')
  }
  scene.add(found)
}

async function reportLeftovers(scene: FolderScene, leftovers: readonly string[]): Promise<void> {
  if (leftovers.length === 0) return
  const found = finding('leftover_files', `An earlier run left ${named(scene, leftovers)}.`, {
    place: relative(scene.dataDir, leftovers[0]!),
  })
  if (scene.wantsFix) {
    for (const path of leftovers) await rm(path, { recursive: true, force: true })
    repaired(found, `Deleted ${countOf(leftovers.length, 'temporary file')}.`)
  }
  scene.add(found)
}

function named({ dataDir }: FolderScene, paths: readonly string[]): string {
  const names = paths.slice(0, NAMED).map((path) => relative(dataDir, path) || 'the data folder')
  return `${names.join(', ')}${paths.length > NAMED ? ` and ${paths.length - NAMED} more` : ''}`
}

function isLeftover(name: string): boolean {
  const [first = '', ...rest] = name.split(/[\\/]/)
  if (TEMPORARY.includes(first)) return rest.length === 1
  if (rest.length === 0) return UNFINISHED.test(first)
  return (first === 'page-images' && name.endsWith('.tmp')) || (first === 'segments' && name.endsWith('manifest.json.new'))
}

/** Yields a folder and everything in it. */
async function* walk(folder: string): AsyncGenerator<string> {
  yield folder
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  for (const entry of entries) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* walk(path)
    else yield path
  }
}
