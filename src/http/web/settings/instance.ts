import { paths } from '../../../pages/paths.ts'
import { renderInstance, type InstanceProps } from '../../../pages/settings/instance.tsx'
import type { InstanceReport } from '../../../services/instance.ts'
import type { Dependencies } from '../../dependencies.ts'
import { clientGone } from '../../routing/context.ts'
import type { View } from '../routing/page.ts'

type Parts = Pick<Dependencies, 'instance' | 'version'>

export const instancePages = ({ instance, version }: Parts): View[] => [
  {
    method: 'GET',
    path: paths.instance,
    access: 'owner',
    async handle({ ctx, actor, show, signedIn }) {
      const report = await instance.report(actor, clientGone(ctx))
      show(renderInstance({ ...signedIn(), ...shown(report), version, runtime: process.version }))
    },
  },
]

function shown(report: InstanceReport): Omit<InstanceProps, 'viewer' | 'csrf' | 'now' | 'version' | 'runtime'> {
  const { health, storage, memory, users, documents } = report
  const { database, index, embedder, reranker, queue, disk, originals, backup } = health
  return {
    uptimeSeconds: health.uptimeSeconds,
    status: health.status,
    checks: [
      { name: 'database', status: database.ok ? 'ok' : 'unavailable', message: database.message },
      { name: 'index', status: index.status, message: index.message },
      { name: 'embedder', status: embedder.status, message: embedder.message },
      { name: 'reranker', status: reranker.status, message: reranker.message },
      { name: 'queue', status: queue.status, message: queue.message },
      { name: 'disk', status: disk.ok ? 'ok' : 'degraded', message: disk.message },
      { name: 'originals', status: originals.status, message: originals.message },
      ...(backup === null ? [] : [{ name: 'backup' as const, status: backup.status, message: backup.message }]),
    ],
    models: modelsOf(report),
    queue: queue.queued === undefined ? null : queue,
    storage,
    memory,
    users,
    documents,
  }
}

function modelsOf({ health, models: { models, ollama, waitingFor } }: InstanceReport): InstanceProps['models'] {
  const indexes = models.flatMap((model) => model.indexes)
  const building = indexes.find(({ record }) => record.state === 'building')
  return {
    embedder: models.find(({ isInUse }) => isInUse)?.name ?? 'none',
    reranker: health.reranker.model,
    ollama: ollama.message,
    building:
      building === undefined
        ? null
        : {
            model: building.record.embeddingModel,
            documentsDone: building.progress?.done ?? 0,
            documentsTotal: building.progress?.total ?? 0,
            secondsLeft: building.progress?.secondsLeft ?? null,
            waitingFor,
          },
  }
}
