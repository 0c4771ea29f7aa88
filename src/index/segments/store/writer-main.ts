import { lowerPriorityOfThread } from '../../../core/priority.ts'
import { answerCalls } from '../../../core/thread.ts'
import { basename, join } from 'node:path'
import { readdir, stat } from 'node:fs/promises'
import pLimit from 'p-limit'
import { DocsearchError } from '../../../core/errors.ts'
import type { VectorLayout } from '../vectors/format.ts'
import { asFailure } from './index-thread.ts'
import { closePaged, makeFolder, remove, removeFiles, removeFolder, vectorsFile, wordsFile } from './files.ts'
import { DocumentDirectory, type ProjectDocuments } from './document-directory.ts'
import { type LoadOptions, loadProject, sizesIn } from './load.ts'
import { ALL_IN_MEMORY, maxPagedFiles, MemoryUse, smallestOnDisk } from './memory.ts'
import type { ManifestPlace } from './manifest.ts'
import type { Changed, NewDocuments, WriterCalls, Installation } from './protocol.ts'
import type { Failure } from '../../../core/thread.ts'
import { openShares } from './open-shares.ts'
import type { Shares } from './shares.ts'
import { type FoundPassages, StoredProject } from './stored-project.ts'
import { isPaged } from '../paged-file.ts'
import type { Segment } from '../segment.ts'
import { buildSegment, StoredSegment } from './stored-segment.ts'
import { DELETED } from '../merge.ts'

/** How many projects are read or written at the same time. */
const PROJECTS_AT_ONCE = 8

let folder = ''
let layout: VectorLayout = { dimensions: 0, denseDimensions: 0 }
let shares: Shares | null = null
const projects = new Map<string, StoredProject>()
let directory = new DocumentDirectory(() => [])
let limits = { ...ALL_IN_MEMORY, maxPagedFiles: 0 }
let memoryUse = new MemoryUse(limits)

lowerPriorityOfThread()
answerCalls<WriterCalls>({
  async open(request) {
    ;({ folder, layout } = request)
    limits = { ...request.memory, maxPagedFiles: maxPagedFiles() }
    memoryUse = new MemoryUse(limits)
    await makeFolder(folder)
    if (!(await stat(folder)).isDirectory()) {
      await remove(folder)
      await makeFolder(folder)
    }
    if (request.shared !== null) {
      shares = await openShares(request.shared, folder)
      await shares.fetch()
    }
    projects.clear()
    const known = new Map(request.known.flatMap(({ segments }) => segments.map((segment) => [segment.name, segment])))
    const damage: { projectId: string; failure: Failure }[] = []
    const inTurn = pLimit(PROJECTS_AT_ONCE)
    const names = await projectsIn(folder)
    const sizes = await Promise.all(names.map((projectId) => inTurn(sizesIn, folderOf(projectId))))
    const options = { known, smallestOnDisk: smallestOnDisk(sizes.flat(), limits) }
    const loadAtStart = async (projectId: string) => {
      const found = await load(projectId, options)
      if (found.project !== null) {
        projects.set(projectId, found.project)
        memoryUse.note(projectId, found.project.shared().segments)
      }
      for (const error of found.damage) damage.push({ projectId, failure: asFailure(error) })
      if (found.damage.length > 0) unread.add(projectId)
    }
    await Promise.all(names.map((projectId) => inTurn(loadAtStart, projectId)))
    directory = new DocumentDirectory(documentsOfAll)
    fitIntoMemory()
    return { projects: [...projects.values()].map((project) => project.shared()), damage, version: shares?.version ?? 0 }
  },

  takeOver: ({ lease }) => readChanges(() => shares!.takeOver(lease)),

  async confirm() {
    await shares!.confirm()
    if (unread.size > 0 || projects.size !== shares!.projectCount)
      throw new DocsearchError('index_failed', 'This process has not read all projects of the index.')
    return null
  },

  unneeded: ({ files }) => shares!.unneeded(files),

  commit({ added, removed }) {
    const wanted = new Set(removed)
    const changes = new Map<StoredProject, { documents: NewDocuments | null; removed: FoundPassages }>()
    for (const projectId of directory.projectsOf(wanted)) {
      const project = projects.get(projectId)
      const found = project?.find(wanted)
      if (project !== undefined && found!.size > 0) changes.set(project, { documents: null, removed: found! })
    }
    for (const documents of added) {
      const project = projectOf(documents)
      changes.set(project, { documents, removed: changes.get(project)?.removed ?? new Map() })
    }
    return change([...changes], async (project, { documents, removed }) => {
      const segments = project.state.segments.map((segment) => segment.without(removed.get(segment) ?? []))
      if (documents !== null) segments.push(StoredSegment.open(buildSegment(documents.documents, layout)))
      await project.switchTo({ ...project.state, segments })
      return [...removed].flatMap(([segment, passages]) => passages.map((passage) => segment.rowOf(passage)))
    })
  },

  install: (installation) =>
    change([[projectOf(installation), installation]], async (project) => {
      const segment = installedSegment(project.state.segments, installation)
      const replaced = new Set(installation.sources.map(({ name }) => name))
      const others = project.state.segments.filter(({ shared }) => !replaced.has(shared.name))
      await project.switchTo({ ...project.state, segments: [...others, segment] }, (one) => one === segment)
      return []
    }),

  async leaveOut({ projectId, name }) {
    const project = projects.get(projectId)
    // It may have been merged or deleted since it was read.
    const isThere = project?.state.segments.some(({ shared }) => shared.name === name) === true
    if (isThere && shares !== null) {
      // The next call of `follow` fetches them again.
      unread.add(projectId)
      await removeFiles([wordsFile(name), vectorsFile(name)].map((file) => join(folderOf(projectId), file)))
    }
    return change(isThere ? [[project, name]] : [], async (project) => {
      project.leaveOut(name)
      return []
    })
  },

  keepInMemory({ projectId, name, part, file }) {
    const project = projects.get(projectId)
    const isThere = project?.state.segments.some(({ shared }) => shared.name === name && isPaged(shared[part])) === true
    return change(isThere ? [[project, file]] : [], async (project) => {
      project.keepInMemory(name, { [part]: file })
      return []
    })
  },

  follow: () => readChanges(() => shares!.follow()),

  mark: ({ projects: marked }) =>
    change(
      marked.map((one) => [projectOf(one), one] as const),
      async (project, { isIncomplete }) => {
        await project.switchTo({ ...project.state, isIncomplete })
        return []
      },
    ),
})

