import { join } from 'node:path'
import pLimit from 'p-limit'
import { DocsearchError } from '../../../core/errors.ts'
import type { VectorLayout } from '../vectors/format.ts'
import { answerCalls, toFailure } from './call.ts'
import { makeFolder, namesIn } from './files.ts'
import { loadProject } from './load.ts'
import { installedSegment } from './install.ts'
import type { Changed, Failure, NewDocuments, WriterCalls } from './protocol.ts'
import { type FoundPassages, StoredProject } from './stored-project.ts'
import { buildSegment, StoredSegment } from './stored-segment.ts'

/** How many projects are read or written at the same time. */
const PROJECTS_AT_ONCE = 8

let folder = ''
let layout: VectorLayout = { dimensions: 0, denseDimensions: 0 }
const projects = new Map<string, StoredProject>()

answerCalls<WriterCalls>({
  async open(request) {
    ;({ folder, layout } = request)
    await makeFolder(folder)
    projects.clear()
    const known = new Map(request.known.flatMap(({ segments }) => segments.map((segment) => [segment.name, segment])))
    const damage: { projectId: string; failure: Failure }[] = []
    const inTurn = pLimit(PROJECTS_AT_ONCE)
    const load = async (projectId: string) => {
      const found = await loadProject(folderOf(projectId), projectId, known)
      if (found.project !== null) projects.set(projectId, found.project)
      for (const error of found.damage) damage.push({ projectId, failure: toFailure(error) })
    }
    await Promise.all((await namesIn(folder)).map((projectId) => inTurn(load, projectId)))
    return { projects: [...projects.values()].map((project) => project.shared()), damage }
  },

  commit({ added, removed }) {
    const wanted = new Set(removed)
    const changes = new Map<StoredProject, { documents: NewDocuments | null; removed: FoundPassages }>()
    if (wanted.size > 0) {
      for (const project of projects.values()) {
        const found = project.find(wanted)
        if (found.size > 0) changes.set(project, { documents: null, removed: found })
      }
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

  mark: ({ projects: marked }) =>
    change(
      marked.map((one) => [projectOf(one), one] as const),
      async (project, { isIncomplete }) => {
        await project.switchTo({ ...project.state, isIncomplete })
        return []
      },
    ),
})

/** Changes projects, each completely or not at all. */
async function change<T>(
  changes: readonly (readonly [StoredProject, T])[],
  apply: (project: StoredProject, change: T) => Promise<bigint[]>,
): Promise<Changed> {
  const changed: Changed = { projects: [], removedRows: [], failure: null }
  const inTurn = pLimit(PROJECTS_AT_ONCE)
  await Promise.all(
    changes.map(([project, what]) =>
      inTurn(async () => {
        try {
          for (const row of await apply(project, what)) changed.removedRows.push(row)
          if (project.isEmpty) projects.delete(project.projectId)
          else projects.set(project.projectId, project)
          changed.projects.push(project.shared())
        } catch (error) {
          changed.failure ??= toFailure(error)
        }
      }),
    ),
  )
  return changed
}

/** Returns the project, a new one if need be. */
function projectOf({ projectId, ownerId }: { projectId: string; ownerId: string }): StoredProject {
  const project =
    projects.get(projectId) ??
    new StoredProject(folderOf(projectId), { projectId, ownerId }, { segments: [], isIncomplete: false })
  // The owner decides who finds the passages.
  if (project.ownerId !== ownerId) throw new DocsearchError('index_failed', `The project ${projectId} belongs to another user.`)
  return project
}

function folderOf(projectId: string): string {
  // The ID becomes the name of a folder.
  if (!/^[A-Za-z0-9_-]{1,100}$/.test(projectId))
    throw new DocsearchError('index_failed', 'The ID of a project has characters that a folder name cannot have.')
  return join(folder, projectId)
}