/** Loads a project. Fetches it again when its copies on this disk are damaged. */
async function load(projectId: string, options: Pick<LoadOptions, 'known' | 'smallestOnDisk'>): ReturnType<typeof loadProject> {
  const all = { ...options, shares, cacheBytes: limits.cacheBytes }
  const found = await loadProject(folderOf(projectId), placeOf(projectId), all)
  if (found.damage.length === 0 || shares === null) return found
  const opened = found.project?.shared().segments.filter(({ name }) => !options.known.has(name)) ?? []
  for (const { words, vectors } of opened) for (const file of [words, vectors]) closePaged(file)
  await removeFolder(folderOf(projectId))
  await shares.fetch(new Set([projectId]))
  return loadProject(folderOf(projectId), placeOf(projectId), all)
}

/** Projects that other processes have changed and this process has not loaded since, and projects whose files were damaged. */
const unread = new Set<string>()

/** Loads the projects that other processes have changed. `find` returns projects that have changed since its last call. */
async function readChanges(find: () => Promise<ReadonlySet<string>>): Promise<Changed> {
  for (const projectId of await find()) unread.add(projectId)
  const changedIds = new Set(unread)
  await shares!.fetch(changedIds)
  const inTurn = pLimit(PROJECTS_AT_ONCE)
  const failures = await Promise.all([...changedIds].map((projectId) => inTurn(reload, projectId)))
  unread.clear()
  for (const [i, projectId] of [...changedIds].entries()) if (failures[i] !== null) unread.add(projectId)
  for (const { projectId } of fitIntoMemory()) changedIds.add(projectId)
  return {
    projects: [...changedIds].map((projectId) => projectOf({ projectId }).shared()),
    removedRows: [],
    failure: failures.find((failure) => failure !== null) ?? null,
    version: shares!.version,
  }
}

/** Loads a project that another process has changed. Returns what is damaged. */
async function reload(projectId: string): Promise<Failure | null> {
  const before = projects.get(projectId)?.state.segments ?? []
  const known = new Map(before.map(({ shared }) => [shared.name, shared]))
  const { project, damage } = await load(projectId, { known, smallestOnDisk: Infinity })
  note(
    project ?? new StoredProject(folderOf(projectId), placeOf(projectId), { segments: [], isIncomplete: false }, shares),
    before,
  )
  return damage.length > 0 ? asFailure(damage[0]) : null
}

/** Applies a change to each project, either completely or not at all. */
async function change<T>(
  changes: readonly (readonly [StoredProject, T])[],
  apply: (project: StoredProject, change: T) => Promise<bigint[]>,
): Promise<Changed> {
  const changed: Changed = { projects: [], removedRows: [], failure: null, version: 0 }
  const changedProjects = new Set<StoredProject>()
  const inTurn = pLimit(PROJECTS_AT_ONCE)
  await Promise.all(
    changes.map(([project, what]) =>
      inTurn(async () => {
        const { state } = project
        try {
          for (const row of await apply(project, what)) changed.removedRows.push(row)
        } catch (error) {
          changed.failure ??= asFailure(error)
        }
        if (project.state === state) return
        note(project, state.segments)
        changedProjects.add(project)
      }),
    ),
  )
  for (const project of fitIntoMemory()) changedProjects.add(project)
  for (const project of changedProjects) changed.projects.push(project.shared())
  return { ...changed, version: shares?.version ?? 0 }
}

/** Notes a project as it is after a change. */
function note(project: StoredProject, before: readonly StoredSegment[]): void {
  const { projectId } = project
  if (project.isEmpty) projects.delete(projectId)
  else projects.set(projectId, project)
  memoryUse.note(projectId, project.shared().segments)
  const known = new Set(before.map(({ segment }) => segment))
  directory.add({ projectId, segments: segmentsOf(project).filter((segment) => !known.has(segment)) })
}

function segmentsOf({ state }: StoredProject): Segment[] {
  return state.segments.map(({ segment }) => segment)
}

function* documentsOfAll(): Generator<ProjectDocuments> {
  for (const project of projects.values()) yield { projectId: project.projectId, segments: segmentsOf(project) }
}

/**
 * Leaves files on disk when not all fit into memory. Their small sections stay in memory, so that more files may have to leave it. Returns the
 * projects whose files left memory.
 */
function fitIntoMemory(): Set<StoredProject> {
  const changed = new Set<StoredProject>()
  for (let before = Infinity; memoryUse.bytes < before;) {
    before = memoryUse.bytes
    for (const [projectId, files] of memoryUse.filesToLeaveOnDisk()) {
      const project = projects.get(projectId)!
      project.leaveOnDisk(files, limits.cacheBytes)
      memoryUse.note(projectId, project.shared().segments)
      changed.add(project)
    }
  }
  return changed
}

/** Returns a project, or a new one without segments. */
function projectOf({ projectId }: { projectId: string }): StoredProject {
  return (
    projects.get(projectId) ??
    new StoredProject(folderOf(projectId), placeOf(projectId), { segments: [], isIncomplete: false }, shares)
  )
}

function placeOf(projectId: string): ManifestPlace {
  return { indexId: basename(folder), projectId }
}

/** The ID of a project becomes the name of a folder. */
const PROJECT_ID = /^[A-Za-z0-9_-]{1,100}$/

/** Returns the IDs of projects that have a folder. Removes a file with the name of a project, but no other files, such as `.DS_Store`. */
async function projectsIn(folder: string): Promise<string[]> {
  const entries = (await readdir(folder, { withFileTypes: true })).filter(({ name }) => PROJECT_ID.test(name))
  for (const entry of entries) if (!entry.isDirectory()) await remove(join(folder, entry.name))
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
}

function folderOf(projectId: string): string {
  if (!PROJECT_ID.test(projectId))
    throw new DocsearchError('index_failed', 'The ID of a project has characters that a folder name cannot have.')
  return join(folder, projectId)
}

/**
 * Returns a new segment without the passages that were deleted while it was built. `segments` are the current segments of its project. A source
 * that is not among them has been deleted completely.
 */
function installedSegment(segments: readonly StoredSegment[], { segment, sources, without }: Installation): StoredSegment {
  const installed = StoredSegment.open(segment)
  const deleted = new Set(installed.passagesOf(new Set(without)))
  for (const { name, numbers } of sources) {
    const source = segments.find(({ shared }) => shared.name === name)
    for (const [passage, number] of numbers.entries())
      if (number !== DELETED && (source === undefined || source.deletions.has(passage))) deleted.add(number)
  }
  return installed.without([...deleted])
}
